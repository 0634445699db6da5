"""What a built folder states of itself, its columns, digest and counts, and whether it is so."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from datasets import Features

from nl2code.corpus.check.files import Splits, has_our_rows, read_schema
from nl2code.corpus.check.findings import Finding, finding_of
from nl2code.corpus.check.statement import unstated
from nl2code.corpus.files import digest_of
from nl2code.corpus.folders import CARD, REPORT
from nl2code.corpus.held_out import SPLITS

STATED = f"{REPORT} says what was built"


def check_files(
    folder: Path,
    splits: Splits,
    report: dict[str, Any],
    features: Features,
    also: Collection[str] = (),
) -> tuple[list[Finding], bool]:
    """Check columns and digest; say as well whether the rows can be read as the dataset's.

    Args:
        folder: The built folder.
        splits: Its files.
        report: What `read_report` says.
        features: The dataset's columns.
        also: What the report says besides what all builds do.
    """
    schemas = {path: read_schema(path) for paths in splits.values() for path in paths}
    faults = (
        f"{Path(path).name}: {fault}"
        for path, schema in schemas.items()
        for fault in _wrong_columns(schema, features)
    )
    findings = [finding_of("the columns are the dataset's", len(schemas), faults)]
    if report:
        lacks = unstated(report, splits, also)
        findings.append(finding_of(STATED, len(report), lacks))
        wrong = wrong_digests(folder, report)
        findings.append(finding_of("the digest is that of the files", 2, wrong))
    return findings, all(has_our_rows(path, features) for path in schemas)


def _wrong_columns(schema: pa.Schema, features: Features) -> Iterator[str]:
    """Yield how a file's columns differ from the dataset's."""
    found = Features.from_arrow_schema(schema)
    for name, feature in features.items():
        if name not in found:
            yield f"{name} is missing"
        elif found[name] != feature:
            yield f"{name} is {found[name]}, not {feature}"
    yield from (f"{name} is unknown" for name in found if name not in features)


def wrong_digests(folder: Path, report: dict[str, Any]) -> Iterator[str]:
    """Yield in which file the digest is not that of the Parquet files' bytes."""
    digest = digest_of(folder)
    stated = report.get("digest")
    if stated != digest:
        yield f"{REPORT}: {stated!s:.12}, not {digest:.12}"
    if f"sha256:{digest}" not in read_card(folder):
        yield f"{CARD}: not {digest:.12}"


def check_counts(
    folder: Path,
    report: dict[str, Any],
    claimed: dict[str, int],
    counted: dict[str, dict[str, int]],
) -> Finding:
    """Check each count that the card or the build states.

    Args:
        folder: The built folder.
        report: What `read_report` says.
        claimed: The rows of each split, from the card's YAML.
        counted: What is in each split, as counted: all that the build counts, and `examples`.
    """
    stated = list(_stated_counts(folder, report, claimed, counted))
    wrong = (text for text, is_wrong in stated if is_wrong)
    return finding_of("the stated counts are right", len(stated), wrong)


def _stated_counts(
    folder: Path,
    report: dict[str, Any],
    claimed: dict[str, int],
    counted: dict[str, dict[str, int]],
) -> Iterator[tuple[str, bool]]:
    """Yield each stated count as a text, and whether it is wrong."""
    kinds = sorted({kind for split in counted.values() for kind in split})
    stated = [(CARD, name, "examples", count) for name, count in claimed.items()]
    rows = re.findall(r"^\| (train|dev|test) \| (\d[\d,]*) \|", read_card(folder), re.MULTILINE)
    stated += [(f"{CARD}, table", n, "examples", int(c.replace(",", ""))) for n, c in rows]
    reported = report.get("splits")
    if reported is not None:
        names = sorted({*reported, *counted})
        stated += [
            (REPORT, n, kind, reported.get(n, {}).get(kind)) for n in names for kind in kinds
        ]
    for file, name, kind, count in stated:
        right = counted.get(name, {}).get(kind, 0)
        yield f"{file}: {count} {kind} in {name}, not {right}", count != right
    if report.get("funnel"):
        total, left = sum(c["examples"] for c in counted.values()), _left(report["funnel"])
        yield f"{REPORT}: {left} left at the funnel's end, not {total}", left != total


def check_licenses(report: dict[str, Any], counted: dict[str, int]) -> Finding:
    """Check how many rows the build says to be under each licence."""
    stated = report.get("licenses", {})
    names = sorted({*stated, *counted})
    wrong = (
        f"{REPORT}: {stated.get(name, 0)} under {name}, not {counted.get(name, 0)}"
        for name in names
        if stated.get(name) != counted.get(name)
    )
    return finding_of("the stated licences are those of the rows", len(names), wrong)


def _left(funnel: list[tuple[str, str, int]]) -> int:
    """What is kept at the end: by the last stage, or by the stages that are the splits."""
    kept = {stage: count for stage, reason, count in funnel if reason == "kept"}
    by_split = [count for stage, count in kept.items() if stage in SPLITS]
    return sum(by_split) if by_split else funnel[-1][-1]


def read_card(folder: Path) -> str:
    """Return the card's text, empty when there is none."""
    path = folder / CARD
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
