"""The map's files: small row groups, so that rows can be read back in any order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.schema import SCHEMA

Place = tuple[str, int]
"""A part's file, and a row in it."""
Complete = Callable[[str, pa.Table], Iterable[pa.Table]]
"""Adds the columns that the rows of a file lack."""

CANDIDATES = "candidates"
"""The folder of the examples that are candidates."""

_OPEN_FILES = 64
# A row group costs as much as its rows when it holds one notebook's; reading one back takes all.
_NOTEBOOKS_PER_GROUP = 24
_GROUPS_IN_MEMORY = 4
# Read back once, soon, and in row groups too small for a dictionary to pay.
_SCRATCH: dict[str, Any] = {
    "compression": "lz4",
    "use_dictionary": False,
    "write_statistics": False,
}


class PartFile:
    """A Parquet file that stands once a row is written to it."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._schema = path, schema
        self._writer: pq.ParquetWriter | None = None
        self._pending: list[dict[str, Any]] = []
        self._notebooks = 0
        self.rows = 0
        """Rows so far: the place of the next one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *more: object) -> None:
        if error is not None:  # what could not be written hides no cause
            if self._writer is not None:
                with suppress(OSError, pa.ArrowException):
                    self._writer.close()
            return
        if self._pending:
            self._write_group()
        if self._writer is not None:
            self._writer.close()

    def write(self, rows: list[dict[str, Any]]) -> None:
        """Write a notebook's rows."""
        self._pending += rows
        self.rows += len(rows)
        self._notebooks += bool(rows)
        if self._notebooks == _NOTEBOOKS_PER_GROUP:
            self._write_group()

    def _write_group(self) -> None:
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, self._schema, **_SCRATCH)
        self._writer.write_table(pa.Table.from_pylist(self._pending, schema=self._schema))
        self._pending, self._notebooks = [], 0


class Groups:
    """Reads files of parts back, a row group at a time; the last few stay in memory."""

    def __init__(self, columns: Sequence[str] | None = None) -> None:
        self._columns = columns
        self._opened = lru_cache(_OPEN_FILES)(_open)
        self.read = lru_cache(_GROUPS_IN_MEMORY)(self._read)

    def find(self, file: str, row: int) -> tuple[int, int]:
        """The row group that holds a row, and the row's place in it."""
        starts = self._opened(file)[1]
        group = bisect_right(starts, row) - 1
        return group, row - starts[group]

    def _read(self, file: str, group: int) -> pa.Table:
        return self._opened(file)[0].read_row_group(group, columns=self._columns)


def read_rows(places: Iterable[Place], complete: Complete) -> Iterator[pa.Table]:
    """Yield the rows at the places (file, row), in their order, a table for each run of a group.

    `complete` adds the columns that a part lacks.
    """
    groups = Groups()
    found = ((file, *groups.find(file, row)) for file, row in places)
    for (file, group), run in groupby(found, lambda place: place[:2]):
        rows = pa.array([row for _, _, row in run])
        for part in complete(file, groups.read(file, group).take(rows)):
            yield part.select(SCHEMA.names).cast(SCHEMA)


def _open(name: str) -> tuple[pq.ParquetFile, list[int]]:
    """The file, and the number of the first row of each of its row groups."""
    file = pq.ParquetFile(name)
    sizes = (file.metadata.row_group(group).num_rows for group in range(file.num_row_groups))
    return file, [0, *accumulate(sizes)][:-1]
