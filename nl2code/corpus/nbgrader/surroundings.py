"""What the cells around an answer say of it: names it lacks, and cells it was spread over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from nl2code.corpus.nbgrader.graded import is_solution, is_test, nbgrader_metadata
from nl2code.python_code import NotPython, names_used
from nl2code.python_code.api import PYTHON_36_BUILTINS
from nl2code.records import Cell

_ELSEWHERE = re.compile(
    r"import\s*\*|^\s*%+\s*(?:pylab|run|load|store|macro)|\bexec\b", re.MULTILINE
)
_INTERACTIVE = "display get_ipython In Out __file__ __builtins__"
_PYTHON_2 = "xrange reduce unicode file reload basestring long raw_input unichr cmp execfile"
_KNOWN = PYTHON_36_BUILTINS | frozenset(f"{_INTERACTIVE} {_PYTHON_2}".split())


class NamesAbove:
    r"""The words of the code cells above, whatever defines them.

    >>> above = NamesAbove()
    >>> above.read([Cell("code", "import numpy as np")])
    >>> above.lack("x = np.zeros(len(shape))"), above.lack("x = np.zeros(2)")
    (True, False)
    """

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._anything = False

    def read(self, cells: Iterable[Cell]) -> None:
        """Enter what stands in the next cells."""
        for cell in cells:
            if cell.cell_type == "code":
                self._words.update(re.findall(r"[^\W\d]\w*", cell.source))
                self._anything |= _ELSEWHERE.search(cell.source) is not None

    def lack(self, code: str) -> bool:
        """Whether the code uses a name that no cell above has: it cannot have run as it stands."""
        if self._anything:
            return False
        try:
            used = names_used(code)
        except NotPython:
            return False
        return any(not _is_known(name) and name not in self._words for name in used)


def _is_known(name: str) -> bool:
    # IPython keeps results in `_`, `__`, `_3`.
    return name in _KNOWN or name.lstrip("_").isdecimal() or not name.strip("_")


def cells_added(cells: Sequence[Cell], prompt: int, solution: int) -> int:
    """How many code cells without nbgrader's metadata stand from the prompt down to the tests.

    Students spread an answer over cells of their own, and the solution cell holds a part of it.
    """
    count = 0
    for index in range(prompt + 1, len(cells)):
        cell = cells[index]
        if index > solution and (is_test(cell) or is_solution(cell)):
            break
        count += cell.cell_type == "code" and bool(cell.source.strip()) and not _is_graded(cell)
    return count


def _is_graded(cell: Cell) -> bool:
    return bool(nbgrader_metadata(cell))
