"""What a built folder states of itself, its columns, digest and counts, and whether it is so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from datasets import Features

from nl2code.corpus.check.files import Splits, has_our_rows, read_schema
from nl2code.corpus.check.findings import Finding, finding_of
from nl2code.corpus.files import digest_of
from nl2code.corpus.folders import CARD, REPORT
from nl2code.corpus.held_out import SPLITS
from nl2code.jsonl import read_json


def read_report(folder: Path) -> dict[str, Any]:
    """Return what the build says of itself, or nothing when the folder is not of our build."""
    path = folder / REPORT
    return read_json(path) if path.exists() else {}


def check_files(
    folder: Path, splits: Splits, report: dict[str, Any], features: Features
) -> tuple[list[Finding], bool]:
    """Check columns and digest; say as well whether the rows can be read as the dataset's."""
    schemas = {path: read_schema(path) for paths in splits.values() for path in paths}
    faults = (
        f"{Path(path).name}: {fault}"
        for path, schema in schemas.items()
        for fault in _wrong_columns(schema, features)
    )
    findings = [finding_of("the columns are the dataset's", len(schemas), faults)]
    if report:
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
    if f"sha256:{digest}" not in _read_card(folder):
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
    kinds = {kind for split in counted.values() for kind in split}
    stated = [(CARD, name, "examples", count) for name, count in claimed.items()]
    rows = re.findall(r"^\| (train|dev|test) \| ([\d,]+) \|", _read_card(folder), re.MULTILINE)
    stated += [(f"{CARD}, table", n, "examples", int(c.replace(",", ""))) for n, c in rows]
    stated += [
        (REPORT, name, kind, split[kind])
        for name, split in report.get("splits", {}).items()
        for kind in split
        if kind in kinds
    ]
    for file, name, kind, count in stated:
        right = counted.get(name, {}).get(kind, 0)
        yield f"{file}: {count} {kind} in {name}, not {right}", count != right
    if report.get("funnel"):
        total, left = sum(c["examples"] for c in counted.values()), _left(report["funnel"])
        yield f"{REPORT}: {left} left at the funnel's end, not {total}", left != total


def _left(funnel: list[tuple[str, str, int]]) -> int:
    """What is kept at the end: by the last stage, or by the stages that are the splits."""
    kept = {stage: count for stage, reason, count in funnel if reason == "kept"}
    by_split = [count for stage, count in kept.items() if stage in SPLITS]
    return sum(by_split) if by_split else funnel[-1][-1]


def _read_card(folder: Path) -> str:
    """Return the card's text, empty when there is none."""
    path = folder / CARD
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
