"""A split on disk: its Parquet files, row groups and digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nl2code.corpus.parts import Complete, Place, read_rows
from nl2code.corpus.schema import SCHEMA
from nl2code.corpus.workers import InOrder, chunks

ROWS_PER_FILE = 10_000
ROWS_PER_GROUP = 200
_BYTES_PER_GROUP = 64_000_000


@dataclass(frozen=True, slots=True)
class Files:
    """A split on disk."""

    files: tuple[str, ...]
    examples: int


@dataclass(frozen=True, slots=True)
class SplitFiles(Files):
    """A split of JuICe on disk."""

    repositories: int
    notebooks: int


def file_names(split: str, examples: int) -> tuple[str, ...]:
    """The files of a split; of none there is no file, on which `load_dataset` would fail.

    >>> file_names("train", 10_001)
    ('train-00000-of-00002.parquet', 'train-00001-of-00002.parquet')
    """
    count = -(-examples // ROWS_PER_FILE)
    return tuple(f"{split}-{number:05d}-of-{count:05d}.parquet" for number in range(count))


def share_out(places: Iterable[Place], names: Iterable[str]) -> Iterator[tuple[str, list[Place]]]:
    """Yield each file of a split with the places of its rows."""
    return zip(names, chunks(places, ROWS_PER_FILE), strict=True)


def write_files(
    folder: Path,
    files: Iterable[tuple[str, list[Place]]],
    completing: Callable[[], Complete] = lambda: _as_they_are,
    in_order: InOrder = map,
) -> None:
    """Write to each file the rows at its places, in their order."""
    for _ in in_order(partial(_write_file, folder, completing), files):
        pass


def _as_they_are(file: str, rows: pa.Table) -> list[pa.Table]:
    return [rows]


def _write_file(
    folder: Path, completing: Callable[[], Complete], file: tuple[str, list[Place]]
) -> None:
    name, places = file
    with pq.ParquetWriter(folder / name, SCHEMA, compression="zstd") as writer:
        for group in _groups(read_rows(places, completing())):
            writer.write_table(group)


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows again, in tables of `ROWS_PER_GROUP`, or of fewer whose contexts are large."""
    pending: list[pa.Table] = []
    count = held = 0
    for rows in tables:
        start = 0
        for place, size in enumerate(_context_bytes(rows)):
            if count == ROWS_PER_GROUP or (count and held + size > _BYTES_PER_GROUP):
                pending.append(rows.slice(start, place - start))
                yield pa.concat_tables(pending).combine_chunks()
                pending, start, count, held = [], place, 0, 0
            count += 1
            held += size
        pending.append(rows.slice(start))
    if count:
        yield pa.concat_tables(pending).combine_chunks()


def _context_bytes(rows: pa.Table) -> list[int]:
    """The bytes of text in the context of each row."""
    context = rows["context"].combine_chunks()
    cells = context.flatten()
    texts = (pc.binary_length(pc.struct_field(cells, name)) for name in ("code", "nl_original"))
    lengths = sum(pc.fill_null(text, 0).to_numpy() for text in texts)
    total = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    ends = np.cumsum(pc.fill_null(pc.list_value_length(context), 0).to_numpy())
    sizes: list[int] = np.diff(total[np.concatenate([[0], ends])]).tolist()
    return sizes


def digest_of(folder: Path) -> str:
    """SHA-256 over the names and bytes of the Parquet files."""
    return digest_of_files(sorted(folder.glob("*.parquet")))


def digest_of_files(paths: Iterable[Path]) -> str:
    """SHA-256 over the names and bytes of the files, in their order."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.name} {content}\n".encode())
    return digest.hexdigest()
