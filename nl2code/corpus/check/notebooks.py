"""What rows of one notebook must agree on: its cells, and the order in which they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from nl2code.corpus.check.contexts import Context
from nl2code.corpus.check.findings import Finding, Tally
from nl2code.corpus.digests import digest

Row = dict[str, Any]

AGREE = "rows of one notebook show the same cells of it"
ORDER = "rows stand by repository, notebook and cell"
_SHOWN = pa.schema(
    {
        **dict.fromkeys(("notebook", "id"), pa.string()),
        "place": pa.int64(),
        "cell": pa.uint64(),
    }
)


def shown_cells(rows: Sequence[Row], contexts: Sequence[Context]) -> pa.Table:
    """Return each cell that a row shows of its notebook, once where several rows agree.

    Given code stands for no cell of the notebook. A row shows all cells above, so the rows of a
    notebook show the square of them.
    """
    if not rows:
        return _SHOWN.empty_table()
    notebooks = [_notebook(row["metadata"] or {}) for row in rows]
    names = list(dict.fromkeys(notebooks))
    parts = [_places(row, context) for row, context in zip(rows, contexts, strict=True)]
    lengths = [len(places) for places, _ in parts]
    places, cells = (np.concatenate(each) for each in zip(*parts, strict=True))
    owners = np.repeat([names.index(name) for name in notebooks], lengths)
    owners = owners * (places.max(initial=0) + 1) + places
    _, first = np.unique(owners * len(contexts[0].cells.types) + cells, return_index=True)
    showing = np.repeat(np.arange(len(rows)), lengths)[first]
    columns = [
        pa.array(notebooks, pa.string()).take(showing),
        pa.array([row["id"] for row in rows], pa.string()).take(showing),
        pa.array(places[first], pa.int64()),
        pa.array(contexts[0].cells.digests[cells[first]]),
    ]
    return pa.Table.from_arrays(columns, schema=_SHOWN)


def _notebook(metadata: Row) -> str:
    return digest(str(metadata.get(name)) for name in ("repo", "path", "commit"))


def _places(row: Row, context: Context) -> tuple[Any, Any]:
    """The places in the notebook of the cells of a context, and their numbers."""
    cells = context.numbers[row["boilerplate_code"] is not None :]
    metadata = row["metadata"] or {}
    if metadata.get("source") != "train" and metadata.get("commit") is None:
        # Problems may be drawn from several versions of a notebook, which only a commit tells.
        cells = cells[:0]
    places = (row["num_cells_above"] or 0) - 1 - np.arange(len(cells))
    return places[places >= 0], cells[places >= 0]


def open_table(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table that `insert_cells` fills."""
    connection.register("batch", _SHOWN.empty_table())
    connection.execute("CREATE TABLE notebook_cells AS FROM batch")
    connection.unregister("batch")


def insert_cells(connection: duckdb.DuckDBPyConnection, shown: pa.Table) -> None:
    """Add the `shown_cells` of a batch."""
    connection.register("batch", shown)
    connection.execute("INSERT INTO notebook_cells FROM batch")
    connection.unregister("batch")


def check_agreement(connection: duckdb.DuckDBPyConnection) -> Finding:
    """Find the cells that are shown in two ways."""
    query = """WITH ways AS (SELECT notebook, place, cell, min(id) AS id
            FROM notebook_cells GROUP BY ALL),
        cells AS (SELECT count(*) AS ways,
            'cell ' || place || ' in ' || string_agg(id, ', ' ORDER BY id) AS ids
            FROM ways GROUP BY notebook, place)
        SELECT count(*), count(*) FILTER (ways > 1), min(ids) FILTER (ways > 1) FROM cells"""
    ((checked, violations, example),) = connection.sql(query).fetchall()
    return Finding(AGREE, checked, violations, example or "")


@dataclass(slots=True)
class Order:
    """Whether the rows that it is told of, one after the other, stand in the order of a build."""

    tally: Tally = field(default_factory=Tally)
    _last: tuple[Any, ...] = ()

    def read(self, rows: Iterable[Row]) -> None:
        """Compare each row with the one before, if that is of the same split."""
        for row in rows:
            texts = (row[name] or "" for name in ("split", "repo", "path"))
            place = tuple(chain(texts, (row["cell"] or 0, row["id"] or "")))
            self.tally.checked += 1
            if self._last[:1] == place[:1] and self._last > place:
                self.tally.add(f"{row['id']}: behind {self._last[-1]}")
            self._last = place
