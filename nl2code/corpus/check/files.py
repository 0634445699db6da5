"""A built folder's files: its splits, their columns, the digest and the counts that it states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features, load_dataset_builder
from datasets.table import table_cast

from nl2code.corpus.features import FEATURES
from nl2code.corpus.files import digest_of
from nl2code.errors import UserError, sentence
from nl2code.jsonl import read_json

REPORT, CARD = "build.json", "README.md"
_SPLIT_NAMES = {"train": "train", "dev": "dev", "validation": "dev", "valid": "dev", "test": "test"}
_BATCH = 100
# Other fields that metadata may have are left in the file.
_COLUMNS = [name for name in FEATURES if name != "metadata"]
_COLUMNS += [f"metadata.{name}" for name in FEATURES["metadata"]]

Splits = dict[str, tuple[str, ...]]
Row = dict[str, Any]


def find_splits(folder: Path) -> tuple[Splits, dict[str, int]]:
    """Return the Parquet files of train, dev and test, and the rows that the card claims for each.

    Whatever `load_dataset` takes for the splits is one, `validation` is dev.

    Raises:
        UserError: There is no such folder, or `load_dataset` finds no such splits of Parquet in it.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    try:
        builder = load_dataset_builder(str(folder.resolve()))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{folder}: load_dataset finds no splits in it: {sentence(error)}"
        ) from None
    found = builder.config.data_files or {}
    splits = {_SPLIT_NAMES.get(name, name): tuple(map(str, found[name])) for name in found}
    if not splits.keys() & {"dev", "test"}:  # train is missing where only courses were built
        names = ", ".join(splits) or "none"
        raise UserError(f"{folder}: dev or test is expected; its splits: {names}")
    for path in (path for paths in splits.values() for path in paths):
        if not path.endswith(".parquet"):
            raise UserError(f"{path}: Parquet is expected")
    claimed = {
        _SPLIT_NAMES.get(name, name): info.num_examples
        for name, info in (builder.info.splits or {}).items()
        if info.num_examples is not None
    }
    return {name: splits[name] for name in ("train", "dev", "test") if name in splits}, claimed


def wrong_columns(schema: pa.Schema) -> Iterator[str]:
    """Yield how a file's columns differ from the dataset's."""
    features = Features.from_arrow_schema(schema)
    for name, feature in FEATURES.items():
        if name not in features:
            yield f"{name} is missing"
        elif features[name] != feature:
            yield f"{name} is {features[name]}, not {feature}"
    yield from (f"{name} is unknown" for name in features if name not in FEATURES)


def read_schema(path: str) -> pa.Schema:
    """Return a Parquet file's schema.

    Raises:
        UserError: The file cannot be read.
    """
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: not Parquet that can be read: {sentence(error)}") from None


def read_rows(path: str) -> Iterator[list[Row]]:
    """Yield a file's rows, some at a time, with the dataset's columns.

    Raises:
        UserError: Some rows cannot be read.
    """
    try:
        for batch in pq.ParquetFile(path).iter_batches(_BATCH, columns=_COLUMNS):
            yield as_ours(pa.Table.from_batches([batch])).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: some rows cannot be read: {sentence(error)}") from None


def has_our_rows(path: str) -> bool:
    """Whether a file's columns can be read as the dataset's."""
    try:
        as_ours(pq.ParquetFile(path).read_row_groups([], columns=_COLUMNS))
    except (TypeError, ValueError):  # of the casts of `datasets`
        return False
    return True


def as_ours(table: pa.Table) -> pa.Table:
    """Cast to the dataset's types; a field that metadata lack is null."""
    return table_cast(table, FEATURES.arrow_schema)


def read_report(folder: Path) -> dict[str, Any]:
    """Return what the build says of itself, or nothing when the folder is not of our build."""
    path = folder / REPORT
    return read_json(path) if path.exists() else {}


def wrong_digests(folder: Path, report: dict[str, Any]) -> Iterator[str]:
    """Yield in which file the digest is not that of the Parquet files' bytes."""
    digest = digest_of(folder)
    stated = report.get("digest")
    if stated != digest:
        yield f"{REPORT}: {stated!s:.12}, not {digest:.12}"
    if f"sha256:{digest}" not in read_card(folder):
        yield f"{CARD}: not {digest:.12}"


def wrong_counts(
    folder: Path,
    report: dict[str, Any],
    claimed: dict[str, int],
    counted: dict[str, dict[str, int]],
) -> Iterator[tuple[str, bool]]:
    """Yield each count that the card or the build states, and whether it is wrong.

    Args:
        folder: The built folder.
        report: What `read_report` says.
        claimed: The rows of each split, from the card's YAML.
        counted: Examples, repositories and notebooks in each split, as counted.
    """
    stated = [(CARD, name, "examples", count) for name, count in claimed.items()]
    rows = re.findall(r"^\| (train|dev|test) \| ([\d,]+) \|", read_card(folder), re.MULTILINE)
    stated += [(f"{CARD}, table", n, "examples", int(c.replace(",", ""))) for n, c in rows]
    stated += [
        (REPORT, name, kind, split[kind])
        for name, split in report.get("splits", {}).items()
        for kind in ("examples", "repositories", "notebooks")
        if kind in split
    ]
    for file, name, kind, count in stated:
        right = counted.get(name, {}).get(kind, 0)
        yield f"{file}: {count} {kind} in {name}, not {right}", count != right
    if report.get("funnel"):
        total, left = sum(c["examples"] for c in counted.values()), report["funnel"][-1][-1]
        yield f"{REPORT}: {left} left at the funnel's end, not {total}", left != total


def read_card(folder: Path) -> str:
    """Return the card's text, empty when there is none."""
    path = folder / CARD
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
