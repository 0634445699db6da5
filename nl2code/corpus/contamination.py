"""What must leave train because dev or test hold it, or something near; keys only, streamed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import duckdb
import pyarrow as pa

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
from nl2code.corpus.workers import InOrder

HELD_AT_ONCE = 10_000
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
    connection: duckdb.DuckDBPyConnection, rows: str, kind: Kind, in_order: InOrder = map
) -> Iterator[tuple[str, str]]:
    """Yield the names in train that are near something in dev or test, with the first such name.

    Args:
        connection: Where the SQL runs; nothing else may run in it meanwhile.
        rows: SQL with the columns name, split and the kind's.
        kind: What to compare.
        in_order: Does the comparisons, in processes or not.
    """
    held = f"SELECT name, {kind.column} FROM ({rows}) WHERE split <> 'train' ORDER BY name"
    train = f"SELECT name, {kind.column} FROM ({rows}) WHERE split = 'train'"
    ((count,),) = connection.sql(f"SELECT count(*) FROM ({held})").fetchall()
    for start in range(0, count, HELD_AT_ONCE):
        slice_ = connection.sql(f"{held} LIMIT {HELD_AT_ONCE} OFFSET {start}")
        index = NearIndex(_parts(slice_.to_arrow_table(), kind), kind.rule)
        near = partial(_near, pickle.dumps(index), kind)
        for found in in_order(near, connection.sql(train).to_arrow_reader(_STREAMED)):
            yield from found


def _near(index: bytes, kind: Kind, train: pa.RecordBatch) -> list[tuple[str, str]]:
    """The rows of train that are near something in the index, which each process unpacks once."""
    near = _unpacked(index).near
    return [(name, found) for name, parts in _parts(train, kind) if (found := near(parts))]


@lru_cache(maxsize=1)
def _unpacked(index: bytes) -> NearIndex:
    unpacked: NearIndex = pickle.loads(index)
    return unpacked


def _parts(rows: pa.Table | pa.RecordBatch, kind: Kind) -> Iterator[tuple[str, Weights]]:
    for row in rows.to_pylist():
        yield row["name"], kind.parts(row[kind.column] or ())
