"""Whether a built folder, ours or not, keeps to what the dataset promises."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow.parquet as pq

from nl2code.corpus.check.batches import SHOWS, Batch, look
from nl2code.corpus.check.card import check_attribution, check_card
from nl2code.corpus.check.derived import DERIVED
from nl2code.corpus.check.files import Splits, find_splits, read_tables
from nl2code.corpus.check.findings import Finding, Tally
from nl2code.corpus.check.made import Made, made_of
from nl2code.corpus.check.notebooks import (
    ORDER,
    Order,
    check_agreement,
    check_versions,
    insert_cells,
    open_table,
)
from nl2code.corpus.check.rows import CHEAP, claims_of
from nl2code.corpus.check.sources import check_stated_sources
from nl2code.corpus.check.splits import (
    DUPLICATES,
    counts,
    in_two_splits,
    insert,
    licenses,
    near_findings,
    open_tables,
    repeated_ids,
)
from nl2code.corpus.check.stated import STATED, check_counts, check_files, check_licenses
from nl2code.corpus.check.statement import read_report
from nl2code.corpus.check.sums import check_sums
from nl2code.corpus.features import FEATURES
from nl2code.corpus.folders import JUICE, refuse_others
from nl2code.corpus.held_texts import write_held
from nl2code.corpus.workers import InOrder
from nl2code.errors import UserError, sentence

MOST_ANALYSED = 100_000
"""Rows whose code, NL and context are read again; of more, every second, third, …"""
_FEW = 1_000
"""Rows that are read before other processes have started."""
_MEMORY = "1GB"
_HELD_OUT = ("dev", "test")  # train is missing where only courses were built
_STATED = ("licenses", "redacted", "bytes_per_example")


def check(folder: Path, in_order: InOrder = map) -> list[Finding]:
    """Check the splits in `folder`, whoever built it; memory does not grow with train.

    Near-duplicates are found by their exact similarity: no finding means that there are none.
    What code, NL and context say is checked on 100,000 rows or all. Where columns are missing or
    other, only the files are checked.

    Args:
        folder: The built folder.
        in_order: Reads the rows, in processes or not.

    Raises:
        UserError: There is no such folder, or no splits of Parquet that can be read in it, or
            nl2bash.py made it.
    """
    refuse_others(folder, JUICE)
    splits, claimed = find_splits(folder, _HELD_OUT)
    report = read_report(folder)
    findings, are_ours = check_files(folder, splits, report, FEATURES, _STATED)
    if not are_ours:
        return findings
    made = made_of(report)
    if report and not any(one.violations for one in findings if one.invariant == STATED):
        findings.append(check_card(folder, report, made))
        findings += [check_sums(folder, report)] if made.known else []
    total = sum(pq.read_metadata(path).num_rows for paths in splits.values() for path in paths)
    try:
        found = _check_content(folder, splits, claimed, report, in_order if total > _FEW else map)
        return [*findings, *found]
    except duckdb.Error as error:  # of our own tables: a full disk
        raise UserError(f"{folder}: cannot be checked: {sentence(error)}") from None


def _check_content(
    folder: Path,
    splits: Splits,
    claimed: dict[str, int],
    report: dict[str, Any],
    in_order: InOrder,
) -> Iterator[Finding]:
    with TemporaryDirectory() as scratch, duckdb.connect(f"{scratch}/keys.duckdb") as connection:
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute(f"SET memory_limit = '{_MEMORY}'; SET preserve_insertion_order = false")
        open_tables(connection)
        open_table(connection)
        made = made_of(report)
        tallies = _look_at_rows(connection, splits, made, Path(scratch), in_order)
        yield check_counts(folder, report, claimed, counts(connection))
        if report:
            found = licenses(connection, as_written="config" in report.get("options", {}))
            yield check_licenses(report, found)
        if made.known:
            yield check_attribution(connection, folder, Path(scratch))
        if made.released:
            yield check_stated_sources(connection, report["options"])
        for name in (*CHEAP, *claims_of(made), *DERIVED):
            yield _finding(name, tallies)
        if made.known:
            yield _finding(ORDER, tallies)
            yield check_agreement(connection)
            yield check_versions(connection)
        yield Finding("ids are unique", *repeated_ids(connection))
        for claim, rows in DUPLICATES.items():
            yield Finding(claim, *in_two_splits(connection, rows))
        yield _finding(SHOWS, tallies)
        for claim, checked, violations, example in near_findings(connection, in_order):
            yield Finding(claim, checked, violations, example)


def _finding(name: str, tallies: dict[str, Tally]) -> Finding:
    tally = tallies[name]
    return Finding(name, tally.checked, tally.violations, tally.example)


def _look_at_rows(
    connection: duckdb.DuckDBPyConnection,
    splits: Splits,
    made: Made,
    scratch: Path,
    in_order: InOrder,
) -> dict[str, Tally]:
    """Check each row by itself, and fill the tables; train last, which must not show the others."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    held: set[str] = set()
    order = Order(tallies[ORDER])
    total = sum(pq.read_metadata(path).num_rows for paths in splits.values() for path in paths)
    step = max(1, -(-total // MOST_ANALYSED))
    parts = (
        [name for name in splits if name != "train"],
        [name for name in splits if name == "train"],
    )
    number = 0
    for turn, names in enumerate(parts):
        file = scratch / f"{turn}.held"
        write_held(held, file)
        batches = _batches({name: splits[name] for name in names}, number)
        for found in in_order(partial(look, made, file, step), batches):
            number += len(found.rows)
            held |= found.telling
            insert(connection, found)
            order.read(found.rows)
            if found.shown is not None:
                insert_cells(connection, found.shown)
            for name, tally in found.tallies.items():
                tallies[name].join(tally)
    return tallies


def _batches(splits: Splits, number: int) -> Iterable[Batch]:
    for split, paths in splits.items():
        for table in (table for path in paths for table in read_tables(path, FEATURES)):
            yield Batch(split, number, table)
            number += len(table)
