"""Notebooks in Parquet and JSON Lines dumps, and in the authors' raw files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.errors import UserError, sentence
from nl2code.notebooks import UnreadableNotebook, read_notebook, read_object
from nl2code.records import Notebook

DUMPS = (".parquet", ".jsonl")
COLUMNS = ("repo", "path", "content")
OPTIONAL_COLUMNS = ("commit", "license")
_DAMAGE = (
    pa.ArrowInvalid,
    pa.ArrowNotImplementedError,
    pa.ArrowKeyError,
    OSError,
    UnicodeDecodeError,
)
"""Of the file. A lack of memory or threads is a MemoryError, or an `ArrowException` itself."""


class DamagedDump(UserError):
    """This file cannot be read at all; of several, the others can."""


@dataclass(frozen=True, slots=True)
class RawNotebook:
    """A notebook before it is read: its content, or the file that holds it."""

    repo: str
    path: str
    content: str | bytes | dict[str, Any] | None = None
    file: Path | None = None
    commit: str | None = None
    license: str | None = None
    lost: str | None = None
    """Why the source could not even give its content."""

    def read(self) -> Notebook:
        """Return the notebook; an `UnreadableNotebook` names the reason why there is none."""
        if self.lost:
            raise UnreadableNotebook(self.lost)
        if not self.repo or not self.path:
            raise UnreadableNotebook("no_repo_or_path")
        if ".ipynb_checkpoints" in self.path.split("/"):
            raise UnreadableNotebook("checkpoint_copy")
        try:
            content = self.content if self.file is None else self.file.read_bytes()
        except OSError:
            raise UnreadableNotebook("unreadable_file") from None
        return read_notebook(content, self.repo, self.path, self.commit, self.license)


def read_dump(file: Path, start: int = 0, end: int | None = None) -> Iterator[RawNotebook]:
    """Yield a dump's notebooks, or those of some row groups, or those whose lines begin there.

    Args:
        file: A Parquet or JSON Lines file.
        start: The first row group or byte.
        end: Of the row groups or bytes, the first that is left out.
    """
    read = _from_parquet if _is_parquet(file) else _from_jsonl
    yield from read(file, start, end)


def check_dump(file: Path) -> None:
    """Raise a `DamagedDump` when the file cannot be read, a `UserError` when it is no dump."""
    if _is_parquet(file):
        open_parquet(file)[0].close()
    else:
        _open_lines(file).close()


def _is_parquet(file: Path) -> bool:
    return file.suffix.lower() == ".parquet"


def open_parquet(file: Path) -> tuple[pq.ParquetFile, list[str]]:
    """Return a Parquet dump, and the columns to read; raises as `check_dump`."""
    try:
        parquet = pq.ParquetFile(file, page_checksum_verification=True)
        return parquet, _columns(file, parquet.schema_arrow)
    except _DAMAGE as error:
        raise DamagedDump(f"{file}: cannot be read as Parquet: {sentence(error)}") from None


def _open_lines(file: Path) -> BinaryIO:
    try:
        return file.open("rb")
    except OSError as error:
        raise DamagedDump(f"{file}: cannot be read: {error.strerror}") from None


def _from_parquet(file: Path, start: int, end: int | None) -> Iterator[RawNotebook]:
    parquet, columns = open_parquet(file)
    for group in range(parquet.num_row_groups)[start:end]:
        yield from _from_row_group(file, parquet, group, columns)


def _from_row_group(
    file: Path, parquet: pq.ParquetFile, group: int, columns: list[str]
) -> Iterator[RawNotebook]:
    """Yield the notebooks of a row group; those behind a damage are lost, and said to be."""
    left = parquet.metadata.row_group(group).num_rows
    try:
        for batch in parquet.iter_batches(32, row_groups=[group], columns=columns):
            # As bytes: a string that is no UTF-8 costs its row, not the build.
            rows = pa.table({name: _as_bytes(batch[name]) for name in columns}).to_pylist()
            yield from (_record(row, row["content"]) for row in rows)
            left -= len(rows)
    except _DAMAGE as error:
        what = f"row group {group} is corrupt, {left} notebooks are lost"
        print(f"{file}: {what}: {sentence(error)}", file=sys.stderr)
        yield from repeat(RawNotebook("", "", lost="corrupt_row_group"), left)


def _columns(file: Path, schema: pa.Schema) -> list[str]:
    """The columns to read; each must hold text."""
    for name in COLUMNS:
        if schema.names.count(name) != 1:
            count = "several columns" if name in schema.names else "no column"
            raise UserError(f"{file}: {count} {name!r}; it must hold {', '.join(COLUMNS)}")
    names = [name for name in (*COLUMNS, *OPTIONAL_COLUMNS) if name in schema.names]
    for name in names:
        if not _is_text(schema.field(name).type):
            raise UserError(f"{file}: the column {name!r} is {schema.field(name).type}, not string")
    return names


def _is_text(kind: pa.DataType) -> bool:
    """Whether strings or bytes come out, however they are stored."""
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _is_text(kind.storage_type)
    tests = ("null", "string", "large_string", "string_view", "binary", "large_binary")
    return any(getattr(pa.types, f"is_{name}")(kind) for name in (*tests, "binary_view"))


def _as_bytes(column: pa.Array) -> pa.Array:
    return column.cast(pa.large_binary())


def _from_jsonl(file: Path, start: int, end: int | None) -> Iterator[RawNotebook]:
    with _open_lines(file) as lines:
        if start:  # what began before belongs to who reads from there
            lines.seek(start - 1)
            lines.readline()
        place = lines.tell()
        while (end is None or place < end) and (line := lines.readline()):
            if line.strip():
                yield _from_line(line, f"{file.name}, byte {place}")
            place += len(line)


def _from_line(line: bytes, place: str) -> RawNotebook:
    """A line is `{repo, path, content}`, the authors' `{contents, repo, path}`, or a notebook."""
    try:
        row = read_object(line)
    except UnreadableNotebook:
        return RawNotebook(place, place, content=line)
    if "cells" in row or "worksheets" in row:
        metadata = row.get("metadata")
        return _record(row | metadata if isinstance(metadata, dict) else row, row)
    return _record(row, row.get("content", row.get("contents")))


def _record(row: dict[str, Any], content: Any) -> RawNotebook:
    known = isinstance(content, str | bytes | dict)
    return RawNotebook(
        repo=_string(row.get("repo")) or "",
        path=_string(row.get("path")) or "",
        content=content if known else None,
        commit=_string(row.get("commit")),
        license=_string(row.get("license")),
    )


def _string(value: Any) -> str | None:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    # No repository, path, commit or licence is blank or holds a NUL: what does is damaged.
    return value if isinstance(value, str) and value.strip() and "\0" not in value else None
