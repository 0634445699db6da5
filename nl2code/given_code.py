"""The code that a cell gives, around the place where its answer goes."""

from __future__ import annotations

from dataclasses import dataclass

from nl2code.corpus.nbgrader.placeholders import is_placeholder
from nl2code.linearisation import Scheme
from nl2code.python_code import NotPython, normal_form

_ANSWER = "__answer__"


@dataclass(frozen=True, slots=True)
class Given:
    """The tokens before and after an answer, in normal form; none where nothing is given."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def without_after(self, answer: str) -> str:
        """An answer (whitespace-joined) but for what is given below it.

        >>> Given(after=("NEWLINE", "return", "x")).without_after("x = 1 NEWLINE return x")
        'x = 1'
        """
        tokens, after = ["NEWLINE", *answer.split()], [*self.after]
        if after and tokens[-len(after) :] == after:
            tokens = tokens[: -len(after)]
        return " ".join(tokens[1:])


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
    place = tokens.index(_ANSWER)
    return Given(tuple(tokens[:place]), tuple(tokens[place + 1 :]))
