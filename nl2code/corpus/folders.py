"""A dataset's folder: built aside, and moved to its place when all is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from nl2code.errors import UserError, sentence
from nl2code.jsonl import mend_killed_runs, writing
from nl2code.outputs import check_folder

REPORT = "build.json"
"""What a built folder says of itself."""


@contextmanager
def building(out: Path, overwrite: bool, made: Iterable[str]) -> Iterator[Path]:
    """Give a path aside to build a folder at; it becomes `out` when all went well.

    Args:
        out: What `--out` names.
        overwrite: Whether it may replace an older build.
        made: Patterns of all the names that a built folder may hold.

    Raises:
        UserError: `out` must not be replaced, or cannot be written.
    """
    made = tuple(made)
    mend_killed_runs(out)
    _check(out, overwrite, made)
    try:
        with writing(out) as aside:
            yield aside
            _check(out, overwrite, made)  # another build may have been faster
    except (OSError, duckdb.Error) as error:
        raise UserError(f"--out {out}: nothing was written: {sentence(error)}") from None


def _check(out: Path, overwrite: bool, made: Iterable[str]) -> None:
    if re.search(r"[][{}*?]", out.resolve().name):  # `load_dataset` takes it for a pattern
        raise UserError(f"--out {out}: the name must not hold any of [ ] {{ }} * ?")
    check_folder(out, overwrite, REPORT, made, "a folder that a build made")
