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


_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:import|from)\s.*$", re.MULTILINE)


def words_apart(text: str) -> str:
    """The text with a blank for each run of them, as cells are compared."""
    return " ".join(text.split())


def telling(texts: Iterable[str | None]) -> set[str]:
    """Those texts, blanks apart, with and without comments, that tell where they are from.

    Imports do not: many notebooks begin with the same ones.

    >>> telling(["x = 1", None, "Load the prices of all  houses that were sold in the year."])
    {'Load the prices of all houses that were sold in the year.'}
    """
    forms = {form for text in texts if text for form in _forms(text) if _tells(form)}
    return {words_apart(form) for form in forms}


def _forms(text: str) -> set[str]:
    return {text, _COMMENT.sub("", text)} if "#" in text else {text}


def _tells(text: str) -> bool:
    return len(words_apart(_IMPORT.sub("", text))) >= TELLING


class HeldTexts:
    r"""What dev and test hold, to be asked what shows some of it. Memory grows with them.

    >>> held = HeldTexts(telling(["Load the prices of all  houses that were sold in the year."]))
    >>> held.stand_in("1. Load the prices of all houses\nthat were sold in the year. 2. Plot.")
    True
    """

    def __init__(self, texts: Iterable[str]) -> None:
        # By their beginnings, so that the automaton does not grow with their lengths.
        held: dict[bytes, list[bytes]] = defaultdict(list)
        for text in sorted(texts):
            held[_utf8(text)[:TELLING]].append(_utf8(text))
        self._held = list(held.values())
        self._beginnings = BytesAhoCorasick(list(held)) if held else None

    def stand_in(self, text: str) -> bool:
        """Whether one of them stands in the text, blanks apart, with its comments or without."""
        return len(text) >= TELLING and any(map(self._stands_in, _forms(text)))

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
