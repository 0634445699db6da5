"""The authors' release → a folder like a built one: Parquet a split, and the counts."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow.parquet as pq

from nl2code.corpus.attribution import write_attribution
from nl2code.corpus.build import Built
from nl2code.corpus.files import SplitFiles, digest_of, file_names, share_out, write_files
from nl2code.corpus.released.files import CONFIG, released_files, tables_of
from nl2code.corpus.schema import SCHEMA
from nl2code.corpus.workers import InOrder
from nl2code.errors import UserError

_BLOCK_LINES = 1_000
_BLOCK_BYTES = 16_000_000
_KEYS_MEMORY = "1GB"


def convert(
    folder: Path,
    out: Path,
    report: Callable[[int], object] = lambda count: None,
    in_order: InOrder = map,
) -> Built:
    """Write the release in `folder` as Parquet into the new folder `out`; return the counts.

    Rows keep their order. Of rows with one id, the same cell of the same notebook, the first
    stays. `report` is told the lines after each block.

    Raises:
        UserError: There is no released file, or no line gives an example.
    """
    files = released_files(folder)
    out.mkdir(parents=True)
    built = Built(options={"config": CONFIG})
    with TemporaryDirectory(dir=out) as scratch, duckdb.connect() as connection:
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute(f"SET memory_limit = '{_KEYS_MEMORY}'; SET threads = 1")
        for split, file in files.items():
            parts = Path(scratch, split)
            parts.mkdir()
            drops = _map_lines(file, parts, report, in_order)
            if not any(parts.iterdir()):
                raise UserError(f"{file}: no example; {_counts(drops)}")
            drops["repeated_id"] = _keep_first_of_ids(connection, parts)
            built.splits[split] = _write_split(connection, split, out)
            _add_counts(built, connection, split, drops)
        write_attribution(connection, out)
    built.digest = digest_of(out)
    return built


def _counts(drops: Counter[str]) -> str:
    counts = ", ".join(f"{reason} {count}" for reason, count in sorted(drops.items()))
    return f"dropped: {counts}" if counts else "the file is empty"


def _map_lines(
    file: Path, parts: Path, report: Callable[[int], object], in_order: InOrder
) -> Counter[str]:
    drops: Counter[str] = Counter()
    with file.open("rb") as lines:
        blocks = enumerate(_blocks(lines))
        for lines_read, block_drops in in_order(partial(_write_part, parts), blocks):
            drops.update(block_drops)
            report(lines_read)
    return drops


def _blocks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    block: list[bytes] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line)
        if len(block) == _BLOCK_LINES or size > _BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


def _write_part(parts: Path, item: tuple[int, list[bytes]]) -> tuple[int, Counter[str]]:
    number, lines = item
    drops: Counter[str] = Counter()
    tables = list(tables_of(lines, drops))
    if tables:
        with pq.ParquetWriter(parts / f"{number:08d}.parquet", SCHEMA) as writer:
            for table in tables:
                writer.write_table(table)
    return len(lines), drops


def _keep_first_of_ids(connection: duckdb.DuckDBPyConnection, parts: Path) -> int:
    """Fill the table `kept` with the places and keys of the rows; return how many repeat an id."""
    connection.execute("SET VARIABLE parts = ?", [f"{glob.escape(parts.as_posix())}/*.parquet"])
    connection.execute(
        """CREATE OR REPLACE TABLE kept AS
            SELECT filename, file_row_number, metadata.repo AS repo, metadata.path AS path,
                metadata.source AS source, coalesce(metadata.license, 'unknown') AS license,
                row_number() OVER (PARTITION BY id ORDER BY filename, file_row_number) AS nth
            FROM read_parquet(getvariable('parts'), filename = true, file_row_number = true)"""
    )
    ((repeated,),) = connection.execute("DELETE FROM kept WHERE nth > 1").fetchall()
    return int(repeated)


def _write_split(connection: duckdb.DuckDBPyConnection, split: str, out: Path) -> SplitFiles:
    ((examples, repositories, notebooks),) = connection.sql(
        "SELECT count(*), count(DISTINCT repo), count(DISTINCT (repo, path)) FROM kept"
    ).fetchall()
    places = connection.sql(
        "SELECT filename, file_row_number FROM kept ORDER BY filename, file_row_number"
    ).to_arrow_reader(10_000)
    rows = (tuple(row.values()) for batch in places for row in batch.to_pylist())
    files = file_names(split, examples)
    write_files(out, share_out(rows, files))
    return SplitFiles(files, examples, repositories, notebooks)


def _add_counts(
    built: Built, connection: duckdb.DuckDBPyConnection, split: str, drops: Counter[str]
) -> None:
    counted = sorted(drops.items(), key=lambda item: (-item[1], item[0]))
    built.funnel += [(split, reason, count) for reason, count in counted if count]
    built.funnel.append((split, "kept", built.splits[split].examples))
    for source, count in _totals(connection, "source"):
        built.options[f"{source} rows in {split}"] = count
    for license, count in _totals(connection, "license"):
        built.licenses[license] = built.licenses.get(license, 0) + count


def _totals(connection: duckdb.DuckDBPyConnection, column: str) -> list[tuple[str, int]]:
    totals = connection.sql(f"SELECT {column}, count(*) FROM kept GROUP BY 1 ORDER BY 2 DESC, 1")
    return [(str(value), int(count)) for value, count in totals.fetchall()]
