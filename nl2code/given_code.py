"""The code that a cell gives, around the place where its answer goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from nl2code.corpus.nbgrader.placeholders import is_placeholder
from nl2code.linearisation import Scheme
from nl2code.python_code import NotPython, normal_form

_ANSWER = "__answer__"
_DOCSTRING = "'jupyter_string'"


@dataclass(frozen=True, slots=True)
class Given:
    """The tokens before and after an answer, in normal form; none where nothing is given."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def is_function(self) -> bool:
        """Whether the answer goes into one function that is given."""
        return self.before[:1] == ("def",)

    def without_after(self, answer: str) -> str:
        """An answer (whitespace-joined) but for what is given below it.

        >>> Given(after=("NEWLINE", "return", "x")).without_after("x = 1 NEWLINE return x")
        'x = 1'
        """
        tokens, after = ["NEWLINE", *answer.split()], [*self.after]
        if after and tokens[-len(after) :] == after:
            tokens = tokens[: -len(after)]
        return " ".join(tokens[1:])

    def inside(self, retrieved: Sequence[str]) -> list[str]:
        r"""Of a retrieved cell what stands in its function, where a function is to be filled in.

        Its own head, docstring and last `return` give way to the given ones.

        >>> stub = given_code("def f():\n    # YOUR CODE HERE\n    return x")
        >>> stub.inside("def g ( y ) : NEWLINE INDENT x = y NEWLINE return z".split())
        ['x', '=', 'y']
        """
        tokens = list(retrieved)
        if not (self.is_function and tokens[:1] == ["def"] and "INDENT" in tokens):
            return tokens
        body = tokens[tokens.index("INDENT") + 1 :]
        if body[:2] == [_DOCSTRING, "NEWLINE"]:
            body = body[2:]
        lines = [list(line) for end, line in groupby(body, "NEWLINE".__eq__) if not end]
        if self.after[1:2] == ("return",) and len(lines) > 1 and lines[-1][0] == "return":
            del body[-len(lines[-1]) - 1 :]
        return body


def given_code(boilerplate: str | None, scheme: Scheme = "juice") -> Given:
    r"""What of `boilerplate_code` stands before its placeholder, and what after it.

    Without a placeholder, or where this is no Python, nothing is known of the place.

    >>> given_code("for x in y:\n    # YOUR CODE HERE\n    f(x)").before
    ('for', 'x', 'in', 'y', ':', 'NEWLINE', 'INDENT')
    """
    lines = (boilerplate or "").split("\n")
    places = [place for place, line in enumerate(lines) if is_placeholder(line)]
    if not places:
        return Given()
    mark = lines[places[0]]
    lines[places[0]] = mark[: len(mark) - len(mark.lstrip())] + _ANSWER
    kept = [line for place, line in enumerate(lines) if place not in places[1:]]
    try:
        tokens = normal_form("\n".join(kept), scheme)
    except NotPython:
        return Given()
    if tokens.count(_ANSWER) != 1:  # within a string, or a name of the cell's own
        return Given()
    place = tokens.index(_ANSWER)
    return Given(tuple(tokens[:place]), tuple(tokens[place + 1 :]))
