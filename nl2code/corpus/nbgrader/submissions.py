"""Groups of solution cells → problems: the right submissions, one of them, what was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from nl2code.corpus.digests import digest
from nl2code.corpus.nbgrader.additions import adds_nothing
from nl2code.corpus.nbgrader.autograder import has_hidden_tests
from nl2code.corpus.nbgrader.boilerplate import mixes_given, split_given, split_marked
from nl2code.corpus.nbgrader.cells import SolutionCell
from nl2code.corpus.nbgrader.groups import EDITED_PROMPT
from nl2code.corpus.nbgrader.placeholders import is_code, is_multiple_choice


@dataclass(frozen=True, slots=True)
class Problem:
    """A prompt, one right answer to it, and how many were handed in."""

    cell: SolutionCell
    """The chosen submission; its tests are the fullest of the group, hidden ones included."""
    code: str
    """The answer without boilerplate, at the margin."""
    boilerplate_code: str
    submissions: int
    correct: int


def problems(cells: Iterable[SolutionCell], seed: int, drops: Counter[str]) -> Iterator[Problem]:
    """Yield a problem for each group that has a right answer; count the others by reason.

    The cells come sorted by `problem_key`, their group's; one group is in memory at a time. The
    order within a group changes nothing.

    Reasons: `edited_prompt` (cells); `only_released`, `no_tests`, `tests_never_ran`,
    `tests_failed`, `tests_edited`, `failed_elsewhere`, `undefined_name`, `no_answer_left`,
    `mixed_with_given`, `multiple_choice` (groups).
    """
    for key, members in groupby(cells, lambda cell: cell.problem_key):
        group = sorted(members, key=_place)
        if key == EDITED_PROMPT:
            drops["edited_prompt"] += len(group)
            continue
        problem = _problem(group, seed)
        if isinstance(problem, Problem):
            yield problem
        else:
            drops[problem] += 1


def _place(cell: SolutionCell) -> tuple[str, str, int, str]:
    # Two notebooks may have one path; the key orders them.
    return cell.repo, cell.path, cell.cell_index, cell.notebook_key


def _problem(group: list[SolutionCell], seed: int) -> Problem | str:
    right = right_answers(group)
    if isinstance(right, str):
        return right
    prompts = Counter(cell.prompt_key for cell in group)
    usual = max(prompts, key=lambda prompt: (prompts[prompt], prompt))
    chosen = min(right, key=lambda cell: (_rank(cell, usual), _draw(cell, seed)))
    code, boilerplate = _split(chosen, group)
    if mixes_given(code, boilerplate):
        return "mixed_with_given"
    if is_multiple_choice(chosen.prompt, code):
        return "multiple_choice"
    return Problem(
        cell=replace(chosen, tests=_fullest_tests(chosen, group)),
        code=code,
        boilerplate_code=boilerplate,
        submissions=len({cell.notebook_key for cell in group if cell.role != "release"}),
        correct=len({cell.notebook_key for cell in right}),
    )


def _rank(cell: SolutionCell, usual_prompt: str) -> tuple[bool, bool, int, bool]:
    """Python first, then the usual prompt, no cells of one's own, tests that ran after the answer.

    Not the draw alone: an answer spread over cells of one's own is a part of an answer.
    """
    is_odd = cell.prompt_key != usual_prompt
    return not is_code(cell.source), is_odd, cell.cells_added, not cell.fresh


def _draw(cell: SolutionCell, seed: int) -> str:
    return digest((str(seed), cell.repo, cell.path, str(cell.cell_index), cell.source))


def right_answers(group: list[SolutionCell]) -> list[SolutionCell] | str:
    """The instructors' answers and the right submissions, or why there are none.

    A submission is right when its tests passed after its last run, no test is missing or changed,
    the same answer failed nowhere else (but hidden tests decide), and it uses no name that stands
    nowhere above it: what passed then was a cell since deleted or edited. Neither is right where it
    adds nothing to what was given.
    """
    instructors = [cell for cell in group if cell.role == "instructor" and not cell.failed]
    submitted = [cell for cell in group if cell.role == "submission"]
    tested = [cell for cell in submitted if cell.tests]
    passed = [cell for cell in tested if cell.passed and cell.fresh]
    versions = _trusted_tests(group)
    unedited = [cell for cell in passed if any(v <= _tests(cell) for v in versions)]
    refuted = {_answer(cell) for cell in tested if cell.failed}
    unrefuted = [cell for cell in unedited if _hidden(cell) or _answer(cell) not in refuted]
    right = [cell for cell in unrefuted if not cell.undefined]
    if instructors or right:
        given = _releases(group)
        added = [one for one in instructors + right if not adds_nothing(*_answered(one, given))]
        return added or "no_answer_left"
    if not tested:
        return "no_tests" if submitted else "only_released"
    if not passed:
        return "tests_failed" if any(cell.failed for cell in tested) else "tests_never_ran"
    if unrefuted:
        return "undefined_name"
    return "failed_elsewhere" if unedited else "tests_edited"


def _tests(cell: SolutionCell) -> frozenset[str]:
    return frozenset(cell.test_keys)


def _hidden(cell: SolutionCell) -> bool:
    return any(map(has_hidden_tests, cell.tests))


def _answer(cell: SolutionCell) -> str:
    return " ".join(cell.source.split())


def _trusted_tests(group: list[SolutionCell]) -> set[frozenset[str]]:
    """The sets of tests that no student edited: the instructors', or those of two repositories.

    Where checksums alone vouch for a set, part of another set will not do: a test may be gone.
    Where nothing vouches for any, the most usual ones are trusted.
    """
    repos: dict[frozenset[str], set[str]] = {}
    for cell in group:
        repos.setdefault(_tests(cell), set()).add(cell.repo)
    vouched = {_tests(cell) for cell in group if cell.role != "submission"}
    vouched |= {version for version, found in repos.items() if len(found) > 1}
    vouched -= {frozenset()}
    vetted = {_tests(cell) for cell in group if cell.vetted}
    vouched |= {one for one in vetted if not any(one < other for other in vetted | vouched)}
    if vouched:
        return vouched
    counts = Counter(tests for cell in group if (tests := _tests(cell)))
    return {tests for tests, count in counts.items() if count == max(counts.values())}


def _fullest_tests(chosen: SolutionCell, group: list[SolutionCell]) -> tuple[str, ...]:
    same = [cell.tests for cell in group if _tests(cell) == _tests(chosen)]
    return max(same, key=lambda tests: (sum(map(has_hidden_tests, tests)), tests == chosen.tests))


def _answered(cell: SolutionCell, releases: list[str]) -> tuple[str, list[str]]:
    """The cell's source, and what it may have been given: an instructor's, the cell around it."""
    if cell.role == "instructor":
        return cell.source, [split_marked(cell.source)[1]]
    return cell.source, releases


def _releases(group: list[SolutionCell]) -> list[str]:
    releases = {cell.source for cell in group if cell.role == "release"}
    marked = {split_marked(cell.source)[1] for cell in group if cell.role == "instructor"}
    return sorted(releases or marked)


def _split(chosen: SolutionCell, group: list[SolutionCell]) -> tuple[str, str]:
    if chosen.role == "instructor":
        return split_marked(chosen.source)
    others = {
        _answer(cell): cell.source
        for cell in group
        if cell.role == "submission" and _answer(cell) != _answer(chosen)
    }
    return split_given(chosen.source, _releases(group), others.values())
