"""The candidates' files: a row group a notebook, so that rows can be read back in any order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, groupby

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.schema import FEATURES

_OPEN_FILES = 64


def read_rows(places: Iterable[tuple[str, int]]) -> Iterator[pa.Table]:
    """Yield the rows at the places (file, row), in their order, a table for each run of a notebook.

    Memory holds one notebook's rows at a time.
    """
    opened = lru_cache(_OPEN_FILES)(_open)

    def group_of(place: tuple[str, int]) -> tuple[str, int]:
        name, row = place
        return name, bisect_right(opened(name)[1], row) - 1

    for (name, group), run in groupby(places, group_of):
        file, starts = opened(name)
        rows = [row - starts[group] for _, row in run]
        table = file.read_row_group(group, columns=list(FEATURES)).take(pa.array(rows))
        yield table.cast(FEATURES.arrow_schema)


def _open(name: str) -> tuple[pq.ParquetFile, list[int]]:
    """The file, and the number of the first row of each of its row groups."""
    file = pq.ParquetFile(name)
    sizes = (file.metadata.row_group(group).num_rows for group in range(file.num_row_groups))
    return file, [0, *accumulate(sizes)][:-1]
