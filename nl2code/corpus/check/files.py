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
_LONGEST = 200
"""Characters of a library's error."""

_CASTS = (pa.ArrowException, KeyError, TypeError, ValueError)
"""What a cast of `datasets` raises; KeyError of a column that is there twice."""

Splits = dict[str, tuple[str, ...]]
Row = dict[str, Any]


def find_splits(folder: Path, expected: Collection[str]) -> tuple[Splits, dict[str, int]]:
    """Return the Parquet files of train, dev and test, and the rows that the card claims for each.

    Whatever `load_dataset` takes for the splits is one, `validation` is dev; but the files lie in
    the folder itself, as `stats`, `push` and the digest have it. One of the `expected` must be
    among them.

    Raises:
        UserError: There is no such folder, or `load_dataset` finds no such splits of Parquet in it.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    found, claimed = _as_loaded(folder)
    splits: Splits = {}
    for name, paths in found.items():
        split = _SPLIT_NAMES.get(name, name)
        splits[split] = (*splits.get(split, ()), *paths)
    if not splits.keys() & set(expected):
        names = ", ".join(splits) or "none"
        raise UserError(f"{folder}: {' or '.join(expected)} is expected; its splits: {names}")
    for path in (Path(path) for paths in splits.values() for path in paths):
        if path.parent != folder.resolve():
            raise UserError(
                f"{path}: lies in another folder; a built folder holds its files itself"
            )
        if path.suffix != ".parquet":
            raise UserError(f"{path}: Parquet is expected")
    return {name: splits[name] for name in ("train", "dev", "test") if name in splits}, claimed


def _as_loaded(folder: Path) -> tuple[dict[str, list[str]], dict[str, int]]:
    """What `load_dataset` takes for the splits' files, and what the card claims of each."""
    try:
        builder = load_dataset_builder(str(folder.resolve()))
    except Exception as error:  # a card is free text: YAML, and whatever `datasets` makes of it
        raise UserError(f"{folder}: load_dataset finds no splits in it: {_brief(error)}") from None
    claimed = {
        _SPLIT_NAMES.get(name, name): info.num_examples
        for name, info in (builder.info.splits or {}).items()
        if info.num_examples is not None
    }
    files = builder.config.data_files or {}
    return {name: list(map(str, files[name])) for name in files}, claimed


def _brief(error: Exception) -> str:
    """The beginning of an error of a library, which may list all suffixes that it knows."""
    text = sentence(error)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def read_schema(path: str) -> pa.Schema:
    """Return a Parquet file's schema.

    Raises:
        UserError: The file cannot be read.
    """
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: not Parquet that can be read: {_brief(error)}") from None


def read_tables(path: str, features: Features) -> Iterator[pa.Table]:
    """Yield a file's rows, some at a time, with the dataset's columns.

    Raises:
        UserError: Some rows cannot be read.
    """
    try:
        for batch in pq.ParquetFile(path).iter_batches(_BATCH, columns=_columns(features)):
            table = as_ours(pa.Table.from_batches([batch]), features)
            table.validate(full=True)  # bytes that are no UTF-8 among them
            yield table
    except (OSError, *_CASTS) as error:
        raise UserError(f"{path}: some rows cannot be read: {_brief(error)}") from None


def read_rows(path: str, features: Features) -> Iterator[list[Row]]:
    """Yield the rows of `read_tables`."""
    for table in read_tables(path, features):
        yield table.to_pylist()


def _columns(features: Features) -> list[str]:
    """What to read: other fields that a struct may have are left in the file."""
    return [
        f"{name}.{field}" if field else name
        for name, feature in features.items()
        for field in (feature if isinstance(feature, dict) else ("",))
    ]


def has_our_rows(path: str, features: Features) -> bool:
    """Whether a file's columns are all there, and can be read as the dataset's."""
    if not set(features) <= set(read_schema(path).names):
        return False
    try:
        as_ours(pq.ParquetFile(path).read_row_groups([], columns=_columns(features)), features)
    except _CASTS:
        return False
    return True


def as_ours(table: pa.Table, features: Features) -> pa.Table:
    """Cast to the dataset's types; a field that metadata lack is null."""
    return table_cast(table, features.arrow_schema)
