"""The code that a cell gives, around the place where its answer goes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nl2code.corpus.places import ANSWER, Function, functions_of, with_answer, without_docstring
from nl2code.linearisation import Scheme
from nl2code.python_code import NotPython, normal_form
from nl2code.python_code.normal_form import juice_tokens
from nl2code.python_code.parsing import read_python


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
        body = without_docstring(function) or function.body
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


def _alike(tree: ast.Module, name: str) -> Function | None:
    """The last function of this name, else the last one that stands in no other."""
    named = [one for one in functions_of(tree) if one.name == name]
    top = [node for node in tree.body if isinstance(node, Function)]
    return max(named or top, key=lambda one: one.lineno, default=None)


def given_code(boilerplate: str | None, scheme: Scheme = "juice") -> Given:
    r"""What of `boilerplate_code` stands before the place of the answer, and what after it.

    Nothing, where nothing is known of the place (`with_answer`).

    >>> given_code("for x in y:\n    # YOUR CODE HERE\n    f(x)").before
    ('for', 'x', 'in', 'y', ':', 'NEWLINE', 'INDENT')
    >>> given_code("def f():\n    return None")
    Given(before=('def', 'f', '(', ')', ':', 'NEWLINE', 'INDENT'), after=(), function='f')
    """
    placed = with_answer(boilerplate or "")
    if placed is None:
        return Given()
    text, function = placed
    try:
        tokens = normal_form(text, scheme)
    except NotPython:
        return Given()
    place = tokens.index(ANSWER)
    return Given(tuple(tokens[:place]), tuple(tokens[place + 1 :]), function)
