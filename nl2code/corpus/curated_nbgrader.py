"""Graded cells → nbgrader problems: grouped, one answer drawn for each (paper, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import duckdb
import pyarrow as pa

from nl2code.corpus.curated_rows import Curated
from nl2code.corpus.exercises.confirmation import forks_as_one
from nl2code.corpus.nbgrader.groups import problem_groups, problem_key
from nl2code.corpus.nbgrader.submissions import Problem, problems
from nl2code.corpus.notebook_parts import GRADED_SCHEMA, graded_cells
from nl2code.corpus.parts import Place


def nbgrader_problems(
    connection: duckdb.DuckDBPyConnection, seed: int, drops: Counter[str]
) -> Iterator[tuple[Place, Curated]]:
    """Yield each problem with the place of its answer's notebook; make the table `groups`."""
    # All columns in the end: cells of equal places may differ in their outputs alone.
    rest = ", ".join(GRADED_SCHEMA.names)
    order = f"repo, notebook_key, path, cell_index, {rest}"
    cells = graded_cells(connection, f"FROM graded ORDER BY {order}")
    groups = problem_groups(map(problem_key, cells))
    table = pa.table({"problem_key": list(groups), "name": list(groups.values())})
    connection.register("groups", table)
    named = """FROM (SELECT graded.* REPLACE (name AS problem_key)
        FROM graded JOIN groups USING (problem_key))"""
    edges = connection.sql(f"SELECT DISTINCT problem_key, notebook_key {named} ORDER BY ALL")
    assignments = forks_as_one(edges.fetchall())
    ordered = f"{named} ORDER BY problem_key, repo, path, cell_index, notebook_key, commit, {rest}"
    found = list(problems(graded_cells(connection, ordered), seed, drops))
    for problem, place in zip(found, _places(connection, found), strict=True):
        cell = problem.cell
        yield (
            place,
            Curated(
                source="nbgrader",
                name=cell.problem_key,
                assignment=assignments[cell.problem_key],
                cell_index=cell.cell_index,
                prompt=cell.prompt,
                code=problem.code,
                boilerplate_code=problem.boilerplate_code,
                tests=cell.tests,
                metadata={
                    "grade_id": cell.grade_id,
                    "points": cell.points,
                    "submissions": problem.submissions,
                },
            ),
        )


def _places(connection: duckdb.DuckDBPyConnection, found: list[Problem]) -> list[Place]:
    """Where the notebooks of the problems lie; of several commits, the first."""
    names = ("repo", "path", "notebook_key")
    columns = {name: [getattr(problem.cell, name) for problem in found] for name in names}
    table = pa.table({"number": range(len(found)), **columns})
    connection.register("found", table)
    return connection.sql(
        """SELECT filename, file_row_number
           FROM found JOIN notebooks USING (repo, path, notebook_key)
           QUALIFY 1 = row_number() OVER (
               PARTITION BY number ORDER BY commit NULLS FIRST, license NULLS FIRST, kernel,
               language, language_version, filename)
           ORDER BY number"""
    ).fetchall()
