"""A build.json, which anyone may have edited: read, or named with the field that is odd."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import fields
from pathlib import Path
from textwrap import shorten
from typing import Any

from nl2code.corpus.check.files import Splits
from nl2code.corpus.files import SplitFiles
from nl2code.corpus.folders import REPORT
from nl2code.corpus.held_out import SPLITS
from nl2code.errors import UserError
from nl2code.jsonl import read_json

_LONGEST = 60
_NEEDED = ("digest", "funnel", "note", "options", "splits")


def read_report(folder: Path) -> dict[str, Any]:
    """Return what the build says of itself, or nothing when the folder is not of our build.

    Raises:
        UserError: A field that is there is of another kind than the build's.
    """
    path = folder / REPORT
    if not path.exists():
        return {}
    report = read_json(path)
    _refuse_odd(path, "", report, _FIELDS)
    _refuse_odd(path, "options.", report.get("options", {}), _OPTIONS)
    return report


def unstated(report: dict[str, Any], splits: Splits, also: Collection[str]) -> Iterator[str]:
    """Yield what the report does not say, of the fields of all builds and of `also`."""
    yield from (f"{name} is missing" for name in (*_NEEDED, *also) if name not in report)
    options = report.get("options", {})
    if also:
        yield from (f"{name} is unknown" for name in report if name not in _FIELDS)
        yield from _odd_splits(report.get("splits", {}))
    if also and "config" not in options:  # a build of notebooks
        needed = _OPTIONS.keys() - ({"min_repositories"} if _is_simple(options) else set())
        yield from (f"options.{name} is missing" for name in sorted(needed - options.keys()))
        yield from (f"options.{name} is unknown" for name in sorted(options.keys() - needed))
    named = report.get("splits", {})
    for name in sorted({*splits, *named}):
        stated = named.get(name, {}).get("files")
        if stated != sorted(Path(path).name for path in splits.get(name, ())):
            yield f"splits.{name}.files is {_brief(stated)}"


def _odd_splits(splits: dict[str, Any]) -> Iterator[str]:
    names = {field.name for field in fields(SplitFiles)}
    for split, stated in splits.items():
        yield from (f"splits.{split}.{name} is missing" for name in sorted(names - stated.keys()))
        yield from (f"splits.{split}.{name} is unknown" for name in sorted(stated.keys() - names))
        if split not in SPLITS:
            yield f"splits.{split} is unknown"


def _is_simple(options: dict[str, Any]) -> bool:
    """Whether whole repositories or notebooks are held out."""
    return options.get("dev_test") in ("repositories", "notebooks")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _are_numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


def _are_splits(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_split, value.values()))


def _is_split(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _are_names(one) if name == "files" else _is_count(one) for name, one in value.items()
    )


def _is_funnel(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, list) and len(row) == 3 and _are_names(row[:2]) and _is_count(row[2])
        for row in value
    )


_Kinds = dict[str, tuple[str, Callable[[Any], bool]]]
_FIELDS: _Kinds = {
    "digest": ("a text", _is_text),
    "splits": ("the counts and files of each split", _are_splits),
    "funnel": ("rows of stage, reason and count", _is_funnel),
    "licenses": ("a count for each licence", _are_counts),
    "redacted": ("a count for each kind", _are_counts),
    "bytes_per_example": ("a number for each split", _are_numbers),
    "options": ("names and values", lambda value: isinstance(value, dict)),
    "note": ("a text", _is_text),
}
_OPTIONS: _Kinds = {
    "max_context_cells": (
        "null or a number from 1 on",
        lambda value: value is None or (_is_count(value) and value > 0),
    ),
    "licenses": ("null or SPDX identifiers", lambda value: value is None or _are_names(value)),
    "dev_test": (
        "curated, repositories or notebooks",
        lambda value: value in ("curated", "repositories", "notebooks"),
    ),
    "seed": ("a whole number", lambda value: type(value) is int),
    "min_repositories": ("a number from 0 on", _is_count),
    "long_targets": ("drop or truncate", lambda value: value in ("drop", "truncate")),
}


def _refuse_odd(path: Path, where: str, fields: dict[str, Any], kinds: _Kinds) -> None:
    for name, (words, is_such) in kinds.items():
        if name in fields and not is_such(fields[name]):
            raise UserError(f"{path}: {where}{name}: {words} expected, not {_brief(fields[name])}")


def _brief(value: Any) -> str:
    return shorten(repr(value), _LONGEST, placeholder=" …")
