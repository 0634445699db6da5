"""The code that a cell gives, around the place where its answer goes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nl2code.corpus.nbgrader.placeholders import is_placeholder
from nl2code.linearisation import Scheme
from nl2code.python_code import NotPython, normal_form
from nl2code.python_code.normal_form import juice_tokens
from nl2code.python_code.parsing import read_python

_ANSWER = "__answer__"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Given:
    """The tokens before and after an answer, in normal form; none where nothing is given."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    function: str = ""
    """The name of the function whose body the answer belongs to."""

    def without_after(self, answer: str) -> str:
        """An answer (whitespace-joined) but for what is given below it.

        >>> Given(after=("NEWLINE", "return", "x")).without_after("x = 1 NEWLINE return x")
        'x = 1'
        """
        tokens, after = ["NEWLINE", *answer.split()], [*self.after]
        if after and tokens[-len(after) :] == after:
            tokens = tokens[: -len(after)]
        return " ".join(_in_block(tokens[1:]) if self.before else tokens[1:])

    def inside(self, source: str) -> list[str]:
        r"""The tokens of a retrieved cell; of its function only the body, where one is given.

        Its own head, docstring and last `return` give way to the given ones.

        >>> stub = given_code("def f():\n    # YOUR CODE HERE\n    return x")
        >>> stub.inside("def g(y):\n    x = y\n    return z")
        ['x', '=', 'y']

        Raises:
            NotPython: With the reason.
        """
        _, tree = read_python(source)
        function = _alike(tree, self.function) if self.function else None
        if function is None:
            return juice_tokens(tree)
        body = _without_docstring(function) or function.body
        if self.after[1:2] == ("return",) and len(body) > 1 and isinstance(body[-1], ast.Return):
            body = body[:-1]
        return juice_tokens(ast.Module(body, []))


def _in_block(tokens: list[str]) -> list[str]:
    """The tokens up to where they leave the block that they began in; what is beyond is no answer.

    Without the head of that block, such a text is no code any more.
    """
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token == "INDENT") - (token == "DEDENT")
        if depth < 0:
            return tokens[:place]
    return tokens


def _alike(tree: ast.Module, name: str) -> _Function | None:
    """The last function of this name, else the last one that stands in no other."""
    named = [one for one in _functions(tree) if one.name == name]
    top = [node for node in tree.body if isinstance(node, _Function)]
    return max(named or top, key=lambda one: one.lineno, default=None)


def _functions(tree: ast.Module) -> list[_Function]:
    return [node for node in ast.walk(tree) if isinstance(node, _Function)]


def _without_docstring(function: _Function) -> list[ast.stmt]:
    has_one = ast.get_docstring(function, clean=False) is not None
    return function.body[has_one:]


def given_code(boilerplate: str | None, scheme: Scheme = "juice") -> Given:
    r"""What of `boilerplate_code` stands before the place of the answer, and what after it.

    That is its placeholder, or the body of its only empty function. Where neither is there, or
    this is no Python, nothing is known of the place.

    >>> given_code("for x in y:\n    # YOUR CODE HERE\n    f(x)").before
    ('for', 'x', 'in', 'y', ':', 'NEWLINE', 'INDENT')
    >>> given_code("def f():\n    return None")
    Given(before=('def', 'f', '(', ')', ':', 'NEWLINE', 'INDENT'), after=(), function='f')
    """
    source = boilerplate or ""
    if _ANSWER in source:
        return Given()
    for text in dict.fromkeys((_marked(source), source)):
        try:
            text, function = _emptied(text)
            tokens = normal_form(text, scheme)
        except NotPython:
            continue
        if _ANSWER in tokens:  # not within a string
            place = tokens.index(_ANSWER)
            return Given(tuple(tokens[:place]), tuple(tokens[place + 1 :]), function)
    return Given()


def _marked(source: str) -> str:
    """The code with `_ANSWER` for its first line that is a placeholder, and without the others."""
    lines = source.split("\n")
    places = [place for place, line in enumerate(lines) if is_placeholder(line)]
    for place in places[:1]:
        mark = lines[place]
        lines[place] = mark[: len(mark) - len(mark.lstrip())] + _ANSWER
    return "\n".join(line for place, line in enumerate(lines) if place not in places[1:])


def _emptied(source: str) -> tuple[str, str]:
    """The code with `_ANSWER` for the body of its empty function, and the name of the answer's.

    Raises:
        NotPython: With the reason.
    """
    code, tree = read_python(source)
    functions = _functions(tree)
    if _ANSWER in code:
        functions = [one for one in functions if any(map(_is_answer, one.body))]
    empty = [one for one in functions if all(map(_says_nothing, _without_docstring(one)))]
    if len(empty) == 1:
        return _with_answer(code, empty[0]), empty[0].name
    return code, functions[0].name if functions and _ANSWER in code else ""


def _is_answer(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and getattr(node.value, "id", None) == _ANSWER


def _says_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Return(value=None | ast.Constant(value=None)):
            return True
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
        case ast.Expr(value=ast.Constant(value=value)):
            return value is ...
    return _is_answer(node)


def _with_answer(code: str, function: _Function) -> str:
    """The code with `_ANSWER` for the body of the function, whose docstring stays."""
    lines, first = code.split("\n"), function.body[0]
    head = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    has_docstring = len(_without_docstring(function)) < len(function.body)
    body = [ast.get_source_segment(code, first), _ANSWER] if has_docstring else [_ANSWER]
    one_line = bool(head.strip())  # the body stands where its head does
    indent = " " * (function.col_offset + 4) if one_line else head
    new = [head] * one_line + [f"{indent}{part}" for part in body]
    lines[first.lineno - 1 : function.end_lineno] = new
    return "\n".join(lines)
