"""Solution cells of nbgrader courses, each with its prompt, its tests and what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from nl2code.corpus.digests import digest, notebook_key
from nl2code.corpus.filters import is_python
from nl2code.corpus.nbgrader.autograder import same_test, uses_any
from nl2code.corpus.nbgrader.boilerplate import has_solution_marks
from nl2code.corpus.nbgrader.graded import (
    has_erred,
    has_run,
    is_solution,
    is_test,
    is_untouched,
    nbgrader_metadata,
    ran_last,
    sum_of_points,
    text_of,
    texts,
    why_not_autograded,
)
from nl2code.corpus.nbgrader.placeholders import is_unanswered
from nl2code.corpus.nbgrader.surroundings import NamesAbove, cells_added
from nl2code.markdown import nl_tokens
from nl2code.python_code import NotPython, names_defined
from nl2code.records import Cell, Notebook

_TELLING_WORDS = 5

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
    fresh: bool
    """No test ran before the cell's last run, as far as the execution counts tell."""
    undefined: bool
    """It uses a name that no code above it has: what passed was not this cell as it stands."""
    cells_added: int
    """Code cells that nbgrader does not know, from the prompt to the tests."""
    vetted: bool
    """The tests are as they were released: each one's checksum is right."""
    grade_id: str | None
    points: float | None
    """Of the solution and its tests together."""
    tests: tuple[str, ...]
    """Sources of the autograder cells below that belong to this solution."""
    test_keys: tuple[str, ...]
    """A digest of what `same_test` says of each."""
    test_ids: tuple[str, ...]
    test_checksums: tuple[str, ...]
    checksum: str | None
    notebook_key: str


def solution_cells(notebook: Notebook, drops: Counter[str]) -> Iterator[SolutionCell]:
    """Yield the notebook's autograded solution cells; count the others by reason.

    Reasons: `not_python`, `schema_too_new`, `manually_graded`, `no_prompt`.
    """
    places = [index for index, cell in enumerate(notebook.cells) if is_solution(cell)]
    if not places:
        return
    if not is_python(notebook):
        drops["not_python"] += len(places)
        return
    key = notebook_key(notebook)
    owned = dict(zip(places, _tests_of(notebook, places), strict=True))
    ordinals: Counter[int] = Counter()
    above, start = NamesAbove(), 0
    for index in places:
        above.read(notebook.cells[start:index])
        start = index
        reason = why_not_autograded(notebook.cells[index])
        prompt_index = _prompt_above(notebook, index)
        if reason or prompt_index is None:
            drops[reason or "no_prompt"] += 1
            continue
        ordinals[prompt_index] += 1
        place = f"{notebook.path.rsplit('/', 1)[-1]} {ordinals[prompt_index]}"
        undefined = above.lack(notebook.cells[index].source)
        where = (index, prompt_index, place)
        yield _solution_cell(notebook, where, owned[index], undefined, key)


def _tests_of(notebook: Notebook, places: list[int]) -> list[list[Cell]]:
    """The test cells between each solution and the next.

    A solution without tests of its own shares those of the next one that use what it defines.
    """
    ends = [*places[1:], len(notebook.cells)]
    found = [
        [cell for cell in notebook.cells[place + 1 : end] if is_test(cell)]
        for place, end in zip(places, ends, strict=True)
    ]
    below: list[Cell] = []
    for number in reversed(range(len(places))):
        if found[number]:
            below = found[number]
        else:
            names = _defined(notebook.cells[places[number]].source)
            found[number] = [cell for cell in below if uses_any(cell.source, names)]
    return found


def _defined(source: str) -> frozenset[str]:
    try:
        names = names_defined(source)
    except NotPython:
        return frozenset()
    return frozenset(names.variables) | frozenset(names.methods)


def _prompt_above(notebook: Notebook, index: int) -> int | None:
    for above in range(index - 1, -1, -1):
        if _is_question(notebook.cells[above]) and _has_words(notebook.cells[above].source):
            return above
    return None


def _is_question(cell: Cell) -> bool:
    # A markdown cell that is a solution holds a student's words.
    return cell.cell_type == "markdown" and nbgrader_metadata(cell).get("solution") is not True


def _has_words(markdown: str) -> bool:
    # Only what may vanish, images and HTML, needs the slow parse.
    if "<" in markdown or "![" in markdown:
        return bool(nl_tokens(markdown))
    return bool(markdown.strip())


def _prompt_key(notebook: Notebook, prompt_index: int) -> str:
    """The words of the prompt, with those of the prompts above as long as these are few."""
    words: list[str] = []
    for cell in reversed(notebook.cells[: prompt_index + 1]):
        if _is_question(cell):
            words = cell.source.lower().split() + words
        if len(words) >= _TELLING_WORDS:
            break
    return " ".join(words)


def _solution_cell(
    notebook: Notebook,
    where: tuple[int, int, str],
    tests: list[Cell],
    undefined: bool,
    notebook_key: str,
) -> SolutionCell:
    index, prompt_index, place = where
    cell = notebook.cells[index]
    sources = tuple(test.source for test in tests)
    prompt_key, said = _prompt_key(notebook, prompt_index), tuple(map(same_test, sources))
    grade_id = text_of(nbgrader_metadata(cell).get("grade_id"))
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
        problem_key=digest((prompt_key, place, *said)),
        source=cell.source,
        role=_role(cell),
        passed=bool(tests) and all(map(has_run, tests)) and not any(map(has_erred, [cell, *tests])),
        failed=any(map(has_erred, tests)),
        fresh=ran_last(cell, tests),
        undefined=undefined,
        cells_added=cells_added(notebook.cells, prompt_index, index),
        vetted=bool(tests) and all(map(is_untouched, tests)),
        grade_id=grade_id,
        # nbgrader counts no points of a cell that nothing grades, which old courses still state.
        points=sum_of_points([cell, *tests]) if tests else None,
        tests=sources,
        test_keys=tuple(digest([test]) for test in said),
        test_ids=texts(tests, "grade_id"),
        test_checksums=texts(tests, "checksum"),
        checksum=text_of(nbgrader_metadata(cell).get("checksum")),
        notebook_key=notebook_key,
    )


def _role(cell: Cell) -> Role:
    if has_solution_marks(cell.source):
        return "instructor"
    return "release" if is_unanswered(cell.source) or is_untouched(cell) else "submission"
