"""Notebooks → exercise problems: paired, then confirmed elsewhere (paper, section 3.2)."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.curated_rows import Curated
from nl2code.corpus.exercises.cells import exercise_cells
from nl2code.corpus.exercises.confirmation import confirmed, forks_as_one
from nl2code.corpus.exercises.pairing import pairs
from nl2code.corpus.nbgrader.additions import adds_nothing
from nl2code.corpus.nbgrader.boilerplate import mixes_given, split_given
from nl2code.corpus.notebook_parts import keys_of, read_notebook_row
from nl2code.corpus.parts import Groups, PartFile, Place
from nl2code.corpus.workers import InOrder, chunks, without_collections
from nl2code.python_code.magics import quiet

Row = dict[str, Any]

_FILES = "exercises.pairs"
_AT_ONCE = 16
"""Pairs for a worker."""
_EXERCISES = pa.schema(
    {
        **dict.fromkeys(("repo", "path", "commit", "license", "confirmation_key"), pa.string()),
        **dict.fromkeys(("prompt", "source", "boilerplate_code", "stub"), pa.string()),
        **dict.fromkeys(("exercise_path", "notebook_key", "exercise_key", "filename"), pa.string()),
        **dict.fromkeys(("cell_index", "prompt_index"), pa.int32()),
        "file_row_number": pa.int64(),
    }
)


def exercise_problems(
    connection: duckdb.DuckDBPyConnection, min_repositories: int, drops: Counter[str]
) -> Iterator[tuple[Place, Curated]]:
    """Yield the confirmed problems, each with the place of its solution's notebook.

    Reads the view `pairs` that `pair_exercises` makes.
    """
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
        stubs = [row["stub"] or ""]
        if adds_nothing(row["source"], stubs):
            drops["all_given"] += 1
            continue
        code, given = split_given(row["source"], stubs, ())
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


def pair_exercises(
    connection: duckdb.DuckDBPyConnection, parts: Path, drops: Counter[str], in_order: InOrder
) -> None:
    """Write what the solutions fill in, repository by repository; make the view `pairs`."""
    query = """FROM notebooks WHERE repo IN (SELECT repo FROM notebooks WHERE says_solution)
        ORDER BY repo, path, commit, notebook_key, license, kernel, language, language_version,
            filename"""
    batches = connection.sql(query).to_arrow_reader(1_000)
    rows = (row for batch in batches for row in batch.to_pylist())
    found = (pair for _, one in groupby(rows, itemgetter("repo")) for pair in _pairs(one, drops))
    pq.write_table(_EXERCISES.empty_table(), parts / f"{_FILES}.none")
    with PartFile(parts / _FILES, _EXERCISES) as part:
        for cells, why_not in in_order(_candidates, chunks(found, _AT_ONCE)):
            part.write(cells)
            drops.update(why_not)
    connection.execute("SET VARIABLE pairs = ?", [f"{glob.escape(parts.as_posix())}/{_FILES}*"])
    connection.execute("CREATE VIEW pairs AS FROM read_parquet(getvariable('pairs'))")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Where an exercise and its solution lie, and what their rows say of both."""

    exercise: Place
    solution: Place
    keys: dict[str, str]


def _pairs(notebooks: Iterable[Row], drops: Counter[str]) -> Iterator[_Pair]:
    """Yield the pairs of one repository."""
    places = {keys_of(row): (row["filename"], row["file_row_number"]) for row in notebooks}
    for exercise, solution in pairs(list(places), drops):
        keys = {"notebook_key": solution.notebook_key, "exercise_key": exercise.notebook_key}
        yield _Pair(places[exercise], places[solution], keys)


def _candidates(chunk: Sequence[_Pair]) -> tuple[list[Row], Counter[str]]:
    """What the solutions fill in, and the drops."""
    drops: Counter[str] = Counter()
    groups = Groups()
    found = []
    with quiet(), without_collections():
        for pair in chunk:
            file, row = pair.solution
            where = {"filename": file, "file_row_number": row, **pair.keys}
            exercise = read_notebook_row(groups, *pair.exercise)
            solution = read_notebook_row(groups, file, row)
            cells = exercise_cells(exercise, solution, drops)
            found += [asdict(cell) | where for cell in cells]
    return found, drops
