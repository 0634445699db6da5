"""Which notebooks of a repository are an exercise and its solution (paper, section 3.2)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from nl2code.corpus.digests import digest, notebook_key
from nl2code.records import Cell, Notebook

MIN_SAME = 0.5
"""More than this share of the cells must be the same."""
_MIN_CELLS = 2
_BESIDE = 8

_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SOLUTION = re.compile(r"(?<![a-z])(?:solutions?|sol|so?lns?|answers?)(?![a-z])", re.IGNORECASE)


def says_solution(path: str) -> bool:
    """Whether a notebook's name or one of its folders says that it holds solutions.

    "key" says nothing: real paths have `license_key` and `KeyDistribution`.

    >>> says_solution("labs/chap03soln.ipynb"), says_solution("Solutions/lab 1.ipynb")
    (True, True)
    >>> says_solution("super_resolution.ipynb"), says_solution("license_key.ipynb")
    (False, False)
    """
    return _SOLUTION.search(_WORD_BOUNDARY.sub("_", path)) is not None


@dataclass(frozen=True, slots=True)
class CellKeys:
    """The small record of a notebook that pairing works on, without the cells' text."""

    repo: str
    path: str
    commit: str | None
    notebook_key: str
    """As in `schema.KEYS`: equal for notebooks of the same cells."""
    types: tuple[str, ...]
    keys: tuple[str, ...]
    """`cell_key` of each cell."""


def cell_keys(notebook: Notebook) -> CellKeys:
    """Return the notebook's record for pairing."""
    cells = notebook.cells
    return CellKeys(
        repo=notebook.repo,
        path=notebook.path,
        commit=notebook.commit,
        notebook_key=notebook_key(notebook),
        types=tuple(cell.cell_type for cell in cells),
        keys=tuple(map(cell_key, cells)),
    )


def cell_key(cell: Cell) -> str:
    """A digest of the cell's type and normalised source; empty where nothing is left of it."""
    text = normal_source(cell)
    return digest((cell.cell_type, text)) if text else ""


def normal_source(cell: Cell) -> str:
    r"""The cell's source without blanks, and of code without lines that are comments alone.

    So a cell to be filled in counts as nothing, and does not make two notebooks alike.

    >>> normal_source(Cell("code", "# your code here\nx = [1, 2]\n"))
    'x=[1,2]'
    """
    source = cell.source
    if cell.cell_type == "code" and "#" in source:
        source = "".join(line for line in source.splitlines() if not line.lstrip().startswith("#"))
    return "".join(source.split())


def pairs(
    notebooks: Sequence[CellKeys], drops: Counter[str]
) -> Iterator[tuple[CellKeys, CellKeys]]:
    """Yield (exercise, solution) for each solution notebook of a repository that has an exercise.

    More than half of the exercise's cells stand in the solution, and more than half of the
    solution's text in the exercise; cells still to be filled in count for neither. What has all of
    the solution's code is a copy of it, and no exercise. The one with the most in common is taken,
    of equals the nearest by path. Two solutions of one exercise are two pairs.
    """
    files = [one for one in notebooks if ".ipynb_checkpoints" not in one.path.split("/")]
    solutions = [one for one in files if says_solution(one.path)]
    exercises = _Exercises(one for one in files if not says_solution(one.path))
    for solution in sorted(solutions, key=_place):
        exercise = exercises.best(solution)
        if exercise is None:
            drops["no_exercise"] += 1
        else:
            yield exercise, solution


def _place(one: CellKeys) -> tuple[str, str, str]:
    return one.path, one.commit or "", one.notebook_key


class _Exercises:
    """An index from cells to the exercises that have them."""

    def __init__(self, exercises: Iterable[CellKeys]) -> None:
        # Copies of one notebook count as one here: a repository may hold thousands.
        copies: dict[tuple[str, ...], list[CellKeys]] = defaultdict(list)
        for one in sorted(exercises, key=_place):
            copies[one.keys].append(one)
        self._copies = list(copies.values())
        self._cells = [frozenset(_numbered(keys)) for keys in copies]
        self._having: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, cells in enumerate(self._cells):
            for cell in cells:
                self._having[cell].append(number)

    def best(self, solution: CellKeys) -> CellKeys | None:
        cells = _numbered(solution.keys)
        same: Counter[int] = Counter()
        for cell in cells:
            same.update(self._having.get(cell, ()))
        text = _numbered(_of_type("markdown", solution))
        code = _numbered(_of_type("code", solution))
        alike = {
            number: n / (len(self._cells[number]) + len(cells) - n)
            for number, n in same.items()
            if n > MIN_SAME * len(self._cells[number])
            and n >= _MIN_CELLS
            and (not text or len(text & self._cells[number]) > MIN_SAME * len(text))
            and not code <= self._cells[number]
        }
        most = max(alike.values(), default=0)
        equals = [number for number, share in alike.items() if share == most]
        nearest = (one for number in equals for one in _near(self._copies[number], solution))
        return min(nearest, key=lambda one: _distance(one, solution), default=None)


def _of_type(cell_type: str, notebook: CellKeys) -> Iterator[str]:
    cells = zip(notebook.keys, notebook.types, strict=True)
    return (key for key, kind in cells if kind == cell_type)


def _near(copies: list[CellKeys], solution: CellKeys) -> list[CellKeys]:
    """Those copies whose paths begin most like the solution's, which in order stand beside it."""
    place = bisect_left(copies, _place(solution), key=_place)
    return copies[max(0, place - _BESIDE) : place + _BESIDE]


def _distance(exercise: CellKeys, solution: CellKeys) -> tuple[object, ...]:
    matcher = SequenceMatcher(None, exercise.path, solution.path, autojunk=False)
    return exercise.commit != solution.commit, -matcher.ratio(), *_place(exercise)


def _numbered(keys: Iterable[str]) -> set[tuple[str, int]]:
    """The cells that are not blank, the second of a kind told from the first."""
    seen: Counter[str] = Counter()
    cells = set()
    for key in filter(None, keys):
        cells.add((key, seen[key]))
        seen[key] += 1
    return cells
