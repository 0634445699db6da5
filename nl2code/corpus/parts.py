"""The candidates' files: a row group a notebook, so that rows can be read back in any order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.schema import SCHEMA

Complete = Callable[[pa.Table], Iterable[pa.Table]]

CANDIDATES = "candidates"
"""The folder of the examples that are candidates."""

_OPEN_FILES = 64
# Read back once, soon, and in row groups too small for a dictionary to pay.
_SCRATCH: dict[str, Any] = {
    "compression": "lz4",
    "use_dictionary": False,
    "write_statistics": False,
}


class PartFile:
    """A Parquet file that stands once a row is written to it; a row group a call."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._schema = path, schema
        self._writer: pq.ParquetWriter | None = None
        self.groups = 0
        """Row groups written."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, rows: list[dict[str, Any]]) -> None:
        """Write a notebook's rows, to be read back by themselves."""
        if not rows:
            return
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, self._schema, **_SCRATCH)
        self._writer.write_table(pa.Table.from_pylist(rows, schema=self._schema))
        self.groups += 1


def read_rows(
    places: Iterable[tuple[str, int]], complete: Complete = lambda rows: [rows]
) -> Iterator[pa.Table]:
    """Yield the rows at the places (file, row), in their order, a table for each run of a notebook.

    Memory holds one notebook's rows at a time. `complete` adds the columns that a part lacks.
    """
    opened = lru_cache(_OPEN_FILES)(_open)

    def group_of(place: tuple[str, int]) -> tuple[str, int]:
        name, row = place
        return name, bisect_right(opened(name)[1], row) - 1

    for (name, group), run in groupby(places, group_of):
        file, starts = opened(name)
        rows = [row - starts[group] for _, row in run]
        table = file.read_row_group(group).take(pa.array(rows))
        for part in complete(table):
            yield part.select(SCHEMA.names).cast(SCHEMA)


def _open(name: str) -> tuple[pq.ParquetFile, list[int]]:
    """The file, and the number of the first row of each of its row groups."""
    file = pq.ParquetFile(name)
    sizes = (file.metadata.row_group(group).num_rows for group in range(file.num_row_groups))
    return file, [0, *accumulate(sizes)][:-1]
