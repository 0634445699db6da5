"""How far above the target the nearest definition of each name stands that it uses."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.python_code import NotPython, names_defined

SAMPLE = 100_000
"""Examples of a group beyond which a sample of them is read: each context cell costs a parse."""
_COLUMNS = ["id", "uses_variables", "uses_methods", "context"]
_BATCH = 50
_PARSED_CELLS = 1_000


@dataclass(frozen=True, slots=True)
class Distances:
    """Used names by the distance of their nearest definition."""

    counts: dict[int, int]
    missing: int
    """Names that no cell of the stored context defines, such as a cell that was cut away."""
    share: float
    """The share of the examples that were read."""


def definition_distances(paths: list[Path], examples: int, sample: int = SAMPLE) -> Distances:
    """Return the distances in the files' `examples`, or in a sample of about `sample` of them.

    The sample is drawn by the hash of the id: the same in whatever files and order.
    """
    share = min(1.0, sample / examples) if examples else 1.0
    defined = lru_cache(_PARSED_CELLS)(_names)  # examples of a notebook share their context
    counts: Counter[int | None] = Counter()
    for row in _rows(paths, share):
        counts.update(_nearest(row, defined))
    missing = counts.pop(None, 0)
    return Distances(
        {distance: counts[distance] for distance in sorted(d for d in counts if d is not None)},
        missing,
        share,
    )


def _rows(paths: list[Path], share: float) -> Iterator[dict[str, Any]]:
    """Yield the rows of the sample that use a name; of the others no context becomes Python."""
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH, columns=_COLUMNS, use_threads=False):
                keys = batch.select(_COLUMNS[:3]).to_pylist()
                rows = [number for number, key in enumerate(keys) if _is_read(key, share)]
                yield from batch.take(pa.array(rows, pa.int64())).to_pylist()


def _is_read(key: dict[str, Any], share: float) -> bool:
    uses_names = key["uses_variables"] or key["uses_methods"]
    return bool(uses_names) and _drawn(key["id"] or "", share)


def _drawn(key: str, share: float) -> bool:
    drawn = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")
    return drawn < share * 2**64


def _nearest(row: dict[str, Any], defined: Callable[[str], frozenset[str]]) -> Iterator[int | None]:
    """Yield the distance for each name that the row says its target uses; None if there is none."""
    cells = [cell for cell in row["context"] or () if cell["code"]]
    cells.sort(key=lambda cell: cell["distance_target"])
    for name in (*(row["uses_variables"] or ()), *(row["uses_methods"] or ())):
        yield next(
            (
                cell["distance_target"]
                for cell in cells
                if _may_define(cell["code"], name) and name in defined(cell["code"])
            ),
            None,
        )


def _may_define(source: str, name: str) -> bool:
    # Python reads other spellings of a name as the same (NFKC), but not in ASCII.
    return name in source or not source.isascii()


def _names(source: str) -> frozenset[str]:
    try:
        names = names_defined(source)
    except NotPython:
        return frozenset()
    return names.variables | names.methods
