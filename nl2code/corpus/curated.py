"""Notebooks → curated problems: nbgrader assignments and exercises (paper, section 3.2)."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.curated_rows import Curated, curated_example
from nl2code.corpus.exercises.cells import exercise_cells
from nl2code.corpus.exercises.confirmation import confirmed, forks_as_one
from nl2code.corpus.exercises.pairing import pairs
from nl2code.corpus.mapping import without_collections
from nl2code.corpus.nbgrader.boilerplate import mixes_given, split_given
from nl2code.corpus.nbgrader.groups import problem_groups, problem_key
from nl2code.corpus.nbgrader.submissions import Problem, problems
from nl2code.corpus.notebook_parts import graded_cells, keys_of, open_parts, read_notebook_row
from nl2code.corpus.parts import CANDIDATES, Groups, PartFile
from nl2code.corpus.schema import CANDIDATE_SCHEMA
from nl2code.corpus.splits import HeldOut
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import InOrder
from nl2code.python_code import NotPython
from nl2code.python_code.magics import quiet

Row = dict[str, Any]

_PROBLEMS = "curated.parquet"
_PAIRS = "exercises.pairs"

_EXERCISES = pa.schema(
    {
        **dict.fromkeys(("repo", "path", "commit", "license", "confirmation_key"), pa.string()),
        **dict.fromkeys(("prompt", "source", "boilerplate_code", "stub"), pa.string()),
        **dict.fromkeys(("exercise_path", "notebook_key", "exercise_key", "filename"), pa.string()),
        **dict.fromkeys(("cell_index", "prompt_index"), pa.int32()),
        "file_row_number": pa.int64(),
    }
)


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
    _write_candidates(connection, parts / _PAIRS, found.drops["exercise"], in_order)
    sources = (
        _nbgrader_problems(connection, held_out.seed, found.drops["nbgrader"]),
        _exercise_problems(connection, parts, held_out.min_repositories, found.drops["exercise"]),
    )
    groups = Groups()
    with PartFile(parts / CANDIDATES / _PROBLEMS, CANDIDATE_SCHEMA) as file:
        for place, problem in (one for source in sources for one in source):
            try:
                row = curated_example(read_notebook_row(groups, *place), problem, rules)
            except NotPython as error:
                found.drops[problem.source][error.reason] += 1
                continue
            found.kept[problem.source] += 1
            file.write([row | {"notebook_file": Path(place[0]).name, "notebook_row": place[1]}])
    connection.execute(_ANSWERS)
    return found


def forget_problems(parts: Path) -> Problems:
    """Take back what `write_problems` wrote; return that nothing was found."""
    (parts / CANDIDATES / _PROBLEMS).unlink(missing_ok=True)
    return Problems()


# Not only of the answers that were drawn: nothing of the others' notebooks may be in train.
_ANSWERS = """CREATE TABLE answers AS
    SELECT name AS problem, repo, path, cell_index, notebook_key
    FROM graded JOIN groups USING (problem_key)
    UNION ALL SELECT confirmation_key, repo, path, cell_index,
        unnest([notebook_key, exercise_key]) FROM pairs"""


Place = tuple[str, int]
"""The file and row of a notebook."""


def _nbgrader_problems(
    connection: duckdb.DuckDBPyConnection, seed: int, drops: Counter[str]
) -> Iterator[tuple[Place, Curated]]:
    cells = graded_cells(connection, "FROM graded ORDER BY repo, notebook_key, path, cell_index")
    groups = problem_groups(map(problem_key, cells))
    table = pa.table({"problem_key": list(groups), "name": list(groups.values())})
    connection.register("groups", table)
    named = """FROM (SELECT graded.* REPLACE (name AS problem_key)
        FROM graded JOIN groups USING (problem_key))"""
    edges = connection.sql(f"SELECT DISTINCT problem_key, notebook_key {named} ORDER BY ALL")
    assignments = forks_as_one(edges.fetchall())
    ordered = f"{named} ORDER BY problem_key, repo, path, cell_index, notebook_key, commit"
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
               PARTITION BY number ORDER BY commit NULLS FIRST, license NULLS FIRST, filename)
           ORDER BY number"""
    ).fetchall()


def _exercise_problems(
    connection: duckdb.DuckDBPyConnection, parts: Path, min_repositories: int, drops: Counter[str]
) -> Iterator[tuple[Place, Curated]]:
    connection.execute("SET VARIABLE pairs = ?", [f"{glob.escape(parts.as_posix())}/{_PAIRS}*"])
    connection.execute("CREATE VIEW pairs AS FROM read_parquet(getvariable('pairs'))")
    names = ", ".join(_EXERCISES.names)
    rows = confirmed(connection, "pairs", min_repositories)
    chosen = rows.select(f"{names}, other_repositories").to_arrow_table().to_pylist()
    query = "SELECT count(DISTINCT confirmation_key) FROM pairs"
    ((candidates,),) = connection.sql(query).fetchall()
    drops["in_too_few_repositories"] += candidates - len(chosen)
    edges = connection.sql(
        """SELECT DISTINCT confirmation_key, unnest([notebook_key, exercise_key]) FROM pairs
           ORDER BY ALL"""
    )
    assignments = forks_as_one(edges.fetchall())
    for row in chosen:
        if row["stub"] is None and row["boilerplate_code"]:
            drops["other_given_code"] += 1
            continue
        code, given = split_given(row["source"], {row["stub"] or ""}, ())
        if mixes_given(code, given):
            drops["mixed_with_given"] += 1
            continue
        yield (
            (row["filename"], row["file_row_number"]),
            Curated(
                source="exercise",
                name=row["confirmation_key"],
                assignment=assignments[row["confirmation_key"]],
                cell_index=row["cell_index"],
                prompt=row["prompt"],
                code=code,
                boilerplate_code=given,
                metadata={
                    "exercise_path": row["exercise_path"],
                    "repositories": row["other_repositories"] + 1,
                },
            ),
        )


def _write_candidates(
    connection: duckdb.DuckDBPyConnection, file: Path, drops: Counter[str], in_order: InOrder
) -> None:
    """Write what the solution notebooks fill in, repository by repository."""
    query = """FROM notebooks WHERE repo IN (SELECT repo FROM notebooks WHERE says_solution)
        ORDER BY repo, path, commit, notebook_key, filename"""
    batches = connection.sql(query).to_arrow_reader(1_000)
    rows = (row for batch in batches for row in batch.to_pylist())
    repositories = (list(notebooks) for _, notebooks in groupby(rows, itemgetter("repo")))
    pq.write_table(_EXERCISES.empty_table(), f"{file}.none")
    with PartFile(file, _EXERCISES) as part:
        for found, why_not in in_order(_candidates, repositories):
            part.write(found)
            drops.update(why_not)


def _candidates(notebooks: Sequence[Row]) -> tuple[list[Row], Counter[str]]:
    """What the solution notebooks of one repository fill in, and the drops."""
    drops: Counter[str] = Counter()
    groups = Groups()
    places = {keys_of(row): (row["filename"], row["file_row_number"]) for row in notebooks}
    found = []
    with quiet(), without_collections():
        for exercise, solution in pairs(list(places), drops):
            file, row = places[solution]
            both = [read_notebook_row(groups, *places[one]) for one in (exercise, solution)]
            found += [
                asdict(cell)
                | {
                    "notebook_key": solution.notebook_key,
                    "exercise_key": exercise.notebook_key,
                    "filename": file,
                    "file_row_number": row,
                }
                for cell in exercise_cells(both[0], both[1], drops)
            ]
    return found, drops
