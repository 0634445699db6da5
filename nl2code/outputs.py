"""What a program may write to: never over what it reads, or over what another made."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from nl2code.errors import UserError


def check_file(out: Path, overwrite: bool, **read: Path) -> None:
    """Raise a `UserError` when the file `out` must not be written.

    Args:
        out: What `--out` names.
        overwrite: Whether an older file may be replaced.
        **read: What is read, by the option that names it.
    """
    if out.is_dir():
        raise UserError(f"--out {out}: a folder, not a file")
    for option, path in read.items():
        if out.exists() and path.exists() and out.samefile(path):
            raise UserError(f"--out {out}: is the file that --{option} reads")
    if out.exists() and not overwrite:
        raise UserError(f"--out {out}: exists; --overwrite replaces it")


def check_folder(out: Path, overwrite: bool, mark: str, made: Iterable[str], what: str) -> None:
    """Raise a `UserError` when the folder `out` must not be written; an empty one may be.

    Args:
        out: What `--out` names.
        overwrite: Whether an older folder may be replaced.
        mark: A file that every folder of this kind holds.
        made: Patterns of all the names that one may hold.
        what: The kind, for the message: `a folder that a build made`.
    """
    if not out.exists() or is_empty(out):
        return
    if not (out / mark).is_file():
        raise UserError(f"--out {out}: exists and is not {what}")
    for path in sorted(out.iterdir()):
        if not any(fnmatch(path.name, pattern) for pattern in made):
            raise UserError(f"--out {out}: holds {path.name}, which would be lost; move it away")
    if not overwrite:
        raise UserError(f"--out {out}: exists; --overwrite replaces it")


def check_apart(out: Path, **others: Path) -> None:
    """Raise a `UserError` when the folder `out` is one of the others, holds it or lies in it.

    Args:
        out: What `--out` names.
        **others: Folders that are written too, by the option that names them.
    """
    place = Path(os.path.realpath(out))
    for option, folder in others.items():
        other = Path(os.path.realpath(folder))
        if place.is_relative_to(other) or other.is_relative_to(place):
            raise UserError(f"--{option} {folder}: must lie apart from --out {out}")


def is_empty(folder: Path) -> bool:
    """Whether this is a folder with nothing in it."""
    return folder.is_dir() and not any(folder.iterdir())
