"""What must hold between the splits: nothing stands in two, nothing near dev or test in train."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import duckdb
import pyarrow as pa

from nl2code.corpus.check.batches import NOTEBOOKS, ROWS, Look
from nl2code.corpus.contamination import CELLS, TEXTS, near_pairs, notebook_cells
from nl2code.corpus.licenses import spdx
from nl2code.corpus.near_duplicates import NOTEBOOKS as ALIKE
from nl2code.corpus.workers import InOrder

_NAMED = "repo <> '' AND path <> ''"
_ROWS = "all_rows"
_TABLES = {_ROWS: ROWS, "shown": NOTEBOOKS}

DUPLICATES = {
    "no target stands in two splits": f"SELECT code_tokens_clean AS key, split, id FROM {_ROWS}",
    "no NL stands in two splits": f"SELECT nl AS key, split, id FROM {_ROWS}",
    "no notebook (repo, path) stands in two splits": (
        f"SELECT (repo, path) AS key, split, id FROM {_ROWS} WHERE {_NAMED}"
    ),
    # Of fewer cells the target alone decides.
    "no copy of a notebook stands in two splits": (
        f"SELECT list_sort(cell_keys) AS key, split, replace(name, chr(0), '/') AS id"
        f" FROM ({notebook_cells('shown')}) WHERE len(cell_keys) >= {ALIKE.shared}"
    ),
    "no exercise to a dev or test problem is in train": (
        f"""SELECT [repo, path] AS key, split, id FROM {_ROWS} WHERE split = 'train' AND {_NAMED}
            UNION ALL SELECT [repo, exercise], 'dev or test', id FROM {_ROWS}
            WHERE split <> 'train' AND exercise IS NOT NULL"""
    ),
}


def open_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of rows and of notebooks that the batches fill."""
    for name, schema in _TABLES.items():
        connection.register("batch", schema.empty_table())
        connection.execute(f"CREATE TABLE {name} AS FROM batch")
        connection.unregister("batch")


def insert(connection: duckdb.DuckDBPyConnection, found: Look) -> None:
    """Add what was seen of a batch."""
    for (name, schema), rows in zip(_TABLES.items(), (found.rows, found.notebooks), strict=True):
        connection.register("batch", pa.Table.from_pylist(rows, schema))
        connection.execute(f"INSERT INTO {name} FROM batch")
        connection.unregister("batch")


def counts(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, int]]:
    """Return each split's examples, repositories and notebooks."""
    rows = connection.sql(
        f"""SELECT split, count(*), count(DISTINCT repo), count(DISTINCT (repo, path))
            FROM {_ROWS} GROUP BY split"""
    ).fetchall()
    names = ("examples", "repositories", "notebooks")
    return {split: dict(zip(names, figures, strict=True)) for split, *figures in rows}


def licenses(connection: duckdb.DuckDBPyConnection, *, as_written: bool) -> dict[str, int]:
    """Return how many rows are under each licence, as written or in its SPDX form."""
    found: Counter[str] = Counter()
    for license, count in connection.sql(
        f"SELECT license, count(*) FROM {_ROWS} GROUP BY license"
    ).fetchall():
        known = license if as_written else spdx(license)
        found[known or license or "unknown"] += count
    return dict(found)


def repeated_ids(connection: duckdb.DuckDBPyConnection) -> tuple[int, int, str]:
    """Return the rows, the ids that more than one of them or none has, and the first of these."""
    return _one(
        connection,
        f"""SELECT (SELECT count(*) FROM {_ROWS}), count(*), min(coalesce(id, 'null')) FROM (
            SELECT id FROM {_ROWS} GROUP BY id HAVING count(*) > 1 OR id IS NULL)""",
    )


def in_two_splits(connection: duckdb.DuckDBPyConnection, rows: str) -> tuple[int, int, str]:
    """Return the keys of the SQL `rows` (key, split, id), those in two splits, and an example."""
    return _one(
        connection,
        f"""WITH firsts AS (SELECT key, split, min(id) AS id FROM ({rows}) GROUP BY key, split),
            keys AS (SELECT count(*) AS splits,
                     string_agg(split || ' ' || id, ', ' ORDER BY split) AS ids
                     FROM firsts GROUP BY key)
            SELECT count(*), count(*) FILTER (splits > 1), min(ids) FILTER (splits > 1)
            FROM keys""",
    )


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[int, int, str]:
    ((checked, violations, example),) = connection.sql(query).fetchall()
    return checked, violations, example or ""


def near_findings(
    connection: duckdb.DuckDBPyConnection, in_order: InOrder
) -> Iterator[tuple[str, int, int, str]]:
    """Yield for targets, NL and notebooks: the claim, those in train, the near ones, the first."""
    texts = [
        (kind, f"SELECT coalesce(id, 'null') AS name, {kind.column}, split FROM {_ROWS}")
        for kind in TEXTS
    ]
    for kind, rows in [*texts, (CELLS, notebook_cells("shown"))]:
        claim = f"no {kind.rule.reason} in train ({kind.rule.similarity} or more in common)"
        near = min(pairs) if (pairs := set(near_pairs(connection, rows, kind, in_order))) else None
        example = f"train {near[0]}, held out {near[1]}".replace("\0", "/") if near else ""
        ((train,),) = connection.sql(
            f"SELECT count(*) FROM ({rows}) WHERE split = 'train'"
        ).fetchall()
        yield claim, train, len({name for name, _ in pairs}), example
