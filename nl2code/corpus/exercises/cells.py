"""Exercise problems: the cells that a solution notebook fills in (paper, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter

from nl2code.corpus.digests import digest
from nl2code.corpus.exercises.alignment import Gaps, align
from nl2code.corpus.exercises.pairing import cell_key, normal_source
from nl2code.corpus.exercises.stubs import (
    MAX_CHARACTERS,
    code_tokens,
    given_lines,
    only_says_solution,
    whole_stub,
    why_no_answer,
    without_marker,
)
from nl2code.corpus.filters import is_python
from nl2code.records import Cell, Notebook

_MAX_CELLS = 16
"""Below one prompt: each answer is compared with each stub."""


@dataclass(frozen=True, slots=True)
class ExerciseCell:
    """A code cell of a solution notebook which the exercise leaves to the reader."""

    repo: str
    path: str
    """Of the solution notebook."""
    commit: str | None
    license: str | None
    cell_index: int
    prompt: str
    """The nearest markdown above, which the exercise has too."""
    prompt_index: int
    source: str
    """The solution's cell, without a comment on top that only says that it is one."""
    boilerplate_code: str
    """The lines of the exercise's cell that the solution keeps, placeholders aside."""
    stub: str | None
    """The exercise's cell, or None where it has other code; empty where it tells nothing."""
    exercise_path: str
    confirmation_key: str
    """What is found again in other repositories: the prompt and the solution's code.

    Not the notebook as a whole: each year's course has another title.
    """


def exercise_cells(
    exercise: Notebook, solution: Notebook, drops: Counter[str]
) -> Iterator[ExerciseCell]:
    """Yield the code cells of the solution that the exercise lacks, or has as a stub.

    Cells may have been inserted, removed or split in either. Reasons to drop one: `not_python`
    (the notebook), `no_prompt`, `prompt_not_in_exercise`, those of `why_no_answer`, and
    `split_answer`: more cells answer the prompt than the exercise leaves open, none of them alone.
    """
    if not (is_python(exercise) and is_python(solution)):
        drops["not_python"] += 1
        return
    places = align(exercise.cells, solution.cells)
    gaps = Gaps(places, len(exercise.cells))
    known = frozenset(map(cell_key, exercise.cells))
    for prompt_index, group in groupby(_code_below_prompts(solution.cells), itemgetter(1)):
        new = [index for index, _ in group if cell_key(solution.cells[index]) not in known]
        if not new:
            continue
        if reason := _why_no_prompt(prompt_index, places):
            drops[reason] += len(new)
        elif len(new) > _MAX_CELLS:
            drops["split_answer"] += len(new)
        else:
            stubs = {index: _stubs(exercise.cells, gaps.at(index)) for index in new}
            for index in _answers(solution.cells, stubs, drops):
                yield _exercise_cell(exercise, solution, index, prompt_index, stubs[index])


def _answers(
    cells: Sequence[Cell], stubs: Mapping[int, Sequence[Cell]], drops: Counter[str]
) -> list[int]:
    """Those of the cells below one prompt which answer it; `stubs` has those of each."""
    reasons = {index: why_no_answer(cells[index], stubs[index]) for index in stubs}
    drops.update(reason for reason in reasons.values() if reason)
    answers = [index for index, reason in reasons.items() if reason is None]
    if all(len(answers) <= max(1, len(stubs[index])) for index in answers):
        return answers
    drops["split_answer"] += len(answers)
    return []


def _code_below_prompts(cells: Sequence[Cell]) -> Iterator[tuple[int, int]]:
    """Yield each code cell's index, and of the nearest markdown above; -1 where there is none."""
    prompt = -1
    for index, cell in enumerate(cells):
        if cell.cell_type == "code" and normal_source(cell):
            yield index, prompt
        elif cell.cell_type == "markdown" and normal_source(cell):
            prompt = prompt if only_says_solution(cell.source) else index


def _stubs(cells: Sequence[Cell], gap: range) -> list[Cell]:
    """The code cells of the exercise that the solution's cell may fill in."""
    code = (cells[i] for i in gap if cells[i].cell_type == "code")
    return [cell for cell in islice(code, _MAX_CELLS) if len(cell.source) <= MAX_CHARACTERS]


def _why_no_prompt(prompt_index: int, places: Mapping[int, int]) -> str | None:
    if prompt_index < 0:
        return "no_prompt"
    return None if prompt_index in places else "prompt_not_in_exercise"


def _exercise_cell(
    exercise: Notebook, solution: Notebook, index: int, prompt_index: int, stubs: Sequence[Cell]
) -> ExerciseCell:
    cell, prompt = solution.cells[index], solution.cells[prompt_index]
    code = " ".join(token.text for token in code_tokens(cell.source))
    return ExerciseCell(
        repo=solution.repo,
        path=solution.path,
        commit=solution.commit,
        license=solution.license,
        cell_index=index,
        prompt=prompt.source,
        prompt_index=prompt_index,
        source=without_marker(cell.source),
        boilerplate_code=given_lines(stubs, cell),
        stub=whole_stub(stubs, cell),
        exercise_path=exercise.path,
        confirmation_key=digest((normal_source(prompt), code)),
    )
