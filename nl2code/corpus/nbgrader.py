"""Solution cells of nbgrader courses, each with its prompt, its tests and what they say."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from nl2code.corpus.autograder import checks_something, same_test, uses_any
from nl2code.corpus.boilerplate import has_solution_marks, is_unanswered
from nl2code.corpus.filters import is_python
from nl2code.corpus.targets import digest
from nl2code.markdown import nl_tokens
from nl2code.python_code import NotPython, names_defined
from nl2code.records import Cell, Notebook

NEWEST_SCHEMA = 3
_TELLING_WORDS = 5
_ERRORS = ("error", "pyerr")

Role = Literal["release", "instructor", "submission"]


@dataclass(frozen=True, slots=True)
class SolutionCell:
    """A cell that an autograder grades, whoever wrote it."""

    repo: str
    path: str
    commit: str | None
    license: str | None
    cell_index: int
    prompt: str
    """The nearest markdown above that no student was asked to write."""
    prompt_index: int
    prompt_key: str
    """The prompt's words in lower case; of a short one ("Exercise 1") those above it as well."""
    problem_key: str
    """Equal for cells of equal prompts and tests; `problem_groups` says which keys belong."""
    source: str
    role: Role
    passed: bool
    """Each test cell ran, and none of its outputs is an error; of the cell itself none either."""
    failed: bool
    """Some test cell's output is an error."""
    vetted: bool
    """The tests are as they were released: each one's checksum is right."""
    grade_id: str | None
    points: float | None
    """Of the solution and its tests together."""
    tests: tuple[str, ...]
    """Sources of the autograder cells below that belong to this solution."""
    test_ids: tuple[str, ...]
    test_checksums: tuple[str, ...]
    checksum: str | None
    notebook_key: str


def solution_cells(notebook: Notebook, drops: Counter[str]) -> Iterator[SolutionCell]:
    """Yield the notebook's autograded solution cells; count the others by reason.

    Reasons: `not_python`, `schema_too_new`, `manually_graded`, `no_prompt`.
    """
    places = [index for index, cell in enumerate(notebook.cells) if _is_solution(cell)]
    if not places:
        return
    if not is_python(notebook):
        drops["not_python"] += len(places)
        return
    notebook_key = digest(part for cell in notebook.cells for part in (cell.cell_type, cell.source))
    owned = dict(zip(places, _tests_of(notebook, places), strict=True))
    ordinals: Counter[int] = Counter()
    for index in places:
        reason = _why_not(notebook.cells[index])
        prompt_index = _prompt_above(notebook, index)
        if reason or prompt_index is None:
            drops[reason or "no_prompt"] += 1
            continue
        ordinals[prompt_index] += 1
        place = f"{notebook.path.rsplit('/', 1)[-1]} {ordinals[prompt_index]}"
        yield _solution_cell(notebook, index, prompt_index, owned[index], place, notebook_key)


def _is_solution(cell: Cell) -> bool:
    return cell.cell_type == "code" and _nbgrader(cell).get("solution") is True


def _nbgrader(cell: Cell) -> dict[str, Any]:
    metadata = cell.metadata.get("nbgrader")
    return metadata if isinstance(metadata, dict) else {}


def _why_not(cell: Cell) -> str | None:
    metadata = _nbgrader(cell)
    version = metadata.get("schema_version")
    if isinstance(version, int) and version > NEWEST_SCHEMA:
        return "schema_too_new"
    return "manually_graded" if metadata.get("grade") is True else None


def _is_test(cell: Cell) -> bool:
    """Whether the cell grades by itself, locked or not; a manually graded answer does not."""
    metadata = _nbgrader(cell)
    return (
        cell.cell_type == "code"
        and metadata.get("grade") is True
        and metadata.get("solution") is not True
        and checks_something(cell.source)
    )


def _tests_of(notebook: Notebook, places: list[int]) -> list[list[Cell]]:
    """The test cells between each solution and the next.

    A solution directly followed by another shares the other's tests that use what it defines.
    """
    ends = [*places[1:], len(notebook.cells)]
    found = [
        [cell for cell in notebook.cells[place:end] if _is_test(cell)]
        for place, end in zip(places, ends, strict=True)
    ]
    for earlier, later in reversed(list(pairwise(range(len(places))))):
        if not found[earlier]:
            names = _defined(notebook.cells[places[earlier]].source)
            found[earlier] = [cell for cell in found[later] if uses_any(cell.source, names)]
    return found


