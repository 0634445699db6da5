"""LICENSE files beside notebooks → the licence that they state, by its SPDX identifier."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

from rapidfuzz import fuzz, process

_NAME = re.compile(
    r"(?:un)?licen[cs]e(?:\.(?:md|txt|rst))?|copying(?:\.lesser)?(?:\.(?:md|txt|rst))?",
    re.IGNORECASE,
)
_LONGEST = 200_000
_NEAR = 95
_COPYRIGHT = re.compile(
    r"^\W*(?:copyright\b.*(?:\d{4}|\(c\)|©|\[)|(?:\(c\)|©)\s*[\d\[]).*$",
    re.IGNORECASE | re.MULTILINE,
)
_END_OF_TERMS = re.compile(r"end of (?:the )?terms and conditions", re.IGNORECASE)
# What titles of the files have beside the text. Any other word that the text lacks may be a
# condition: "not for commercial use", or another licence for the data.
_TITLES = """the a an of license licence licensed under this file project repository software code
    is see mit expat x11 isc bsd apache gnu gpl clause simplified new revised modified version 2 3 0
    all rights reserved copyright c https http www opensource org licenses spdx identifier txt"""
_TITLE_WORDS = frozenset(_TITLES.split())


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
            return license_of(text.read(_LONGEST))
    except OSError:
        return None


def license_of(text: str) -> str | None:
    """The identifier of the licence that this is the text of, and nothing else; or None.

    >>> license_of("All rights reserved.")
    """
    words = _words(text)
    best = process.extractOne(words, _texts(), scorer=fuzz.ratio, score_cutoff=_NEAR)
    if best is None or set(words.split()) - set(best[0].split()) - _TITLE_WORDS:
        return None
    return str(best[2])


def _words(text: str) -> str:
    """The words of the terms alone, in lower case; people's names and layout differ."""
    terms = _END_OF_TERMS.split(_COPYRIGHT.sub("", text), maxsplit=1)[0]
    return " ".join(re.findall(r"\w+", terms.lower()))


@cache
def _texts() -> dict[str, str]:
    # Only its texts: `identify.license_id` takes a licence with a condition added for the licence.
    from identify.vendor.licenses import LICENSES

    return {name: _words(text) for name, text in LICENSES}
