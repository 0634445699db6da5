"""The curated problems beside those that the authors' pipeline finds in the same notebooks.

python benchmarks/curated.py ../shared/data/notebooks ../shared/data/goldens/curated
"""

import sys
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from nl2code.corpus.curated_rows import Curated, curated_example
from nl2code.corpus.exercises.cells import exercise_cells
from nl2code.corpus.exercises.confirmation import forks_as_one
from nl2code.corpus.exercises.pairing import cell_keys, pairs
from nl2code.corpus.exercises.stubs import code_tokens
from nl2code.corpus.nbgrader.boilerplate import mixes_given, split_given
from nl2code.corpus.nbgrader.cells import solution_cells
from nl2code.corpus.nbgrader.graded import nbgrader_metadata
from nl2code.corpus.nbgrader.groups import problem_groups, problem_key
from nl2code.corpus.nbgrader.submissions import problems
from nl2code.corpus.targets import TargetRules
from nl2code.errors import UserError, run_program
from nl2code.jsonl import read_jsonl
from nl2code.notebooks import UnreadableNotebook
from nl2code.python_code import NotPython, analyse, why_not_a_target
from nl2code.sources import find_notebooks

UNKNOWN = "not told by the facts we have"
PLACE, GROUP = attrgetter("repo", "path", "cell_index"), attrgetter("problem_key")


def main():
    """Print both funnels, and the cause of each difference."""
    if len(sys.argv) != 3:
        raise UserError("usage: python benchmarks/curated.py NOTEBOOKS GOLDENS")
    source, goldens = map(Path, sys.argv[1:])
    for kind, look in (("nbgrader", nbgrader), ("exercises", exercises)):
        funnel, rows = Counter(), read_jsonl(goldens / "problems.jsonl")
        theirs = [row for row in rows if row["kind"] in kind]
        fates, causes, keys = look(list(read(source / kind, funnel)), theirs, funnel)
        lacking = sorted({key for key, fate in fates.items() if fate == "kept"} - set(keys))
        draw(f"{kind}: our funnel", funnel + Counter(fates.values()))
        draw(f"{kind}: what became of their {len(theirs)}", Counter(map(fates.get, keys)))
        draw(f"{kind}: why they lack {len(lacking)} of ours", Counter(map(causes.get, lacking)))


def read(folder, funnel):
    """Yield the notebooks that can be read."""
    for raw in find_notebooks([folder]):
        try:
            yield raw.read()
        except UnreadableNotebook as error:
            funnel[error.reason] += 1


def nbgrader(notebooks, theirs, funnel):
    """What becomes of each group, why the authors lack it, and the groups of their problems."""
    book = {PLACE(cell): (one, cell) for one in notebooks for cell in solution_cells(one, funnel)}
    groups = problem_groups(problem_key(cell) for _, cell in book.values())
    cells = [replace(cell, problem_key=groups[cell.problem_key]) for _, cell in book.values()]
    fates, causes = {}, {}
    for key, members in groupby(sorted(cells, key=GROUP), GROUP):
        group, drops = list(members), Counter()
        for one in problems(group, 0, drops):
            fates[key] = fate(book[PLACE(one.cell)][0], one.cell, one.code, one.boilerplate_code)
        fates.setdefault(key, min(drops, default=""))
        causes[key] = cause([why_not(*book[PLACE(c)]) for c in group if c.role != "release"], 1)
    keys = {PLACE(cell): cell.problem_key for cell in cells}
    return fates, causes, [keys.get((r["repo"], r["path"], r["cell_index"])) for r in theirs]


def exercises(notebooks, theirs, funnel):
    """What becomes of each solution, why the authors lack it, and theirs, told by their code."""
    books, copies, why = defaultdict(dict), defaultdict(list), defaultdict(dict)
    fates, known = {}, {}
    for one in notebooks:
        books[one.repo][cell_keys(one)] = one
    for repo, keyed in sorted(books.items()):
        for one, other in pairs(list(keyed), funnel):
            for cell in exercise_cells(keyed[one], keyed[other], funnel):
                copies[cell.confirmation_key].append((cell, keyed[other]))
                why[cell.confirmation_key][repo] = why_no_exercise(cell, keyed[one], keyed[other])
    families = forks_as_one({(c.repo, c.commit) for cells in copies.values() for c, _ in cells})
    for key, cells in sorted(copies.items(), key=lambda item: len(why[item[0]])):
        others = len({families[cell.repo] for cell, _ in cells}) - 1
        fates[key] = f"in {others} other repositories"
        if others >= 2:
            cell, book = min(cells, key=lambda c: (c[0].stub is None, len(c[0].boilerplate_code)))
            fates[key] = fate(book, cell, *split_given(cell.source, {cell.stub or ""}, ()))
            if cell.stub is None and cell.boilerplate_code:
                fates[key] = "other_given_code"
        known[tuple(code_tokens(cells[0][0].source))] = key
    causes = {key: cause(list(of.values()), 2) for key, of in why.items()}
    return fates, causes, [known.get(tuple(code_tokens(row["code"]))) for row in theirs]


def fate(notebook, cell, code, given):
    """`kept`, or why the problem's row fails the checks."""
    problem = Curated("exercise", "", "", cell.cell_index, cell.prompt, code, given)
    try:
        row = not mixes_given(code, given) and curated_example(notebook, problem, TargetRules())
    except NotPython as error:
        return error.reason
    return "kept" if row else "mixed_with_given"


def cause(causes, needed):
    """The usual cause, unless as many cells as they need have none that we know."""
    known = Counter(one for one in causes if one != UNKNOWN).most_common(1) or [(UNKNOWN, 0)]
    return UNKNOWN if causes.count(UNKNOWN) >= needed else known[0][0]


def why_not(notebook, cell):
    """Why the authors' pipeline would not take this nbgrader cell: they have none such."""
    if not {"grade_id", "locked"} <= nbgrader_metadata(notebook.cells[cell.cell_index]).keys():
        return "no `grade_id` or no `locked`"
    near = cell.cell_index - cell.prompt_index <= 3
    return why_no_target(cell.source) if near else "prompt more than 3 cells above"


def why_no_exercise(cell, exercise, solution):
    """Why the authors' pipeline would not take this exercise's cell, by its rules."""
    if len(exercise.cells) != len(solution.cells):
        return "notebooks of unequal length"
    if cell.stub or cell.boilerplate_code:
        return "the exercise's cell is not empty"
    one, other = ({cell.source for cell in book.cells} for book in (exercise, solution))
    near = len(one & other) <= 0.59 * len(one | other)  # 128 permutations err by 0.09
    return "half of the cells alike, as MinHash tells" if near else why_no_target(cell.source)


def why_no_target(source):
    """Why the whole cell is no target, where the authors' pipeline checks the whole."""
    try:
        reason = why_not_a_target(analyse(source))
    except NotPython as error:
        reason = error.reason
    return f"whole cell: {reason}" if reason else UNKNOWN


def draw(title, counter):
    """Print the counts as a table, the most frequent first."""
    print(f"\n{title}")
    print(*(f"{n:8,}  {name}" for name, n in counter.most_common()), sep="\n")


if __name__ == "__main__":
    run_program(main)