def _defined(source: str) -> frozenset[str]:
    try:
        names = names_defined(source)
    except NotPython:
        return frozenset()
    return frozenset(names.variables) | frozenset(names.methods)


def _prompt_above(notebook: Notebook, index: int) -> int | None:
    for above in range(index - 1, -1, -1):
        cell = notebook.cells[above]
        # A markdown cell that is a solution holds a student's words, not the question.
        if cell.cell_type == "markdown" and _nbgrader(cell).get("solution") is not True:
            return above if nl_tokens(cell.source) else None
    return None


def _prompt_key(notebook: Notebook, prompt_index: int) -> str:
    """The words of the prompt, with those of the prompts above as long as these are few."""
    words: list[str] = []
    for cell in reversed(notebook.cells[: prompt_index + 1]):
        if cell.cell_type == "markdown" and _nbgrader(cell).get("solution") is not True:
            words = cell.source.lower().split() + words
        if len(words) >= _TELLING_WORDS:
            break
    return " ".join(words)


def _solution_cell(
    notebook: Notebook,
    index: int,
    prompt_index: int,
    tests: list[Cell],
    place: str,
    notebook_key: str,
) -> SolutionCell:
    cell = notebook.cells[index]
    sources = tuple(test.source for test in tests)
    prompt_key = _prompt_key(notebook, prompt_index)
    grade_id = _text(_nbgrader(cell).get("grade_id"))
    # Without tests only the file's name and the ids tell one "Your answer:" from another.
    place = "" if tests else f"{place} {grade_id}"
    return SolutionCell(
        repo=notebook.repo,
        path=notebook.path,
        commit=notebook.commit,
        license=notebook.license,
        cell_index=index,
        prompt=notebook.cells[prompt_index].source,
        prompt_index=prompt_index,
        prompt_key=prompt_key,
        problem_key=digest((prompt_key, place, *map(same_test, sources))),
        source=cell.source,
        role=_role(cell),
        passed=bool(tests) and all(map(_ran, tests)) and not any(map(_erred, [cell, *tests])),
        failed=any(map(_erred, tests)),
        vetted=bool(tests) and all(map(is_untouched, tests)),
        grade_id=grade_id,
        points=_sum_of_points([cell, *tests]),
        tests=sources,
        test_ids=_texts(tests, "grade_id"),
        test_checksums=_texts(tests, "checksum"),
        checksum=_text(_nbgrader(cell).get("checksum")),
        notebook_key=notebook_key,
    )


def _role(cell: Cell) -> Role:
    if has_solution_marks(cell.source):
        return "instructor"
    return "release" if is_unanswered(cell.source) or is_untouched(cell) else "submission"


def _ran(cell: Cell) -> bool:
    return cell.execution_count is not None or bool(cell.outputs)


def _erred(cell: Cell) -> bool:
    return any(output.get("output_type") in _ERRORS for output in cell.outputs)


def is_untouched(cell: Cell) -> bool:
    """Whether the cell is as nbgrader released it: the checksum that it left is of this source.

    Versions before 0.3 summed up less; of their cells this is not known, and False.
    """
    metadata = _nbgrader(cell)
    flags = (metadata.get(name) is True for name in ("grade", "solution", "locked"))
    parts = [cell.source, cell.cell_type, *map(str, flags), str(metadata.get("grade_id"))]
    if metadata.get("grade") is True:
        parts.append(str(_number(metadata.get("points")) or 0.0))
    text = "".join(parts).encode()
    return metadata.get("checksum") == hashlib.md5(text, usedforsecurity=False).hexdigest()


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(cells: list[Cell], field: str) -> tuple[str, ...]:
    return tuple(filter(None, (_text(_nbgrader(cell).get(field)) for cell in cells)))


def _number(value: Any) -> float | None:
    """Points as a number, whatever their type.

    >>> _number("2.5"), _number(3), _number("two")
    (2.5, 3.0, None)
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _sum_of_points(cells: list[Cell]) -> float | None:
    numbers = [_number(_nbgrader(cell).get("points")) for cell in cells]
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
