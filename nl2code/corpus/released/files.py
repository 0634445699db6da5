"""The authors' released {train,dev,test}.jsonl: found, read line by line, and told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa

from nl2code.corpus.files import ROWS_PER_GROUP, digest_of_files
from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.mapping import Row
from nl2code.corpus.released.rows import UnusableRow, row_of
from nl2code.corpus.schema import SCHEMA
from nl2code.errors import UserError
from nl2code.notebooks import UnreadableNotebook, read_object

CONFIG = "released"
"""The name of the config whose rows are the authors'."""

_READERS = ("corpus/**/*.py", "python_code/*.py", "markdown.py", "notebooks.py")


def released_files(folder: Path) -> dict[str, Path]:
    """The released file of each split in `folder`, or in the `final-dataset` below it.

    Raises:
        UserError: There is none.
    """
    for place in (folder, folder / "final-dataset"):
        files = {split: place / f"{split}.jsonl" for split in SPLITS}
        found = {split: file for split, file in files.items() if file.is_file()}
        if found:
            return found
    raise UserError(f"{folder}: holds none of train.jsonl, dev.jsonl and test.jsonl")


def read_released(file: Path, drops: Counter[str]) -> Iterator[Row]:
    """Yield a row of `features.FEATURES` for each line of a released file, in its order."""
    with file.open("rb") as lines:
        yield from rows_of(lines, drops)


def rows_of(lines: Iterable[bytes], drops: Counter[str]) -> Iterator[Row]:
    """Yield a row for each line; count by reason those that give none.

    No type depends on the order of the lines: each field is brought to its own type, whatever
    it holds. The reasons are `broken_json`, `not_text`, `not_an_object` and `no_target`.
    """
    for line in lines:
        if not line.strip():
            continue
        try:
            yield row_of(_record(line))
        except UnusableRow as error:
            drops[error.reason] += 1


def _record(line: bytes) -> dict[str, Any]:
    try:
        return read_object(line)
    except UnreadableNotebook as error:
        reasons = {"not_a_notebook": "not_an_object", "not_text": "not_text"}
        raise UnusableRow(reasons.get(error.reason, "broken_json")) from None


def tables_of(lines: Iterable[bytes], drops: Counter[str]) -> Iterator[pa.Table]:
    """Yield the rows of released lines in tables of `ROWS_PER_GROUP`."""
    rows = []
    for row in rows_of(lines, drops):
        rows.append(row)
        if len(rows) == ROWS_PER_GROUP:
            yield pa.Table.from_pylist(rows, schema=SCHEMA)
            rows = []
    if rows:
        yield pa.Table.from_pylist(rows, schema=SCHEMA)


def read_tables(file: Path) -> Iterator[pa.Table]:
    """Yield the rows of a released file in tables; log what was dropped."""
    drops: Counter[str] = Counter()
    with file.open("rb") as lines:
        yield from tables_of(lines, drops)
    for reason, count in sorted(drops.items()):
        datasets.logging.get_logger(__name__).warning(f"{file}: {count} lines dropped: {reason}")


def digest_with_code(files: Iterable[Path]) -> str:
    """SHA-256 over the files and over the code that reads them: a change to either is new data."""
    package = Path(__file__).parents[2]
    code = sorted(path for pattern in _READERS for path in package.glob(pattern))
    return digest_of_files([*files, *code])
