"""A built folder's files: its splits and their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features, load_dataset_builder
from datasets.table import table_cast

from nl2code.errors import UserError, sentence

_SPLIT_NAMES = {"train": "train", "dev": "dev", "validation": "dev", "valid": "dev", "test": "test"}
_BATCH = 100

Splits = dict[str, tuple[str, ...]]
Row = dict[str, Any]


def find_splits(folder: Path, expected: Collection[str]) -> tuple[Splits, dict[str, int]]:
    """Return the Parquet files of train, dev and test, and the rows that the card claims for each.

    Whatever `load_dataset` takes for the splits is one, `validation` is dev. One of the `expected`
    must be among them.

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
    if not splits.keys() & set(expected):
        names = ", ".join(splits) or "none"
        raise UserError(f"{folder}: {' or '.join(expected)} is expected; its splits: {names}")
    for path in (path for paths in splits.values() for path in paths):
        if not path.endswith(".parquet"):
            raise UserError(f"{path}: Parquet is expected")
    claimed = {
        _SPLIT_NAMES.get(name, name): info.num_examples
        for name, info in (builder.info.splits or {}).items()
        if info.num_examples is not None
    }
    return {name: splits[name] for name in ("train", "dev", "test") if name in splits}, claimed


def read_schema(path: str) -> pa.Schema:
    """Return a Parquet file's schema.

    Raises:
        UserError: The file cannot be read.
    """
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: not Parquet that can be read: {sentence(error)}") from None


def read_rows(path: str, features: Features) -> Iterator[list[Row]]:
    """Yield a file's rows, some at a time, with the dataset's columns.

    Raises:
        UserError: Some rows cannot be read.
    """
    try:
        for batch in pq.ParquetFile(path).iter_batches(_BATCH, columns=_columns(features)):
            yield as_ours(pa.Table.from_batches([batch]), features).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: some rows cannot be read: {sentence(error)}") from None


def _columns(features: Features) -> list[str]:
    """What to read: other fields that a struct may have are left in the file."""
    return [
        f"{name}.{field}" if field else name
        for name, feature in features.items()
        for field in (feature if isinstance(feature, dict) else ("",))
    ]


def has_our_rows(path: str, features: Features) -> bool:
    """Whether a file's columns can be read as the dataset's."""
    try:
        as_ours(pq.ParquetFile(path).read_row_groups([], columns=_columns(features)), features)
    except (TypeError, ValueError):  # of the casts of `datasets`
        return False
    return True


def as_ours(table: pa.Table, features: Features) -> pa.Table:
    """Cast to the dataset's types; a field that metadata lack is null."""
    return table_cast(table, features.arrow_schema)
