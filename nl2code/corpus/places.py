"""Where in the code that a cell gives its answer goes."""

from __future__ import annotations

import ast

from nl2code.corpus.nbgrader.placeholders import is_placeholder
from nl2code.python_code import NotPython
from nl2code.python_code.parsing import read_python

ANSWER = "__answer__"
"""Stands in given code where the answer goes."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def with_answer(given: str) -> tuple[str, str] | None:
    r"""Given code with `ANSWER` where its answer goes, and the name of the function around it.

    That is its placeholder, or the body of its only empty function. Where neither is there, or
    this is no Python, nothing is known of the place.

    >>> with_answer("def f(x):\n    # YOUR CODE HERE\n    return y")
    ('def f(x):\n    __answer__\n    return y', 'f')
    """
    if ANSWER in given:
        return None
    for text in dict.fromkeys((_marked(given), given)):
        try:
            text, function = _emptied(text)
            _, tree = read_python(text)
        except NotPython:
            continue
        if any(getattr(node, "id", None) == ANSWER for node in ast.walk(tree)):
            return text, function  # not within a string
    return None


def is_answer(node: ast.stmt) -> bool:
    """Whether the statement is `ANSWER`."""
    return isinstance(node, ast.Expr) and getattr(node.value, "id", None) == ANSWER


def functions_of(tree: ast.Module) -> list[Function]:
    """All functions, those within others too."""
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def without_docstring(function: Function) -> list[ast.stmt]:
    """The statements of a function's body below its docstring."""
    has_one = ast.get_docstring(function, clean=False) is not None
    return function.body[has_one:]


def _marked(source: str) -> str:
    """The code with `ANSWER` for its first line that is a placeholder, and without the others."""
    lines = source.split("\n")
    places = [place for place, line in enumerate(lines) if is_placeholder(line)]
    for place in places[:1]:
        mark = lines[place]
        lines[place] = mark[: len(mark) - len(mark.lstrip())] + ANSWER
    return "\n".join(line for place, line in enumerate(lines) if place not in places[1:])


def _emptied(source: str) -> tuple[str, str]:
    """The code with `ANSWER` for the body of its empty function, and the name of the answer's.

    Raises:
        NotPython: With the reason.
    """
    code, tree = read_python(source)
    functions = functions_of(tree)
    if ANSWER in code:
        functions = [one for one in functions if any(map(is_answer, one.body))]
    empty = [one for one in functions if all(map(_says_nothing, without_docstring(one)))]
    if len(empty) == 1:
        return _filled(code, empty[0]), empty[0].name
    return code, functions[0].name if functions and ANSWER in code else ""


def _says_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Return(value=None | ast.Constant(value=None)):
            return True
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
        case ast.Expr(value=ast.Constant(value=value)):
            return value is ...
    return is_answer(node)


def _filled(code: str, function: Function) -> str:
    """The code with `ANSWER` for the body of the function, whose docstring stays."""
    lines, first = code.split("\n"), function.body[0]
    head = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    has_docstring = len(without_docstring(function)) < len(function.body)
    body = [ast.get_source_segment(code, first), ANSWER] if has_docstring else [ANSWER]
    one_line = bool(head.strip())  # the body stands where its head does
    indent = " " * (function.col_offset + 4) if one_line else head
    new = [head] * one_line + [f"{indent}{part}" for part in body]
    lines[first.lineno - 1 : function.end_lineno] = new
    return "\n".join(lines)
