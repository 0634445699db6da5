"""A curated problem → the dataset's row, with the training checks (paper, section 3.2)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from nl2code.corpus.digests import notebook_key
from nl2code.corpus.exercises import pairing
from nl2code.corpus.exercises.pairing import normal_source
from nl2code.corpus.given_names import from_outside
from nl2code.corpus.held_texts import TELLING
from nl2code.corpus.names import Scope
from nl2code.corpus.near_duplicates import cell_key, keys_shown
from nl2code.corpus.remembered import target_of
from nl2code.corpus.targets import TargetRules, example
from nl2code.python_code import NotPython, analyse, imports, strip_magics
from nl2code.python_code.parsing import read_python
from nl2code.python_code.python2 import futures, python_version, to_python3
from nl2code.records import Cell, Notebook

_DATA_LITERALS = 10
_MOST = 0.8


@dataclass(frozen=True, slots=True)
class Curated:
    """A problem that was found: where its target stands, and what was found out about it."""

    source: Literal["nbgrader", "exercise"]
    name: str
    """Of the problem, whichever submission or copy of it was chosen."""
    assignment: str
    """Problems of one notebook have one assignment, and go to one split."""
    cell_index: int
    prompt: str
    code: str
    """The target, boilerplate apart."""
    boilerplate_code: str
    tests: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def curated_example(notebook: Notebook, problem: Curated, rules: TargetRules) -> dict[str, Any]:
    """Return the row of a problem in `notebook`; its code in Python 3, as all targets.

    The boilerplate stands in the context as a cell of its own, directly above the target.

    Raises:
        NotPython: The reason why it is no target.
    """
    above = notebook.cells[: problem.cell_index]
    given = problem.boilerplate_code if problem.boilerplate_code.strip() else ""
    if given:
        above = (*above, Cell("code", given))
    code = [(index, cell.source) for index, cell in enumerate(above) if cell.cell_type == "code"]
    version = python_version(notebook.kernel, notebook.language_version)
    future = futures(source for _, source in code)
    stripped = strip_magics(problem.code)
    analysis = analyse(to_python3(stripped, is_python2=version == 2, future=future))
    target = target_of(analysis, truncate=rules.truncate)
    reason = target.why_not_below(problem.prompt)
    if reason := reason or why_unknowable(target.code, (cell.source for cell in above)):
        raise NotPython(reason)
    used = from_outside(target.names_used, target.code, given)
    scope = Scope(version)
    for index, source in code:
        scope.add_source(source, index)
    target = replace(target, names_used=used)
    row = example(notebook, problem.cell_index, problem.prompt, target, scope)
    row["metadata"] |= {"source": problem.source, **problem.metadata}
    keys = [cell_key(cell.cell_type, cell.source) for cell in notebook.cells]
    return row | {
        "imports": imports(*(source for _, source in code), target.code),
        "boilerplate_code": given or None,
        "cell_keys": keys_shown(
            keys, problem.cell_index, target.code, rules.max_context_cells, given
        ),
        "tests": problem.tests,
        "held_cells": _held_cells(problem),
        "notebook_key": notebook_key(notebook),
        "assignment": problem.assignment,
    }


def why_unknowable(code: str, above: Iterable[str]) -> str | None:
    """Why nobody could tell the answer from the cells above, or None.

    Returns:
        `imports_alone`: which libraries are needed only the cells below say. `data_not_given`: it
        writes out data, ten different literals or more, most of which stand nowhere above.

    >>> why_unknowable("import pandas as pd", ["Import the necessary libraries."])
    'imports_alone'
    >>> why_unknowable(f"ages = {list(range(20, 40))}", ["Create the data."])
    'data_not_given'
    """
    _, tree = read_python(code)
    if all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body):
        return "imports_alone"
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    literals = {str(value) for value in constants if type(value) in (str, int, float)}
    text = "\n".join(above)
    new = sum(literal not in text for literal in literals)
    is_data = len(literals) >= _DATA_LITERALS and new >= _MOST * len(literals)
    return "data_not_given" if is_data else None


def _held_cells(problem: Curated) -> list[str]:
    """Pairing's keys of the prompt and the tests, short ones apart: they tell an assignment."""
    cells = [Cell("markdown", problem.prompt), *(Cell("code", test) for test in problem.tests)]
    return [pairing.cell_key(cell) for cell in cells if len(normal_source(cell)) >= TELLING]
