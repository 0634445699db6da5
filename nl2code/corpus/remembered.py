"""What a cell gives wherever it stands; a part is remembered, as notebooks repeat each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from nl2code.corpus.digests import digest
from nl2code.corpus.nbgrader.placeholders import is_stub
from nl2code.markdown import has_text, nl_tokens
from nl2code.python_code import Analysis, NotPython, analyse, why_not_a_target
from nl2code.python_code.analysis import MAX_TOKENS
from nl2code.python_code.cells_above import names_left
from nl2code.python_code.names import Names

_CELLS = 4096
_SHORT = 4_000
"""Characters; longer cells are not remembered, so that memory is bounded."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a code cell gives as a target, or why it is none."""

    reason: str | None
    names: Names | None = None
    """What the cells below can use; None where the cell is no Python."""
    names_used: frozenset[str] = frozenset()
    code: str = ""
    tokens: tuple[str, ...] = ()
    """The juice normal form, at most `MAX_TOKENS`."""
    api_sequence: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    key: str = ""
    """A digest of the tokens."""

    def why_not_below(self, nl: str) -> str | None:
        """Why the cell below this NL is no target, or None."""
        if self.names is None or self.reason == "unanswered" or has_text(nl):
            return self.reason
        return "empty_nl"


def read_target(source: str, *, truncate: bool) -> Target:
    """Read a code cell; `truncate` keeps targets of more than `MAX_TOKENS`."""
    return (_short_target if len(source) <= _SHORT else _target)(source, truncate)


def _target(source: str, truncate: bool) -> Target:
    try:
        return target_of(analyse(source), truncate=truncate)
    except NotPython as error:
        return Target(error.reason)


_short_target = lru_cache(_CELLS)(_target)


def target_of(analysis: Analysis, *, truncate: bool) -> Target:
    """The target, or why it is none; the dear parts of a target only."""
    names = analysis.names_defined
    if is_stub(analysis.code):
        return Target("unanswered", names)
    if reason := why_not_a_target(analysis, None if truncate else MAX_TOKENS):
        return Target(reason, names)
    tokens = analysis.tokens[:MAX_TOKENS]
    return Target(
        None,
        names,
        analysis.names_used,
        analysis.code,
        tokens,
        analysis.api_sequence,
        analysis.comments,
        digest([" ".join(tokens)]),  # no token holds a blank
    )


def words_of(nl: str) -> tuple[tuple[str, ...], str]:
    """The tokens of an NL, and a digest of them."""
    return (_short_words if len(nl) <= _SHORT else _words)(nl)


def _words(nl: str) -> tuple[tuple[str, ...], str]:
    words = tuple(nl_tokens(nl))
    return words, digest([" ".join(words)])


_short_words = lru_cache(_CELLS)(_words)


def names_above(source: str, python: int | None) -> Names:
    """`names_left` of a code cell."""
    return (_short_names if len(source) <= _SHORT else names_left)(source, python)


_short_names = lru_cache(_CELLS)(names_left)
