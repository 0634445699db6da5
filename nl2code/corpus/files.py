"""A split on disk: its Parquet files, row groups and digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.parts import Complete, read_rows
from nl2code.corpus.schema import SCHEMA

ROWS_PER_FILE = 10_000
ROWS_PER_GROUP = 200


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """A split on disk."""

    files: tuple[str, ...]
    examples: int
    repositories: int
    notebooks: int


def write_files(
    split: str,
    folder: Path,
    examples: int,
    places: Iterable[tuple[str, int]],
    complete: Complete = lambda file, rows: [rows],
) -> tuple[str, ...]:
    """Write the rows at the places (file, row), in their order; return the files' names.

    Without rows there is no file: `load_dataset` fails on a split of none.
    """
    count = -(-examples // ROWS_PER_FILE)
    names = [f"{split}-{number:05d}-of-{count:05d}.parquet" for number in range(count)]
    groups = _groups(read_rows(places, complete))
    for name in names:
        _write_file(folder / name, groups)
    return tuple(names)


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows again, in tables of `ROWS_PER_GROUP`."""
    pending: list[pa.Table] = []
    for rows in tables:
        pending.append(rows)
        if sum(map(len, pending)) < ROWS_PER_GROUP:
            continue
        table = pa.concat_tables(pending)
        whole = len(table) - len(table) % ROWS_PER_GROUP
        for start in range(0, whole, ROWS_PER_GROUP):
            yield table.slice(start, ROWS_PER_GROUP).combine_chunks()
        pending = [table.slice(whole)]
    if sum(map(len, pending)):
        yield pa.concat_tables(pending).combine_chunks()


def _write_file(path: Path, groups: Iterator[pa.Table]) -> None:
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        written = 0
        while written < ROWS_PER_FILE and (group := next(groups, None)) is not None:
            writer.write_table(group)
            written += len(group)


def digest_of(folder: Path) -> str:
    """SHA-256 over the names and bytes of the Parquet files."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.parquet")):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.name} {content}\n".encode())
    return digest.hexdigest()
