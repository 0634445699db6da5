"""Which cells of an exercise a solution notebook still has, where cells came and went."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from nl2code.corpus.exercises.pairing import cell_key
from nl2code.records import Cell

_NEAR_CELLS = 8
_SAME_WORDS = 0.6


def align(exercise: Sequence[Cell], solution: Sequence[Cell]) -> dict[int, int]:
    """The solution's cells that the exercise has too, each with its place there, in order.

    Markdown that was edited counts as the same where it stands between the same cells.

    >>> given, solved = Cell("markdown", "Add 1 and 2."), Cell("markdown", "Add 1 and 2, please.")
    >>> align([Cell("code", "import os"), given], [solved, Cell("code", "1 + 2")])
    {0: 1}
    """
    places = _same_cells(exercise, solution)
    gaps = Gaps(places, len(exercise))
    last = -1
    for index, cell in enumerate(solution):
        last = max(last, places.get(index, -1))
        if index not in places and cell.cell_type == "markdown":
            near = range(last + 1, min(gaps.at(index).stop, last + 1 + _NEAR_CELLS))
            edited = next((i for i in near if _is_edited(exercise[i], cell)), None)
            if edited is not None:
                places[index] = last = edited
    return dict(sorted(places.items()))


def _same_cells(exercise: Sequence[Cell], solution: Sequence[Cell]) -> dict[int, int]:
    # Blank cells are left out: they would be matched to each other across the notebook.
    there = [(i, key) for i, key in enumerate(map(cell_key, exercise)) if key]
    here = [(i, key) for i, key in enumerate(map(cell_key, solution)) if key]
    matcher = SequenceMatcher(None, [key for _, key in there], [key for _, key in here])
    return {
        here[block.b + k][0]: there[block.a + k][0]
        for block in matcher.get_matching_blocks()
        for k in range(block.size)
    }


def _is_edited(given: Cell, cell: Cell) -> bool:
    """Whether the markdown shares most of its words with the given cell.

    By words: comparing characters takes quadratic time, and cells of a megabyte exist.
    """
    if given.cell_type != "markdown":
        return False
    ours, theirs = Counter(cell.source.split()), Counter(given.source.split())
    common = (ours & theirs).total()
    return common > 0 and common >= _SAME_WORDS * min(ours.total(), theirs.total())


class Gaps:
    """The stretches of the exercise that lie between aligned cells."""

    def __init__(self, places: Mapping[int, int], end: int) -> None:
        self._aligned = sorted(places)
        self._places = [-1, *(places[index] for index in self._aligned), end]

    def at(self, index: int) -> range:
        """The exercise's cells that stand where the solution's cell `index` does."""
        number = bisect_left(self._aligned, index)
        return range(self._places[number] + 1, self._places[number + 1])
