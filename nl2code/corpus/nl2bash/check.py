"""Whether a built folder of NL2Bash keeps to what its card promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from nl2code.corpus.check.files import Row, find_splits, read_rows
from nl2code.corpus.check.findings import Finding, Tally, finding_of
from nl2code.corpus.check.stated import check_counts, check_files
from nl2code.corpus.check.statement import read_report
from nl2code.corpus.folders import NL2BASH, refuse_others
from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.nl2bash.build import reader
from nl2code.corpus.nl2bash.commands import ReadCommand
from nl2code.corpus.nl2bash.rows import counts_of, row_of
from nl2code.corpus.nl2bash.schema import FEATURES
from nl2code.corpus.nl2bash.sources import Pair
from nl2code.corpus.nl2bash.split import Keys, published_lines, split_by_rule

PARSES = "every command parses"
_GIVEN = ("line", "nl", "command", "cluster", "leaks")
_DERIVED = [name for name in FEATURES if name not in ("line", "nl", "command", "leaks")]
_SPLITS = {
    "published": "the split is the published one",
    "rebuilt": "the split is what the rule draws",
}

Splits = dict[str, list[Row]]


def check_pairs(folder: Path, read: ReadCommand | None = None) -> list[Finding]:
    """Check the splits in `folder`; where columns or values are missing, only what is there.

    Args:
        folder: The built folder.
        read: Reads a command, in place of our parser.

    Raises:
        UserError: There is no such folder, or no splits of Parquet that can be read in it, or
            juice.py made it.
    """
    refuse_others(folder, NL2BASH)
    files, claimed = find_splits(folder, SPLITS)
    report = read_report(folder)
    findings, are_ours = check_files(folder, files, report, FEATURES)
    if not are_ours:
        return findings
    splits = {split: _read(paths) for split, paths in files.items()}
    rows = list(chain(*splits.values()))
    lacking = (f"line {row['line']}: {lack}" for row in rows if (lack := ", ".join(_lacking(row))))
    findings.append(finding_of(f"each pair has {', '.join(_GIVEN)}", len(rows), lacking))
    if findings[-1].violations:
        return findings
    counted = {split: counts_of(found) for split, found in splits.items()}
    findings.append(check_counts(folder, report, claimed, counted))
    config = str(report.get("options", {}).get("config", ""))
    # A redirect is no fault where nothing says that the pairs were rebuilt.
    read = read or reader(config or "published")
    return [*findings, *_check_rows(rows, read), *_check_splits(splits, config)]


def _read(paths: tuple[str, ...]) -> list[Row]:
    return [row for path in paths for rows in read_rows(path, FEATURES) for row in rows]


def _lacking(row: Row) -> list[str]:
    return [name for name in _GIVEN if row[name] is None]


def _check_rows(rows: list[Row], read: ReadCommand) -> Iterator[Finding]:
    """Build each row again: all but its place is read off its sentence and its command."""
    tallies = {name: Tally(len(rows)) for name in (PARSES, *_DERIVED)}
    for row in rows:
        command = read(row["command"])
        if isinstance(command, str):
            tallies[PARSES].add(f"line {row['line']}: {command}")
        again = row_of(Pair(row["line"], row["nl"], row["command"]), command)
        for name in _DERIVED:
            if row[name] != again.get(name):
                difference = f"{_shown(row[name])}, not {_shown(again.get(name))}"
                tallies[name].add(f"line {row['line']}: {difference}")
    for name, tally in tallies.items():
        claim = name if name == PARSES else f"{name} is what the pair gives"
        yield Finding(claim, tally.checked, tally.violations, tally.example)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _check_splits(splits: Splits, config: str) -> Iterator[Finding]:
    rows = list(chain(*splits.values()))
    lines = Counter(row["line"] for row in rows)
    repeated = (f"line {line}: {count} rows" for line, count in lines.items() if count > 1)
    yield finding_of("line numbers are unique", len(rows), repeated)
    yield finding_of("leaks says whether train has the cluster", len(rows), _wrong_leaks(splits))
    # The rule moves a pair whose command is known to train: its cluster may stay behind, and leak.
    for column, one, other in (
        ("cluster", ("dev",), ("test",)),
        ("command", ("train",), ("dev", "test")),
    ):
        here, there = _values(splits, column, one), _values(splits, column, other)
        claim = f"no {column} of {' or '.join(one)} stands in {' or '.join(other)}"
        yield finding_of(claim, len(here), sorted(here & there))
    if config in _SPLITS:
        yield finding_of(_SPLITS[config], len(rows), _misplaced(splits, config))


def _values(splits: Splits, column: str, names: tuple[str, ...]) -> set[str]:
    return {row[column] for name in names for row in splits.get(name, ())}


def _wrong_leaks(splits: Splits) -> Iterator[str]:
    trained = _values(splits, "cluster", ("train",))
    for split, rows in splits.items():
        for row in rows:
            right = split != "train" and row["cluster"] in trained
            if row["leaks"] is not right:
                yield f"line {row['line']}: {row['leaks']}, not {right}"


def _misplaced(splits: Splits, config: str) -> Iterator[str]:
    """Yield the lines that the published split, or our rule, puts elsewhere."""
    found = {row["line"]: split for split, rows in splits.items() for row in rows}
    if config == "published":
        right = published_lines()
    else:
        keys = ("line", "cluster", "command")
        right = split_by_rule(
            Keys(*(row[name] for name in keys)) for row in chain(*splits.values())
        )
    place = {line: split for split, lines in right.items() for line in lines}
    for line in sorted(found.keys() | place.keys()):
        if found.get(line) != place.get(line):
            yield f"line {line}: {found.get(line, 'nowhere')}, not {place.get(line, 'nowhere')}"
