"""What must leave train because dev or test hold it, or something near; keys only, streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from nl2code.corpus.near_duplicates import (
    NLS,
    NOTEBOOKS,
    TARGETS,
    NearIndex,
    Rule,
    Weights,
    nl_parts,
    notebook_parts,
    target_parts,
)

HELD_AT_ONCE = 20_000
"""Rows of dev and test in the index; of more, train is read once for each so many."""
_STREAMED = 2_000


@dataclass(frozen=True, slots=True)
class Kind:
    """What is compared: a column, the parts that its values are cut into, and the rule."""

    rule: Rule
    column: str
    parts: Callable[[Any], Weights]


TEXTS = (
    Kind(TARGETS, "code_tokens_clean", target_parts),
    Kind(NLS, "nl", nl_parts),
)
CELLS = Kind(NOTEBOOKS, "cell_keys", notebook_parts)


def notebook_cells(rows: str) -> str:
    """SQL for the notebooks (name, cell_keys, split) of `rows`: the cells that any row shows."""
    return f"""SELECT name, list(key) AS cell_keys, split FROM (
        SELECT DISTINCT repo || chr(0) || path AS name, unnest(cell_keys) AS key, split FROM {rows})
        GROUP BY name, split"""


def near_pairs(
    connection: duckdb.DuckDBPyConnection, rows: str, kind: Kind
) -> Iterator[tuple[str, str]]:
    """Yield the names in train that are near something in dev or test, with the first such name.

    Args:
        connection: Where the SQL runs; nothing else may run in it meanwhile.
        rows: SQL with the columns name, split and the kind's.
        kind: What to compare.
    """
    held = f"SELECT name, {kind.column} FROM ({rows}) WHERE split <> 'train' ORDER BY name"
    train = f"SELECT name, {kind.column} FROM ({rows}) WHERE split = 'train'"
    ((count,),) = connection.sql(f"SELECT count(*) FROM ({held})").fetchall()
    for start in range(0, count, HELD_AT_ONCE):
        slice_ = f"{held} LIMIT {HELD_AT_ONCE} OFFSET {start}"
        index = NearIndex(_stream(connection, slice_, kind), kind.rule)
        for name, parts in _stream(connection, train, kind):
            found = index.near(parts)
            if found is not None:
                yield name, found


def _stream(
    connection: duckdb.DuckDBPyConnection, query: str, kind: Kind
) -> Iterator[tuple[str, Weights]]:
    for batch in connection.sql(query).to_arrow_reader(_STREAMED):
        for row in batch.to_pylist():
            yield row["name"], kind.parts(row[kind.column] or ())
