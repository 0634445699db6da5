"""A dataset's folder: who made it; built aside, and moved to its place when all is there."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from nl2code.errors import UserError, sentence
from nl2code.jsonl import mend_killed_runs, read_json, writing
from nl2code.outputs import check_folder, is_empty

REPORT = "build.json"
"""What a built folder says of itself."""
CARD = "README.md"


@dataclass(frozen=True, slots=True)
class Maker:
    """A program that builds folders; what it counts tells them from all others."""

    program: str
    counts: frozenset[str]
    """What its build.json states of each split, besides the files."""
    beside: frozenset[str] = frozenset()
    """Files that its folders hold besides card, build.json and Parquet."""

    def files(self, folder: Path) -> frozenset[str] | None:
        """The Parquet files of a folder that this program made; None of any other folder."""
        try:
            splits = read_json(folder / REPORT).get("splits")
        except UserError:
            return None
        if not isinstance(splits, dict) or not all(map(self._states, splits.values())):
            return None
        return frozenset(str(file) for split in splits.values() for file in split["files"]) or None

    def _states(self, split: Any) -> bool:
        return (
            isinstance(split, dict)
            and split.keys() >= self.counts
            and isinstance(split.get("files"), list)
        )


JUICE = Maker("juice.py", frozenset(["repositories", "notebooks"]), frozenset(["ATTRIBUTION.csv"]))
NL2BASH = Maker("nl2bash.py", frozenset(["clusters", "commands", "templates", "leaks"]))
_MAKERS = (JUICE, NL2BASH)


def refuse_others(folder: Path, maker: Maker) -> None:
    """Raise a `UserError` when another of our programs made the folder; whose it is, it says."""
    for other in _MAKERS:
        if other != maker and other.files(folder):
            raise UserError(f"{folder}: {other.program} made it and reads it, not {maker.program}")


def refuse_incomplete(folder: Path, maker: Maker) -> None:
    """Raise a `UserError` when a file is gone that build.json names."""
    for name in sorted(maker.files(folder) or ()):
        if not (folder / name).is_file():
            raise UserError(f"{folder}: lacks {name}, which the build made")


@contextmanager
def building(out: Path, overwrite: bool, maker: Maker) -> Iterator[Path]:
    """Give a path aside to build a folder at; it becomes `out` when all went well.

    Args:
        out: What `--out` names.
        overwrite: Whether it may replace an older build of the same maker.
        maker: Who builds.

    Raises:
        UserError: `out` must not be replaced, or cannot be written.
    """
    mend_killed_runs(out)
    _check(out, overwrite, maker)
    try:
        with _folders_above(out), writing(out) as aside:
            yield aside
            _check(out, overwrite, maker)  # another build may have been faster
    except (OSError, MemoryError, pa.ArrowException, duckdb.Error) as error:
        raise UserError(f"--out {out}: nothing was written: {sentence(error)}") from None


@contextmanager
def _folders_above(out: Path) -> Iterator[None]:
    """Remove the folders that were made to hold `out` when it is not built."""
    missing = [folder for folder in out.resolve().parents if not folder.exists()]
    try:
        yield
    except BaseException:
        with suppress(OSError):  # not made yet, or another program has put something there
            for folder in missing:
                folder.rmdir()
        raise


def _check(out: Path, overwrite: bool, maker: Maker) -> None:
    if re.search(r"[][{}*?]", out.resolve().name):  # `load_dataset` takes it for a pattern
        raise UserError(f"--out {out}: the name must not hold any of [ ] {{ }} * ?")
    if out.exists() and out.samefile(Path.cwd()):  # the shell would be left in what it replaces
        raise UserError(f"--out {out}: is the current folder; name it from the one above")
    files, what = maker.files(out), f"a folder that {maker.program} made"
    if out.exists() and files is None and not is_empty(out):
        raise UserError(f"--out {out}: exists and is not {what}")
    made = map(glob.escape, (REPORT, CARD, *maker.beside, *(files or ())))
    check_folder(out, overwrite, REPORT, tuple(made), what)
