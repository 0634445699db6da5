"""NL, targets and tests of dev and test inside other cells, word by word (Aho-Corasick)."""

from __future__ import annotations

import pickle
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from ahocorasick_rs import BytesAhoCorasick

TELLING = 50
"""Characters, blanks apart, of a text that nobody writes twice by chance."""


_COMMENT = re.compile(r"#(?<!\S#).*")  # `re` finds the literal that it begins with fastest
_IMPORT = re.compile(r"^[ \t]*(?:import|from)\s.*$", re.MULTILINE)


def words_apart(text: str) -> str:
    """The text with a blank for each run of them, as cells are compared."""
    return " ".join(text.split())


def telling(nl: str | None, *code: str | None) -> set[str]:
    """Of an NL, a target and tests what tells where it is from, blanks and comments apart.

    Imports do not: many notebooks begin with the same ones.

    >>> telling("Load the prices of all  houses that were sold in the year.", "x = 1")
    {'Load the prices of all houses that were sold in the year.'}
    """
    forms = {form for text in code if text for form in _forms(text)} | {nl or ""}
    return {words_apart(form) for form in forms if _tells(form)}


def _forms(code: str) -> tuple[str, ...]:
    return (code, _COMMENT.sub("", code)) if "#" in code else (code,)


def _tells(text: str) -> bool:
    return len(words_apart(_IMPORT.sub("", text))) >= TELLING


class HeldTexts:
    r"""What dev and test hold, to be asked what shows some of it. Memory grows with them.

    >>> held = HeldTexts(telling("Load the prices of all  houses that were sold in the year."))
    >>> held.stand_in("markdown", "1. Load the prices of all houses\nthat were sold in the year.")
    True
    """

    def __init__(self, texts: Iterable[str]) -> None:
        # By their beginnings, so that the automaton does not grow with their lengths.
        held: dict[bytes, list[bytes]] = defaultdict(list)
        for text in sorted(texts):
            held[_utf8(text)[:TELLING]].append(_utf8(text))
        self._held = list(held.values())
        self._beginnings = BytesAhoCorasick(list(held)) if held else None

    def stand_in(self, cell_type: str | None, text: str) -> bool:
        """Whether one of them stands in the cell, blanks apart and, of code, comments."""
        if len(text) < TELLING:
            return False
        return any(map(self._stands_in, _forms(text) if cell_type == "code" else (text,)))

    def _stands_in(self, text: str) -> bool:
        if self._beginnings is None:
            return False
        words = _utf8(words_apart(text))
        found = self._beginnings.find_matches_as_indexes(words, overlapping=True)
        return any(
            words.startswith(held, start)
            for number, start, _ in found
            for held in self._held[number]
        )


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def write_held(texts: Iterable[str], file: Path) -> None:
    """Leave telling texts to other processes."""
    file.write_bytes(pickle.dumps(sorted(texts)))


@lru_cache(maxsize=1)
def read_held(file: Path) -> HeldTexts:
    """What `write_held` wrote."""
    return HeldTexts(pickle.loads(file.read_bytes()))
