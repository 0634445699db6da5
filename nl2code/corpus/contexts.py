"""The context of candidates, cut from their notebooks' cells when the rows are written.

Until then a candidate holds no context: all of them together would grow with the square of a
notebook's cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nl2code.corpus.parts import Groups
from nl2code.corpus.schema import SCHEMA

_CONTEXT = SCHEMA.field("context").type
_BYTES_AT_ONCE = 32_000_000
_CELL_BYTES = 100
"""What a context cell costs beside its text."""


class Contexts:
    """Reads notebooks of the map back, and adds to candidates the cells above them."""

    def __init__(self, notebooks: Path, max_cells: int | None) -> None:
        self._folder, self._max_cells = notebooks, max_cells
        self._groups = Groups(["types", "sources"])

    def __call__(self, file: str, rows: pa.Table) -> Iterator[pa.Table]:
        """Yield the rows with the column `context`, not too many at once."""
        # Where no other is named, the file of notebooks beside that of the candidates.
        files = pc.fill_null(rows["notebook_file"], Path(file).name).to_pylist()
        places = zip(files, rows["notebook_row"].to_pylist(), strict=True)
        start = 0
        for (name, row), run in groupby(places):
            count = len(list(run))
            yield from self._add(rows.slice(start, count), str(self._folder / name), row)
            start += count

    def _add(self, rows: pa.Table, file: str, row: int) -> Iterator[pa.Table]:
        """Yield the rows of one notebook."""
        group, place = self._groups.find(file, row)
        types, sources = (column[place].values for column in self._groups.read(file, group).columns)
        indices = pc.struct_field(rows["metadata"], "cell_index").to_pylist()
        lengths = pc.fill_null(pc.binary_length(sources), 0).to_numpy()
        shown = np.concatenate([[0], np.cumsum(lengths + _CELL_BYTES, dtype=np.int64)])
        for start, end in _slices(shown[indices].tolist()):
            part = rows.slice(start, end - start)
            given = part["boilerplate_code"].to_pylist()
            context = above(types, sources, indices[start:end], given, self._max_cells)
            yield part.append_column("context", context)


def _slices(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut rows into runs whose contexts are some `_BYTES_AT_ONCE` together."""
    numbers = [total // _BYTES_AT_ONCE for total in accumulate(sizes)]
    start = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[start]:
            yield start, place
            start = place


def above(
    types: pa.Array,
    sources: pa.Array,
    indices: Sequence[int],
    given: Sequence[str | None],
    max_cells: int | None = None,
) -> pa.Array:
    """The context of the targets at the indices: the cells above, nearest first.

    `distance_target` 1 is directly above. Code that was given with a target stands there, as a
    cell of its own.
    """
    code = [text for text in given if text is not None]
    types = pa.concat_arrays([types, pa.array(["code"] * len(code), pa.string())])
    sources = pa.concat_arrays([sources, pa.array(code, pa.string())])
    added = iter(range(len(types) - len(code), len(types)))
    runs = []
    for index, text in zip(indices, given, strict=True):
        own = [] if text is None else [next(added)]
        runs.append(np.array([*own, *range(index - 1, -1, -1)][:max_cells], np.int64))
    places = pa.array(np.concatenate([np.empty(0, np.int64), *runs]))
    kind, source = types.take(places), sources.take(places)
    is_nl, none = pc.equal(kind, "markdown"), pa.scalar(None, pa.string())
    columns = [
        kind,
        pa.array(np.concatenate([np.empty(0), *(np.arange(1, len(run) + 1) for run in runs)])),
        pc.if_else(is_nl, source, none),
        pc.if_else(is_nl, none, source),
    ]
    fields = list(_CONTEXT.value_type)
    cast = [column.cast(field.type) for column, field in zip(columns, fields, strict=True)]
    offsets = pa.array([0, *accumulate(map(len, runs))], pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(cast, fields=fields))
