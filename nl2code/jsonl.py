"""JSON and JSON Lines on disk: errors name the line; files appear whole or not at all."""

from __future__ import annotations

import errno
import glob
import os
import platform
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from nl2code.errors import UserError

# On a shared disk another host's process number says nothing about ours.
_HOST = platform.node().replace(".", "-") or "localhost"


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the object of each non-blank line.

    Raises:
        UserError: The file is missing, or a line is not a JSON object; the message names the line.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _parse_object(line, f"{path}, line {number}")


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in `path`; a `UserError` when it is missing or something else."""
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    return _parse_object(path.read_bytes(), str(path))


def _parse_object(text: bytes, place: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{place}: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UserError(f"{place}: a JSON object is expected, not {type(value).__name__}")
    return value


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write one row a line; the file appears whole or not at all."""
    with writing(path) as aside, aside.open("wb") as file:
        for row in rows:
            file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


def write_json(path: Path, value: Any) -> None:
    """Write `value`, indented and with sorted keys; the file appears whole or not at all."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    write_text(path, orjson.dumps(value, option=options).decode())


def write_text(path: Path, text: str) -> None:
    """Write `text`; the file appears whole or not at all."""
    with writing(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a path aside to write a file or folder to; move it to `path` when all went well.

    An old file or folder at `path` stays whole until then; a link stays a link. What a failed run
    leaves aside is removed; what a killed one leaves (`.NAME.HOST.PID.part`), the next run with
    that name on that host removes.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    mend_killed_runs(path)
    aside = path.parent / f".{path.name}.{_HOST}.{os.getpid()}.part"
    try:
        yield aside
        _replace(aside, path)
    except OSError as error:
        if error.errno:  # a full disk is said without a name
            error.filename = error.filename or str(path)
        raise
    finally:
        _remove(aside)


def _replace(aside: Path, path: Path) -> None:
    # A folder cannot be renamed over a full one: the old one steps aside for the moment between.
    if not path.is_dir():
        os.replace(aside, path)
        return
    if aside.is_file():
        raise IsADirectoryError(errno.EISDIR, "a folder, not a file", str(path))
    old = path.parent / f".{path.name}.{_HOST}.{os.getpid()}.old"
    os.replace(path, old)
    os.replace(aside, path)
    _remove(old)


def mend_killed_runs(path: Path, alone: bool = False) -> None:
    """Remove what killed runs left beside `path`; bring back the old folder if it is missing.

    Args:
        path: What they wrote.
        alone: Nobody else can be writing it, on whatever host: a lock says so.
    """
    path = path.resolve()
    begin = f".{path.name}."
    for leftover in path.parent.glob(f"{glob.escape(begin)}*.*.*"):
        host, process, kind = leftover.name.removeprefix(begin).rsplit(".", 2)
        if not process.isdigit() or kind not in ("part", "old"):
            continue
        if not alone and (host != _HOST or _is_running(int(process))):
            continue
        if kind == "old" and not path.exists():  # killed between the two renames
            os.replace(leftover, path)
        else:
            _remove(leftover)


def _is_running(process: int) -> bool:
    if process == os.getpid():  # in a container each start has the number of the one before
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
