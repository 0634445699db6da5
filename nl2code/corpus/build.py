"""Sources → the built folder: Parquet a split, a card, and the counts of what was dropped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.mapping import Drops, map_notebooks
from nl2code.corpus.parts import read_rows
from nl2code.corpus.schema import FEATURES
from nl2code.corpus.splits import PARTS, SPLITS, HeldOut, choose
from nl2code.corpus.targets import TargetRules
from nl2code.errors import UserError
from nl2code.sources import find_notebooks

ROWS_PER_FILE = 10_000
ROWS_PER_GROUP = 200
_KEYS_MEMORY = "1GB"


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """A split on disk."""

    files: tuple[str, ...]
    examples: int
    repositories: int
    notebooks: int


@dataclass(slots=True)
class Built:
    """What a build did: what the card says and `build.json` holds."""

    splits: dict[str, SplitFiles] = field(default_factory=dict)
    funnel: list[tuple[str, str, int]] = field(default_factory=list)
    """(stage, reason, count), `kept` among the reasons of each stage."""
    licenses: dict[str, int] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    digest: str = ""


def build(
    sources: list[Path],
    folder: Path,
    rules: TargetRules,
    held_out: HeldOut,
    workers: int = 1,
    report: Callable[[int], object] = lambda count: None,
) -> Built:
    """Build the dataset's Parquet files in the new folder `folder`.

    The same notebooks give the same bytes, whatever the workers and the order of the sources.

    Raises:
        UserError: A source cannot be used, or no example is left.
    """
    folder.mkdir(parents=True)
    built = Built(options=asdict(rules) | {"dev_test": held_out.unit, "seed": held_out.seed})
    with TemporaryDirectory(dir=folder) as scratch, duckdb.connect() as connection:
        parts = Path(scratch)
        drops = map_notebooks(find_notebooks(sources), parts, rules, workers, report)
        if not any(parts.iterdir()):
            raise UserError(_nothing_left(sources, drops))
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute(f"SET memory_limit = '{_KEYS_MEMORY}'; SET threads = {workers}")
        duplicates = choose(connection, parts, held_out)
        for split in SPLITS:
            built.splits[split] = _write_split(connection, split, folder)
        built.licenses = _licenses(connection)
    built.funnel = funnel(drops, duplicates, sum(s.examples for s in built.splits.values()))
    built.digest = _digest(folder)
    return built


def _nothing_left(sources: list[Path], drops: Drops) -> str:
    reasons = drops.unreadable + drops.filtered + drops.targets
    counts = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    where = ", ".join(map(str, sources))
    return f"{where}: no example in {drops.notebooks} notebooks; dropped: {counts or 'nothing'}"


def funnel(drops: Drops, duplicates: dict[str, int], kept: int) -> list[tuple[str, str, int]]:
    """The table of reasons, from the notebooks found to the examples kept."""
    read = drops.notebooks - drops.unreadable.total()
    unique = kept + sum(duplicates.values())
    stages = {
        "read": (drops.unreadable, read),
        "notebook": (drops.filtered, read - drops.filtered.total()),
        "target": (drops.targets, unique),
        "duplicate": (duplicates, kept),
    }
    rows = []
    for stage, (reasons, left) in stages.items():
        counted = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        rows += [(stage, reason, count) for reason, count in counted if count]
        rows.append((stage, "kept", left))
    return rows


def _write_split(connection: duckdb.DuckDBPyConnection, split: str, folder: Path) -> SplitFiles:
    ((examples, repositories, notebooks),) = connection.execute(
        "SELECT count(*), count(DISTINCT repo), count(DISTINCT (repo, path)) FROM ranked"
        " WHERE split = ?",
        [split],
    ).fetchall()
    count = max(1, -(-examples // ROWS_PER_FILE))
    names = [f"{split}-{number:05d}-of-{count:05d}.parquet" for number in range(count)]
    rows = _sorted_rows(connection, split)
    for name in names:
        _write_file(folder / name, rows, ROWS_PER_FILE)
    return SplitFiles(tuple(names), examples, repositories, notebooks)


def _sorted_rows(connection: duckdb.DuckDBPyConnection, split: str) -> Iterator[pa.Table]:
    """Yield the split's rows by repository, path and cell, in tables of `ROWS_PER_GROUP`.

    Only the keys are sorted; the rows are read back notebook by notebook.
    """
    places = connection.sql(
        "SELECT filename, file_row_number FROM ranked WHERE split = ?"
        " ORDER BY repo, path, cell, id",
        params=[split],
    ).to_arrow_reader(10_000)
    pending = FEATURES.arrow_schema.empty_table()
    for rows in read_rows(tuple(row.values()) for batch in places for row in batch.to_pylist()):
        pending = pa.concat_tables([pending, rows])
        while len(pending) >= ROWS_PER_GROUP:
            yield pending.slice(0, ROWS_PER_GROUP).combine_chunks()
            pending = pending.slice(ROWS_PER_GROUP)
    if len(pending):
        yield pending.combine_chunks()


def _write_file(path: Path, groups: Iterator[pa.Table], rows: int) -> None:
    with pq.ParquetWriter(path, FEATURES.arrow_schema, compression="zstd") as writer:
        written = 0
        while written < rows and (group := next(groups, None)) is not None:
            writer.write_table(group)
            written += len(group)


def _licenses(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    rows = connection.sql(
        f"""SELECT coalesce(metadata.license, 'unknown') AS license, count(*) AS examples
            FROM {PARTS} JOIN kept USING (filename, file_row_number)
            GROUP BY 1 ORDER BY 2 DESC, 1"""
    ).fetchall()
    return dict(rows)


def _digest(folder: Path) -> str:
    """SHA-256 over the names and bytes of the Parquet files."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.parquet")):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.name} {content}\n".encode())
    return digest.hexdigest()
