"""What rows of one notebook must agree on: its cells, and the order in which they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from nl2code.corpus.check.contexts import Context
from nl2code.corpus.check.findings import Finding, Tally
from nl2code.corpus.digests import digest
from nl2code.corpus.remembered import read_target

Row = dict[str, Any]

AGREE = "rows of one notebook show the same cells of it"
VERSION = "train rows of one notebook have one commit and licence"
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
    places, numbers = (np.concatenate(each) for each in zip(*parts, strict=True))
    owners = np.repeat([names.index(name) for name in notebooks], lengths)
    owners = owners * (places.max(initial=0) + 1) + places
    cells = contexts[0].cells
    _, first = np.unique(owners * len(cells.types) + numbers, return_index=True)
    showing = np.repeat(np.arange(len(rows)), lengths)[first]
    columns = [
        pa.array(notebooks, pa.string()).take(showing),
        pa.array([row["id"] for row in rows], pa.string()).take(showing),
        pa.array(places[first], pa.int64()),
        pa.array(cells.digests[numbers[first]]),
    ]
    shown = pa.Table.from_arrays(columns, schema=_SHOWN)
    codes = (cells.codes[number] for number in numbers[first].tolist())
    others = list(_other_targets(rows, notebooks, shown, codes))
    return pa.concat_tables([shown, pa.Table.from_pylist(others, _SHOWN)])


def _other_targets(
    rows: Sequence[Row], notebooks: Sequence[str], shown: pa.Table, codes: Iterable[str | None]
) -> Iterator[Row]:
    """Yield a cell for each target that its cell, where another row shows it, does not give."""
    named = {
        (notebook, row["num_cells_above"]): row
        for row, notebook in zip(rows, notebooks, strict=True)
        if (row["metadata"] or {}).get("source") == "train"  # others were given a part of it
    }
    places = zip(shown["notebook"].to_pylist(), shown["place"].to_pylist(), strict=True)
    for (notebook, place), source in zip(places, codes, strict=True):
        row = named.get((notebook, place))
        if row and source != row["code"] and not _gives(source or "", row["code"]):
            yield {"notebook": notebook, "id": row["id"], "place": place, "cell": 0}


def _gives(source: str, code: str | None) -> bool:
    return read_target(source, truncate=True).code == code


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


def check_versions(connection: duckdb.DuckDBPyConnection) -> Finding:
    """Find notebooks of which train has two versions; problems may be drawn from several."""
    query = """WITH notebooks AS (SELECT repo || '/' || path AS name,
            count(DISTINCT (coalesce("commit", ''), coalesce(license, ''))) AS versions
            FROM all_rows WHERE source = 'train' GROUP BY repo, path)
        SELECT count(*), count(*) FILTER (versions > 1), min(name) FILTER (versions > 1)
        FROM notebooks"""
    ((checked, violations, example),) = connection.sql(query).fetchall()
    return Finding(VERSION, checked, violations, example or "")


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
