"""What nbgrader's metadata and a run say about one cell."""

from __future__ import annotations

import hashlib
from math import isfinite
from typing import Any

from nl2code.corpus.nbgrader.autograder import checks_something
from nl2code.records import Cell

NEWEST_SCHEMA = 3
_ERRORS = ("error", "pyerr")


def nbgrader_metadata(cell: Cell) -> dict[str, Any]:
    """The cell's metadata of nbgrader, empty where there are none or they are odd."""
    metadata = cell.metadata.get("nbgrader")
    return metadata if isinstance(metadata, dict) else {}


def is_solution(cell: Cell) -> bool:
    """Whether the cell is code that a student is asked for."""
    return cell.cell_type == "code" and nbgrader_metadata(cell).get("solution") is True


def why_not_autograded(cell: Cell) -> str | None:
    """Why the solution gives no problem: `schema_too_new`, `manually_graded`, or None."""
    metadata = nbgrader_metadata(cell)
    version = metadata.get("schema_version")
    if isinstance(version, int) and version > NEWEST_SCHEMA:
        return "schema_too_new"
    return "manually_graded" if metadata.get("grade") is True else None


def is_test(cell: Cell) -> bool:
    """Whether the cell, which is no solution, grades by itself, locked or not."""
    is_graded = nbgrader_metadata(cell).get("grade") is True
    return cell.cell_type == "code" and is_graded and checks_something(cell.source)


def has_run(cell: Cell) -> bool:
    """Whether there is a sign that the cell ran: its count or an output, even a warning."""
    return cell.execution_count is not None or bool(cell.outputs)


def has_erred(cell: Cell) -> bool:
    """Whether any of the outputs is an error."""
    return any(output.get("output_type") in _ERRORS for output in cell.outputs)


def ran_last(cell: Cell, tests: list[Cell]) -> bool:
    """Whether no count says that a test ran before the cell did, or that the cell never ran."""
    counts = [test.execution_count for test in tests if test.execution_count is not None]
    if cell.execution_count is None:
        return not counts
    return all(count > cell.execution_count for count in counts)


def is_untouched(cell: Cell) -> bool:
    """Whether the cell is as nbgrader released it: the checksum that it left is of this source.

    Versions before 0.3 summed up less; of their cells this is not known, and False.
    """
    metadata = nbgrader_metadata(cell)
    flags = (metadata.get(name) is True for name in ("grade", "solution", "locked"))
    parts = [cell.source, cell.cell_type, *map(str, flags), str(metadata.get("grade_id"))]
    if metadata.get("grade") is True:
        parts.append(str(_number(metadata.get("points")) or 0.0))
    text = "".join(parts).encode()
    return metadata.get("checksum") == hashlib.md5(text, usedforsecurity=False).hexdigest()


def text_of(value: Any) -> str | None:
    """The value if it is text."""
    return value if isinstance(value, str) and value else None


def texts(cells: list[Cell], field: str) -> tuple[str, ...]:
    """The field of each cell that has it."""
    return tuple(filter(None, (text_of(nbgrader_metadata(cell).get(field)) for cell in cells)))


def sum_of_points(cells: list[Cell]) -> float | None:
    """The points of all the cells, None where no cell says."""
    numbers = [_number(nbgrader_metadata(cell).get("points")) for cell in cells]
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _number(value: Any) -> float | None:
    """Points as a number, whatever their type.

    >>> _number("2.5"), _number(3), _number("two"), _number("nan")
    (2.5, 3.0, None, None)
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
