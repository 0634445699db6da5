"""The problems found in nbgrader courses beside those that the authors' pipeline finds there.

python benchmarks/curated.py ../shared/data/notebooks/nbgrader ../shared/data/goldens/curated
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nl2code.corpus.nbgrader.cells import SolutionCell, solution_cells
from nl2code.corpus.nbgrader.groups import problem_groups, problem_key
from nl2code.corpus.nbgrader.submissions import Problem, problems
from nl2code.errors import UserError, run_program
from nl2code.jsonl import read_jsonl
from nl2code.notebooks import UnreadableNotebook
from nl2code.python_code import NotPython, analyse, why_not_a_target
from nl2code.sources import find_notebooks

Place = tuple[str, str, int]


def main() -> None:
    """Print the funnel, and why problems are found on one side only."""
    if len(sys.argv) != 3:
        raise UserError("usage: python benchmarks/curated.py NOTEBOOKS GOLDENS")
    notebooks, goldens = map(Path, sys.argv[1:])
    rows = list(read_jsonl(goldens / "problems.jsonl"))
    theirs = {place_of(row) for row in rows if row["kind"] == "nbgrader"}
    funnel: Counter[str] = Counter()
    cells = grouped_cells(notebooks, funnel)
    found = list(problems(cells, 0, funnel))
    Console().print(
        counts("Notebooks, cells, groups", funnel | Counter(problems=len(found))),
        counts("Only the authors'", only_theirs(theirs, cells, found)),
        counts("Only ours", only_ours(theirs, cells, found)),
    )


def place_of(row: dict[str, str]) -> Place:
    """Where a row's target stands."""
    return row["repo"], row["path"], int(row["cell_index"])


def grouped_cells(folder: Path, funnel: Counter[str]) -> list[SolutionCell]:
    """All solution cells below the folder, sorted by their groups."""
    cells = list(read_cells(folder, funnel))
    groups = problem_groups(map(problem_key, cells))
    named = (replace(cell, problem_key=groups[cell.problem_key]) for cell in cells)
    return sorted(named, key=lambda cell: cell.problem_key)


def read_cells(folder: Path, funnel: Counter[str]) -> Iterator[SolutionCell]:
    """Yield the solution cells of the notebooks that can be read."""
    for raw in find_notebooks([folder]):
        funnel["notebooks"] += 1
        try:
            for cell in solution_cells(raw.read(), funnel):
                funnel[f"{cell.role} cells"] += 1
                yield cell
        except UnreadableNotebook as error:
            funnel[error.reason] += 1


def only_theirs(
    theirs: set[Place], cells: list[SolutionCell], found: list[Problem]
) -> Counter[str]:
    """Why a target of theirs is none of ours; `agreed` are the same problems on both sides."""
    groups = {problem.cell.problem_key for problem in found}
    at = {(cell.repo, cell.path, cell.cell_index): cell for cell in cells}
    causes: Counter[str] = Counter()
    for place in theirs:
        cell = at.get(place)
        if cell is None:
            causes["no solution cell with a prompt"] += 1
        elif cell.problem_key in groups:
            chosen = {(p.cell.repo, p.cell.path, p.cell.cell_index) for p in found}
            causes["agreed" if place in chosen else "agreed, another submission drawn"] += 1
        else:
            causes[cause(cell)] += 1
    return causes


def cause(cell: SolutionCell) -> str:
    """Why the cell has not passed, in words."""
    if not cell.tests:
        return "no test below that checks anything"
    if cell.passed:
        return "a ticked answer, or tests that differ"
    return "a test failed" if cell.failed else "tests never ran; theirs count as passed"


def only_ours(theirs: set[Place], cells: list[SolutionCell], found: list[Problem]) -> Counter[str]:
    """Why a problem of ours is none of theirs, who check the whole cell and need a grade_id."""
    groups = {c.problem_key for c in cells if (c.repo, c.path, c.cell_index) in theirs}
    ours = (problem.cell for problem in found if problem.cell.problem_key not in groups)
    return Counter(
        "no grade_id on the solution" if cell.grade_id is None else f"target: {why_not(cell)}"
        for cell in ours
    )


def why_not(cell: SolutionCell) -> str:
    """Why the whole cell is no target."""
    try:
        return why_not_a_target(analyse(cell.source)) or "fine; cause not traced"
    except NotPython as error:
        return error.reason


def counts(title: str, counter: Counter[str]) -> Table:
    """The counts as a table, the most frequent first."""
    table = Table(title, "count")
    for name, count in counter.most_common():
        table.add_row(name, str(count))
    return table


if __name__ == "__main__":
    run_program(main)
