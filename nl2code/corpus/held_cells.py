"""Which cells of train show what dev and test hold: whole, or within more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import duckdb
import pyarrow as pa

from nl2code.corpus.held_texts import read_held, telling, write_held
from nl2code.corpus.near_duplicates import cell_key
from nl2code.corpus.notebook_parts import NOTEBOOKS
from nl2code.corpus.parts import Groups, Place
from nl2code.corpus.workers import InOrder, chunks

_FILE = "held.texts"
_AT_ONCE = 96
"""Notebooks for a worker."""
_STREAMED = 2_000


def keys_that_show(
    connection: duckdb.DuckDBPyConnection, kept: str, parts: Path, in_order: InOrder
) -> set[int]:
    """The keys (`near_duplicates.cell_key`) of train's cells and targets in which such a text is.

    Args:
        connection: Where the SQL runs.
        kept: SQL for the rows kept, with their `split`.
        parts: The candidates' folder.
        in_order: Reads the notebooks, in processes or not.
    """
    held = connection.sql(
        f"SELECT nl_original, code, tests FROM {kept} WHERE split <> 'train'"
    ).to_arrow_reader(_STREAMED)
    texts = set(chain.from_iterable(map(_telling, held)))
    if not texts:
        return set()
    file = parts.parent / _FILE
    write_held(texts, file)
    targets = connection.sql(f"SELECT code FROM {kept} WHERE split = 'train'")
    keys = set(chain.from_iterable(in_order(partial(_of_targets, file), _batches(targets))))
    places = _places(connection, kept, parts.parent / NOTEBOOKS)
    of_cells = in_order(partial(_of_notebooks, file), chunks(places, _AT_ONCE))
    return keys.union(*of_cells)


def _batches(rows: duckdb.DuckDBPyRelation) -> Iterator[pa.RecordBatch]:
    yield from rows.to_arrow_reader(_STREAMED)


def _telling(rows: pa.RecordBatch) -> set[str]:
    texts = (
        telling(row["nl_original"], row["code"], *(row["tests"] or ())) for row in rows.to_pylist()
    )
    return set().union(*texts)


def _places(connection: duckdb.DuckDBPyConnection, kept: str, notebooks: Path) -> Iterator[Place]:
    """Where the notebooks of train lie: each in the file beside that of its candidates."""
    rows = connection.sql(
        f"""SELECT DISTINCT parse_filename(filename) AS file, notebook_row FROM {kept}
            WHERE split = 'train' ORDER BY ALL"""
    )
    for batch in _batches(rows):
        for row in batch.to_pylist():
            yield str(notebooks / row["file"]), row["notebook_row"]


def _of_targets(file: Path, rows: pa.RecordBatch) -> set[int]:
    held = read_held(file)
    codes = rows["code"].to_pylist()
    return {cell_key("code", code) for code in codes if held.stand_in("code", code)}


def _of_notebooks(file: Path, places: Sequence[Place]) -> set[int]:
    held, groups = read_held(file), Groups(["types", "sources"])
    found: set[int] = set()
    for name, row in places:
        group, place = groups.find(name, row)
        types, sources = (column[place].as_py() for column in groups.read(name, group).columns)
        cells = zip(types, sources, strict=True)
        found.update(
            cell_key(kind, source) for kind, source in cells if held.stand_in(kind, source)
        )
    return found
