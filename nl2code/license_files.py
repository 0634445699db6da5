"""LICENSE files beside notebooks → the licence that they state, by its SPDX identifier."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from nl2code.license_texts import license_of

_NAME = re.compile(
    r"(?:un)?licen[cs]e(?:\.(?:md|txt|rst))?|copying(?:\.lesser)?(?:\.(?:md|txt|rst))?",
    re.IGNORECASE,
)
_LONGEST = 200_000


def licenses_by_folder(files: Iterable[Path]) -> dict[Path, str | None]:
    """What the licence files among `files` state: an identifier for each folder that has any.

    None stands for a text that is no known licence's, or for several licences.
    """
    found: dict[Path, set[str | None]] = {}
    for file in files:
        if _NAME.fullmatch(file.name) and file.is_file():
            found.setdefault(file.parent, set()).add(_read(file))
    return {folder: ids.pop() if len(ids) == 1 else None for folder, ids in found.items()}


def license_above(
    file: Path, licenses: Mapping[Path, str | None], roots: Collection[Path]
) -> str | None:
    """The licence that the nearest folder above the file states, as far up as one of `roots`."""
    for folder in file.parents:
        if folder in licenses:
            return licenses[folder]
        if folder in roots:
            break
    return None


def _read(file: Path) -> str | None:
    try:
        with file.open(encoding="utf-8", errors="replace") as text:
            content = text.read(_LONGEST + 1)
    except OSError:
        return None
    return license_of(content) if len(content) <= _LONGEST else None
