"""Where notebooks come from: a folder tree, Parquet or JSON Lines dumps, the authors' raw files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.errors import UserError
from nl2code.notebooks import UnreadableNotebook, read_notebook
from nl2code.records import Notebook

DUMPS = (".parquet", ".jsonl")
COLUMNS = ("repo", "path", "content")
OPTIONAL_COLUMNS = ("commit", "license")


@dataclass(frozen=True, slots=True)
class RawNotebook:
    """A notebook before it is read: its content, or the file that holds it."""

    repo: str
    path: str
    content: str | bytes | dict[str, Any] | None = None
    file: Path | None = None
    commit: str | None = None
    license: str | None = None

    def read(self) -> Notebook:
        """Return the notebook; an `UnreadableNotebook` names the reason why there is none."""
        if not self.repo or not self.path:
            raise UnreadableNotebook("no_repo_or_path")
        if ".ipynb_checkpoints" in self.path.split("/"):
            raise UnreadableNotebook("checkpoint_copy")
        try:
            content = self.content if self.file is None else self.file.read_bytes()
        except OSError:
            raise UnreadableNotebook("unreadable_file") from None
        return read_notebook(content, self.repo, self.path, self.commit, self.license)


def find_notebooks(sources: Iterable[Path]) -> Iterator[RawNotebook]:
    """Yield the notebooks of all sources, without reading more than one dump's batch at a time.

    A folder that holds .ipynb files is a tree of repositories; one without them is searched for
    Parquet and JSON Lines dumps.

    Raises:
        UserError: A source is missing, of an unknown kind, or holds no notebooks.
    """
    for source in sources:
        if source.is_dir():
            yield from _from_folder(source)
        elif source.suffix == ".ipynb" and source.is_file():
            yield RawNotebook(source.absolute().parent.name, source.name, file=source)
        else:
            yield from _from_dump(source)


def _from_folder(folder: Path) -> Iterator[RawNotebook]:
    files = _walk(folder)
    notebooks = [file for file in files if file.suffix == ".ipynb"]
    dumps = [file for file in files if file.suffix in DUMPS]
    if notebooks:
        repositories = {file.parent for file in files if file.name == ".git"}
        yield from (_in_tree(file, folder, repositories) for file in notebooks)
    elif dumps:
        for dump in dumps:
            yield from _from_dump(dump)
    else:
        what = "holds no .ipynb, .parquet or .jsonl file" if files else "the folder is empty"
        raise UserError(f"{folder}: {what}")


def _walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, files in os.walk(folder):
        if ".git" in folders:
            found.append(Path(parent, ".git"))
            folders.remove(".git")
        found += [Path(parent, file) for file in files]
    return sorted(found)


def _in_tree(file: Path, folder: Path, repositories: set[Path]) -> RawNotebook:
    """A repository is a folder with `.git`; in a tree without them, a folder of the first level."""
    root = next((parent for parent in file.parents if parent in repositories), None)
    if root is None or not root.is_relative_to(folder):
        first = file.relative_to(folder).parts[0]
        root = folder if first == file.name else folder / first
    repo = root.absolute().name if root == folder else root.relative_to(folder).as_posix()
    return RawNotebook(_printable(repo), _printable(file.relative_to(root).as_posix()), file=file)


def _printable(name: str) -> str:
    # A file name of undecodable bytes carries surrogates, which no Parquet column can hold.
    return name.encode("utf-8", "replace").decode()


def _from_dump(file: Path) -> Iterator[RawNotebook]:
    if not file.is_file():
        raise UserError(f"{file}: no such file or folder")
    if file.suffix == ".parquet":
        yield from _from_parquet(file)
    elif file.suffix == ".jsonl":
        yield from _from_jsonl(file)
    else:
        raise UserError(f"{file}: a source is a folder, or an .ipynb, .parquet or .jsonl file")


def _from_parquet(file: Path) -> Iterator[RawNotebook]:
    try:
        parquet = pq.ParquetFile(file)
    except pa.ArrowInvalid as error:
        raise UserError(f"{file}: not a Parquet file: {error}") from None
    for column in COLUMNS:
        if column not in parquet.schema_arrow.names:
            raise UserError(f"{file}: no column {column!r}; it must hold {', '.join(COLUMNS)}")
    optional = [name for name in OPTIONAL_COLUMNS if name in parquet.schema_arrow.names]
    for batch in parquet.iter_batches(32, columns=[*COLUMNS, *optional]):
        for row in batch.to_pylist():
            yield _record(row, row["content"])


def _from_jsonl(file: Path) -> Iterator[RawNotebook]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _from_line(line, f"{file.name}:{number}")


def _from_line(line: bytes, place: str) -> RawNotebook:
    """A line is `{repo, path, content}`, the authors' `{contents, repo, path}`, or a notebook."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        row = None
    if not isinstance(row, dict):
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
    return value if isinstance(value, str) and value else None
