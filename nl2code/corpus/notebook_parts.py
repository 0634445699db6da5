"""What the map leaves for the curated problems: each notebook's cells, and its graded cells."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.exercises.pairing import CellKeys, cell_keys, says_solution
from nl2code.corpus.nbgrader.cells import SolutionCell
from nl2code.corpus.parts import CANDIDATES, Groups
from nl2code.corpus.schema import CANDIDATE_SCHEMA
from nl2code.records import Cell, Notebook

Row = dict[str, Any]

NOTEBOOKS, GRADED = "notebooks", "graded"

_STRING, _STRINGS = pa.string(), pa.list_(pa.string())
NOTEBOOK_SCHEMA = pa.schema(
    {
        **dict.fromkeys(("repo", "path", "commit", "license"), _STRING),
        **dict.fromkeys(("kernel", "language", "language_version", "notebook_key"), _STRING),
        "says_solution": pa.bool_(),
        **dict.fromkeys(("types", "keys", "sources"), _STRINGS),
    }
)
_KINDS = {"int": pa.int32(), "bool": pa.bool_(), "float | None": pa.float64()}
GRADED_SCHEMA = pa.schema(
    {
        field.name: _STRINGS if "tuple" in str(field.type) else _KINDS.get(str(field.type), _STRING)
        for field in fields(SolutionCell)
    }
)


PARTS = {CANDIDATES: CANDIDATE_SCHEMA, NOTEBOOKS: NOTEBOOK_SCHEMA, GRADED: GRADED_SCHEMA}
"""The folders that the map fills."""


def notebook_row(notebook: Notebook) -> Row:
    """The notebook without its outputs, and what pairs it with another."""
    names = ("repo", "path", "commit", "license", "kernel", "language", "language_version")
    keys = cell_keys(notebook)
    return {
        **{name: getattr(notebook, name) for name in names},
        "notebook_key": keys.notebook_key,
        "says_solution": says_solution(notebook.path),
        "types": keys.types,
        "keys": keys.keys,
        "sources": [cell.source for cell in notebook.cells],
    }


def read_notebook_row(groups: Groups, file: str, row: int) -> Notebook:
    """Read one notebook back."""
    group, place = groups.find(file, row)
    (found,) = groups.read(file, group).slice(place, 1).to_pylist()
    cells = zip(found.pop("types"), found.pop("sources"), strict=True)
    for name in ("notebook_key", "says_solution", "keys"):
        found.pop(name)
    return Notebook(cells=tuple(Cell(*cell) for cell in cells), **found)


def graded_rows(cells: Iterator[SolutionCell]) -> list[Row]:
    """The cells as rows of `GRADED_SCHEMA`."""
    return [asdict(cell) for cell in cells]


def open_parts(connection: duckdb.DuckDBPyConnection, parts: Path) -> None:
    """Make the tables `notebooks`, without the cells' text, and `graded`, where there are any."""
    for name, schema in ((NOTEBOOKS, NOTEBOOK_SCHEMA), (GRADED, GRADED_SCHEMA)):
        folder = parts / name
        if not any(folder.iterdir()):
            pq.write_table(schema.empty_table(), folder / "none.parquet")
        pattern = f"{glob.escape(folder.as_posix())}/*.parquet"
        connection.execute(f"SET VARIABLE {name} = ?", [pattern])
    connection.execute(
        f"""CREATE TABLE {NOTEBOOKS} AS SELECT * EXCLUDE (sources) FROM read_parquet(
            getvariable('{NOTEBOOKS}'), filename = true, file_row_number = true)"""
    )
    connection.execute(f"CREATE VIEW {GRADED} AS FROM read_parquet(getvariable('{GRADED}'))")


def graded_cells(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[SolutionCell]:
    """Yield the graded cells that the SQL selects, in its order."""
    lists = [field.name for field in GRADED_SCHEMA if field.type == _STRINGS]
    names = ", ".join(GRADED_SCHEMA.names)
    for batch in connection.sql(f"SELECT {names} FROM ({query})").to_arrow_reader(1_000):
        for row in batch.to_pylist():
            yield SolutionCell(**row | {name: tuple(row[name]) for name in lists})


def keys_of(row: Row) -> CellKeys:
    """The notebook's record for pairing, from a row of the table `notebooks`."""
    return CellKeys(
        repo=row["repo"],
        path=row["path"],
        commit=row["commit"],
        notebook_key=row["notebook_key"],
        types=tuple(row["types"]),
        keys=tuple(row["keys"]),
    )
