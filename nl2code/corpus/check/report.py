"""Whether a built folder, ours or not, keeps to what the dataset promises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa

from nl2code.corpus.check.files import Row, Splits, find_splits, read_rows
from nl2code.corpus.check.findings import Finding, Tally
from nl2code.corpus.check.rows import ANALYSED, CHEAP, Cap, broken, wrong_analysis
from nl2code.corpus.check.splits import (
    DUPLICATES,
    SHOWS,
    counts,
    in_two_splits,
    near_findings,
    open_rows,
    repeated_ids,
    shows_held_out,
)
from nl2code.corpus.check.stated import check_counts, check_files, read_report
from nl2code.corpus.features import FEATURES
from nl2code.corpus.folders import JUICE, refuse_others
from nl2code.corpus.near_duplicates import cell_keys, own_keys
from nl2code.errors import UserError, sentence

MOST_ANALYSED = 100_000
"""Rows whose code is parsed again; of more, every second, third, …"""
_MEMORY = "1GB"
_HELD_OUT = ("dev", "test")  # train is missing where only courses were built


@dataclass(slots=True)
class _RowTallies:
    cap: Cap
    step: int
    """Every so many rows, one is analysed."""
    tallies: dict[str, Tally] = field(
        default_factory=lambda: {name: Tally() for name in (*CHEAP, *ANALYSED)}
    )
    seen: int = 0

    def add(self, row: Row) -> None:
        faults = list(broken(row, self.cap))
        names: tuple[str, ...] = CHEAP
        if self.seen % self.step == 0:
            faults += wrong_analysis(row)
            names = (*CHEAP, *ANALYSED)
        for name in names:
            self.tallies[name].checked += 1
        for name, how in faults:
            self.tallies[name].add(f"{row['id']}: {how}")
        self.seen += 1


def check(folder: Path) -> list[Finding]:
    """Check the splits in `folder`, whoever built it; memory does not grow with train.

    Near-duplicates are found by their exact similarity: no finding means that there are none.
    What the code says (normal form, API sequence) is checked on 100,000 rows or all. Where
    columns are missing or other, only the files are checked.

    Raises:
        UserError: There is no such folder, or no splits of Parquet that can be read in it, or
            nl2bash.py made it.
    """
    refuse_others(folder, JUICE)
    splits, claimed = find_splits(folder, _HELD_OUT)
    report = read_report(folder)
    findings, are_ours = check_files(folder, splits, report, FEATURES)
    if not are_ours:
        return findings
    try:
        return [*findings, *_check_content(folder, splits, claimed, report)]
    except duckdb.Error as error:
        raise UserError(f"{folder}: cannot be read: {sentence(error)}") from None


def _check_content(
    folder: Path, splits: Splits, claimed: dict[str, int], report: dict[str, Any]
) -> Iterator[Finding]:
    with TemporaryDirectory() as scratch, duckdb.connect() as connection:
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute(f"SET memory_limit = '{_MEMORY}'; SET preserve_insertion_order = false")
        open_rows(connection, splits)
        counted = counts(connection)
        yield check_counts(folder, report, claimed, counted)
        total = sum(split["examples"] for split in counted.values())
        tallies = _RowTallies(_cap(report), step=-(-total // MOST_ANALYSED) or 1)
        yield from _check_rows(connection, splits, tallies)
        yield from _check_splits(connection)


def _cap(report: dict[str, Any]) -> Cap:
    options = report.get("options", {})
    return Cap("max_context_cells" in options, options.get("max_context_cells"))


def _check_rows(
    connection: duckdb.DuckDBPyConnection, splits: Splits, tallies: _RowTallies
) -> Iterator[Finding]:
    """Check each row by itself, and fill `shown` with the cells of each."""
    for split, paths in splits.items():
        for rows in (rows for path in paths for rows in read_rows(path, FEATURES)):
            for row in rows:
                tallies.add(row)
            _show(connection, split, rows)
    for name, tally in tallies.tallies.items():
        yield Finding(name, tally.checked, tally.violations, tally.example)


def _show(connection: duckdb.DuckDBPyConnection, split: str, rows: list[Row]) -> None:
    places = [row["metadata"] or {} for row in rows]
    keys = [cell_keys(row["context"] or (), row["code"] or "") for row in rows]
    own = [
        own_keys(row["nl_original"] or "", row["code"] or "", row["tests"] or ()) for row in rows
    ]
    table = pa.table(
        {
            "split": [split] * len(rows),
            "repo": pa.array([place.get("repo") for place in places], pa.string()),
            "path": pa.array([place.get("path") for place in places], pa.string()),
            "cell_keys": pa.array(keys, pa.list_(pa.uint64())),
            "own_keys": pa.array(own, pa.list_(pa.uint64())),
        }
    )
    connection.register("batch", table)
    connection.execute("INSERT INTO shown FROM batch WHERE repo <> '' AND path <> ''")
    connection.unregister("batch")


def _check_splits(connection: duckdb.DuckDBPyConnection) -> Iterator[Finding]:
    yield Finding("ids are unique", *repeated_ids(connection))
    for claim, rows in DUPLICATES.items():
        yield Finding(claim, *in_two_splits(connection, rows))
    yield Finding(SHOWS, *shows_held_out(connection))
    for claim, checked, violations, example in near_findings(connection):
        yield Finding(claim, checked, violations, example)
