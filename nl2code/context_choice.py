"""Relevant cells from far above the target, chosen without a look at it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

Cell = Mapping[str, Any]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")
"""A part of a name: `load_iris`, `loadIris` and "load the iris" share their words."""

_OF_NEAR_CELLS = 0.1
"""What a word of the near cells counts, beside one of the target NL. Tried on 600 train examples,
where the chosen three hold 14.5 % of the target's 4-grams: 0 gives 14.3, 1 gives 13.5."""

_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's usual k1 and b."""


def choose_cells(cells: Sequence[Cell], near: int, count: int) -> list[int]:
    """The places of up to `count` code cells behind the first `near` cells, the best first.

    The cells are the context in reading order, the target's NL first. Words of that NL, and a
    little those of the other near cells, ask; a code cell answers with its own words and those of
    the markdown directly above it, as in Ret-Context. BM25 weighs them, with rarity counted in
    this notebook. A cell that says nothing asked for is not chosen, nor one that is shown already;
    of equals the nearest wins.

    >>> texts = ["Plot the iris", "x = 1", "iris = load()", "y = 2", "plot(iris)", "plot(iris)"]
    >>> choose_cells([{"cell_type": "code", "code": text} for text in texts], near=2, count=2)
    [4, 2]
    """
    words = [
        _words(_text(cell)) if place < near else _answer(cells, place)
        for place, cell in enumerate(cells)
    ]
    asked = {word: _OF_NEAR_CELLS for near_words in words[1:near] for word in near_words}
    asked |= {word: 1.0 for nl_words in words[:1] for word in nl_words}
    scores = _bm25(words, asked)
    shown = {_text(cell) for cell in cells[:near]}
    chosen: list[int] = []
    for place in sorted(range(near, len(cells)), key=lambda place: (-scores[place], place)):
        if len(chosen) == count or scores[place] <= 0:
            break
        if cells[place]["cell_type"] == "code" and _text(cells[place]) not in shown:
            shown.add(_text(cells[place]))
            chosen.append(place)
    return chosen


def _answer(cells: Sequence[Cell], place: int) -> Counter[str]:
    """The words of a cell, and of the markdown above it."""
    words = _words(_text(cells[place]))
    above = cells[place + 1] if place + 1 < len(cells) else None
    if above is not None and above["cell_type"] == "markdown":
        words = words + _words(_text(above))
    return words


def _bm25(documents: Sequence[Counter[str]], asked: Mapping[str, float]) -> list[float]:
    """How much each document says of what is asked; a tie must not hang on the last bit."""
    held = Counter(word for words in documents for word in words)
    rarity = {
        word: weight * math.log(1 + (len(documents) - held[word] + 0.5) / (held[word] + 0.5))
        for word, weight in asked.items()
    }
    mean = sum(words.total() for words in documents) / max(1, len(documents))
    scores = []
    for words in documents:
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * words.total() / max(1, mean))
        parts = (rarity[word] * n / (n + damping) for word, n in words.items() if word in rarity)
        scores.append(round(math.fsum(parts), 9))
    return scores


def _text(cell: Cell) -> str:
    text: str | None = cell["nl_original"] if cell["cell_type"] == "markdown" else cell["code"]
    return text or ""


# Neighbouring examples share most of their context.
@lru_cache(maxsize=4096)
def _words(text: str) -> Counter[str]:
    return Counter(word.lower() for word in _WORD.findall(text))
