"""Whether a built folder, ours or not, keeps to what the dataset promises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from nl2code.corpus.check.files import (
    Row,
    Splits,
    find_splits,
    has_our_rows,
    read_report,
    read_rows,
    read_schema,
    wrong_columns,
    wrong_counts,
    wrong_digests,
)
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
from nl2code.corpus.near_duplicates import cell_keys, own_keys
from nl2code.errors import UserError, sentence

MOST_ANALYSED = 100_000
"""Rows whose code is parsed again; of more, every second, third, …"""
_MEMORY = "1GB"


@dataclass(frozen=True, slots=True)
class Finding:
    """An invariant, on how many things it was checked, how many break it, and the first."""

    invariant: str
    checked: int
    violations: int
    example: str = ""


@dataclass(slots=True)
class _Tally:
    checked: int = 0
    violations: int = 0
    example: str = ""

    def add(self, example: str) -> None:
        self.violations += 1
        self.example = self.example or example


@dataclass(slots=True)
class _RowTallies:
    cap: Cap
    step: int
    """Every so many rows, one is analysed."""
    tallies: dict[str, _Tally] = field(
        default_factory=lambda: {name: _Tally() for name in (*CHEAP, *ANALYSED)}
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
        UserError: There is no such folder, or no splits of Parquet that can be read in it.
    """
    splits, claimed = find_splits(folder)
    report = read_report(folder)
    schemas = {path: read_schema(path) for paths in splits.values() for path in paths}
    faults = (
        f"{Path(path).name}: {fault}"
        for path, schema in schemas.items()
        for fault in wrong_columns(schema)
    )
    findings = [_finding("the columns are the dataset's", len(schemas), faults)]
    if report:
        wrong = wrong_digests(folder, report)
        findings.append(_finding("the digest is that of the files", 2, wrong))
    if not all(map(has_our_rows, schemas)):
        return findings
    try:
        return [*findings, *_check_content(folder, splits, claimed, report)]
    except duckdb.Error as error:
        raise UserError(f"{folder}: cannot be read: {sentence(error)}") from None


def _finding(invariant: str, checked: int, faults: Iterable[str]) -> Finding:
    found = list(faults)
    return Finding(invariant, checked, len(found), found[0] if found else "")


def _check_content(
    folder: Path, splits: Splits, claimed: dict[str, int], report: dict[str, Any]
) -> Iterator[Finding]:
    with TemporaryDirectory() as scratch, duckdb.connect() as connection:
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute(f"SET memory_limit = '{_MEMORY}'; SET preserve_insertion_order = false")
        open_rows(connection, splits)
        counted = counts(connection)
        stated = list(wrong_counts(folder, report, claimed, counted))
        wrong = (text for text, is_wrong in stated if is_wrong)
        yield _finding("the stated counts are right", len(stated), wrong)
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
        for rows in (rows for path in paths for rows in read_rows(path)):
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


def print_findings(findings: list[Finding], folder: Path) -> None:
    """Print a line an invariant, the broken ones in bold red."""
    table = Table("invariant", "checked", "violations", "first example", title=str(folder))
    for finding in findings:
        style = "bold red" if finding.violations else None
        figures = (f"{finding.checked:,}", f"{finding.violations:,}")
        table.add_row(finding.invariant, *figures, finding.example, style=style)
    Console().print(table)
