"""What must hold of each row by itself: names, and whether a row keeps to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nl2code.corpus.check.contexts import Context, is_unredacted
from nl2code.corpus.check.made import Made
from nl2code.corpus.check.sources import SOURCE, SOURCES, wrong_source
from nl2code.corpus.digests import digest
from nl2code.corpus.held_texts import TELLING, words_apart
from nl2code.corpus.licenses import keeps
from nl2code.corpus.schema import SCHEMA

Row = dict[str, Any]

COMPLETE = "every column has a value; metadata says source, repo and path"
CELLS = "context cells have a type, and their text in its column"
DISTANCES = "context distances are 1 to n, nearest first"
CELLS_ABOVE = "num_cells_above agrees with the context"
NEAREST_NL = "nl_original of a train row is the cell directly above"
CURATED_NL = "nl_original of a curated row stands in its context"
GIVEN = "boilerplate_code stands in the context, directly above"
CONTEXTUAL = "contextual says whether uses_* name something"
ANSWER = "no curated row shows its own target above or in given code (50 characters or more)"
ID = "id is the digest of repo, path, cell_index and code"
LICENSE = "metadata.license is one that the build keeps"
REDACTED = "nothing is left to redact in NL, code, tests and context"
_TRAIN, _CURATED = (NEAREST_NL,), (CURATED_NL, ANSWER)
_ANY = (COMPLETE, CELLS, DISTANCES, CELLS_ABOVE, CONTEXTUAL)
CHEAP = (*_ANY, *_TRAIN, *_CURATED)
BUILT = (GIVEN, ID, LICENSE, SOURCE, REDACTED)
"""Of rows that `juice.py build` made."""

_OPTIONAL = frozenset(["boilerplate_code"])


def claims(row: Row, made: Made) -> tuple[str, ...]:
    """Which of `CHEAP` and `BUILT` are about this row."""
    of_source = _TRAIN if (row["metadata"] or {}).get("source") == "train" else _CURATED
    return (*_ANY, *of_source, *claims_of(made))


def claims_of(made: Made) -> tuple[str, ...]:
    """Which of `BUILT` are about the rows of this build."""
    return BUILT if made.known else (ID,) if made.released else ()


def broken(row: Row, context: Context, split: str, made: Made) -> Iterator[tuple[str, str]]:
    """Yield which of its `claims` the row breaks, and how."""
    metadata = row["metadata"] or {}
    if missing := ", ".join(_missing(row, metadata)):
        yield COMPLETE, missing
    if (odd := context.cells.are_odd[context.numbers]).any():
        yield CELLS, f"at distance {int(odd.argmax()) + 1}"
    if not np.array_equal(context.distances, np.arange(1, len(context) + 1)):
        yield DISTANCES, f"{context.distances[:5].tolist()}"
    if _lacks_given(row, len(context), made):
        yield GIVEN, "none, but a cell more in the context"
    elif not _counts_cells(row, len(context), made):
        yield CELLS_ABOVE, f"{row['num_cells_above']} above, {len(context)} in the context"
    yield from _wrong_nl(row, context, metadata.get("source"), made)
    if bool(row["uses_variables"] or row["uses_methods"]) != row["contextual"]:
        yield CONTEXTUAL, f"{row['contextual']}"
    if metadata.get("source") != "train" and (where := _shows_answer(row, context)):
        yield ANSWER, where
    if (made.known or made.released) and not _has_our_id(row, metadata, made):
        yield ID, f"cell {metadata.get('cell_index')} of {metadata.get('path')}"
    if made.known:
        yield from _not_as_built(row, context, split, made)


def _missing(row: Row, metadata: Row) -> Iterator[str]:
    for name in SCHEMA.names:
        value = row.get(name, ())  # the context is apart
        if (value is None and name not in _OPTIONAL) or (isinstance(value, list) and None in value):
            yield name
    if metadata.get("source") not in SOURCES:
        yield f"source is {metadata.get('source')}"
    yield from (name for name in ("repo", "path") if not metadata.get(name))


def _counts_cells(row: Row, shown: int, made: Made) -> bool:
    above: int | None = row["num_cells_above"]
    if above is None:
        return False
    # Given code stands in the context as a cell of its own.
    whole = above + bool(row["boilerplate_code"])
    return shown == min(whole, made.cells or whole) if made.known else shown <= whole


def _lacks_given(row: Row, shown: int, made: Made) -> bool:
    is_curated = (row["metadata"] or {}).get("source") != "train"
    one_more = shown == (row["num_cells_above"] or 0) + 1
    return made.known and is_curated and one_more and row["boilerplate_code"] is None


def _wrong_nl(
    row: Row, context: Context, source: str | None, made: Made
) -> Iterator[tuple[str, str]]:
    nl = row["nl_original"]
    if source == "train":
        above = context.cells.nls[context.numbers[0]] if len(context) else None
        if nl is None or above != nl:
            yield NEAREST_NL, f"{nl!r:.40}"
    elif not is_cut(row, context) and not context.has_nl(nl):
        yield CURATED_NL, f"{nl!r:.40}"


def is_cut(row: Row, context: Context) -> bool:
    """Whether cells above are not in the context."""
    return len(context) < (row["num_cells_above"] or 0) + bool(row["boilerplate_code"])


def _shows_answer(row: Row, context: Context) -> str:
    code = row["code"] or ""
    text = words_apart(code)
    if len(text) >= TELLING and text in words_apart(row["boilerplate_code"] or ""):
        return "in boilerplate_code"
    return "in the context" if context.shows(code) else ""


def _has_our_id(row: Row, metadata: Row, made: Made) -> bool:
    place = tuple(metadata.get(name) or "" for name in ("repo", "path"))
    # As `released.rows` has it: without a place, equal code would have one id.
    origin = place if all(place) else ("", row["nl_original"] or "")
    index = metadata.get("cell_index")
    is_same = index == row["num_cells_above"] or not made.known
    return is_same and row["id"] == digest((*origin, str(index), row["code"] or ""))


def _not_as_built(row: Row, context: Context, split: str, made: Made) -> Iterator[tuple[str, str]]:
    given, license = row["boilerplate_code"], (row["metadata"] or {}).get("license")
    if given is not None and (not len(context) or context.cells.codes[context.numbers[0]] != given):
        yield GIVEN, f"{given!r:.40}"
    if made.licenses and not keeps(license, made.licenses):
        yield LICENSE, f"{license}"
    if how := wrong_source(row, split, made):
        yield SOURCE, how
    if where := _unredacted(row, context):
        yield REDACTED, where


def _unredacted(row: Row, context: Context) -> str:
    for name in ("nl_original", "code", "boilerplate_code"):
        if is_unredacted(row[name] or ""):
            return name
    if any(map(is_unredacted, filter(None, row["tests"] or ()))):
        return "tests"
    shown = context.cells.are_unredacted[context.numbers]
    return f"the context, at distance {int(shown.argmax()) + 1}" if shown.any() else ""
