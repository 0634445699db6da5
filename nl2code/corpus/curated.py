"""Notebooks → curated problems: nbgrader assignments and exercises (paper, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from nl2code.corpus.curated_exercises import exercise_problems, pair_exercises
from nl2code.corpus.curated_nbgrader import nbgrader_problems
from nl2code.corpus.curated_rows import Curated, curated_example
from nl2code.corpus.held_out import HeldOut
from nl2code.corpus.notebook_parts import open_parts, read_notebook_row
from nl2code.corpus.parts import CANDIDATES, Groups, PartFile, Place
from nl2code.corpus.schema import CANDIDATE_SCHEMA
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import InOrder, chunks
from nl2code.python_code import NotPython

Row = dict[str, Any]

_PROBLEMS = "curated.parquet"
_AT_ONCE = 16
"""Problems for a worker."""


@dataclass(slots=True)
class Problems:
    """How many problems there are of each source, and what was dropped for which reason."""

    kept: Counter[str] = field(default_factory=Counter)
    drops: dict[str, Counter[str]] = field(
        default_factory=lambda: {"nbgrader": Counter(), "exercise": Counter()}
    )


def write_problems(
    connection: duckdb.DuckDBPyConnection,
    parts: Path,
    rules: TargetRules,
    held_out: HeldOut,
    in_order: InOrder = map,
) -> Problems:
    """Write the curated problems of the notebooks in `parts` to a file of candidates there.

    Grouping, choosing and pairing work on keys; a notebook is read back when it gives a problem.
    """
    found = Problems()
    open_parts(connection, parts)
    pair_exercises(connection, parts, found.drops["exercise"], in_order)
    sources = (
        nbgrader_problems(connection, held_out.seed, found.drops["nbgrader"]),
        exercise_problems(connection, held_out.min_repositories, found.drops["exercise"]),
    )
    problems = (one for source in sources for one in source)
    with PartFile(parts / CANDIDATES / _PROBLEMS, CANDIDATE_SCHEMA) as file:
        for chunk in in_order(partial(_rows, rules), chunks(problems, _AT_ONCE)):
            for source, row in chunk:
                if isinstance(row, str):
                    found.drops[source][row] += 1
                else:
                    found.kept[source] += 1
                    file.write([row])
    connection.execute(_ANSWERS)
    return found


def _rows(
    rules: TargetRules, problems: Sequence[tuple[Place, Curated]]
) -> list[tuple[str, Row | str]]:
    """The source of each problem, with its row or the reason why there is none."""
    groups = Groups()
    rows: list[tuple[str, Row | str]] = []
    for (file, place), problem in problems:
        where = {"notebook_file": Path(file).name, "notebook_row": place}
        try:
            row = curated_example(read_notebook_row(groups, file, place), problem, rules)
            rows.append((problem.source, row | where))
        except NotPython as error:
            rows.append((problem.source, error.reason))
    return rows


# Not only of the answers that were drawn: nothing of the others' notebooks may be in train.
_ANSWERS = """CREATE TABLE answers AS
    SELECT name AS problem, repo, path, cell_index, notebook_key
    FROM graded JOIN groups USING (problem_key)
    UNION ALL SELECT confirmation_key, repo, path, cell_index,
        unnest([notebook_key, exercise_key]) FROM pairs"""
