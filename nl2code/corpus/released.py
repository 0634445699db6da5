"""The authors' released {train,dev,test}.jsonl → rows of the dataset."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from nl2code.corpus.mapping import Row
from nl2code.corpus.mixed_types import count, fields, given, label, number, text, words
from nl2code.corpus.names import Scope, contextual_fields
from nl2code.corpus.targets import digest
from nl2code.markdown import nl_tokens
from nl2code.notebooks import CELL_TYPES, UnreadableNotebook, read_object
from nl2code.python_code import Analysis, Names, NotPython, analyse, imports, names_defined

_NBGRADER_FIELDS = (
    *("checksum", "grade", "grade_id", "locked", "points", "solution", "schema_version"),
    *("is_boilerplate", "is_instructor_answer", "extracted_code"),
)
_NBGRADER_METADATA = ("test_below_passed", "from_output_nb")
_EXERCISE_METADATA = ("boilerplate", "boilerplate_path", "submission_url", "url")


class UnusableRow(ValueError):
    """This line gives no example; `reason` says why in a word that can be counted."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_released(file: Path, drops: Counter[str]) -> Iterator[Row]:
    """Yield a row of `schema.FEATURES` for each line of a released file, in its order."""
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


def row_of(record: dict[str, Any]) -> Row:
    """Return the columns of a released record.

    What a record lacks comes from its code and context, as it would for our own examples.

    Raises:
        UnusableRow: `no_target`: neither the tokens to generate nor code that gives them.
    """
    cells = _context(given(record, "context"))
    code = text(given(record, "code", "extracted_code"))
    analysis = _analysis(code)
    tokens = words(given(record, "code_tokens_clean")) or list(analysis.tokens if analysis else ())
    if not tokens:
        raise UnusableRow("no_target")
    nl_original, nl = _nl(record, cells)
    metadata = _metadata(record, cells)
    place = (metadata["repo"], metadata["path"])
    # Without a place, equal code at one index would give one id to many rows.
    origin = place if all(place) else ("", nl_original)
    target = code if code is not None else " ".join(tokens)
    return {
        "id": digest((*map(str, origin), str(metadata["cell_index"]), target)),
        "nl_original": nl_original,
        "nl": nl,
        "code": target,
        "code_tokens_clean": tokens,
        **_words_of_code(record, cells, target, analysis),
        "boilerplate_code": _boilerplate(record),
        "context": [{name: cell[name] for name in _CONTEXT_COLUMNS} for cell in cells],
        "num_cells_above": _cells_above(record, cells),
        **_contextual(analysis, cells, nl_original),
        "tests": [],
        "metadata": metadata,
    }


def _analysis(code: str | None) -> Analysis | None:
    try:
        return analyse(code or "")
    except NotPython:  # Python 2 among them: the release holds cells of both
        return None


_CONTEXT_COLUMNS = ("cell_type", "distance_target", "nl_original", "code")


def _context(value: Any) -> list[dict[str, Any]]:
    """The cells above, nearest first as they are stored, or as their distances say."""
    raw = value if isinstance(value, list) else [value]
    cells = [_cell(cell, nth) for nth, cell in enumerate(raw, 1) if isinstance(cell, dict)]
    return sorted(cells, key=lambda cell: int(cell["distance_target"]))


def _cell(raw: dict[str, Any], nth: int) -> dict[str, Any]:
    nl = text(given(raw, "nl_original"))
    tokens = words(given(raw, "nl"))
    code = text(given(raw, "code"))
    kind = raw.get("cell_type")
    if kind not in CELL_TYPES:
        kind = "raw" if code is not None or nl is None else "markdown"
    if kind == "markdown":
        nl, code = nl if nl is not None else " ".join(tokens or ()), None
    return {
        "cell_type": kind,
        "distance_target": count(given(raw, "distance_target")) or nth,
        "nl_original": nl if kind == "markdown" else None,
        "code": code,
        "nl": tokens,
    }


def _nl(record: dict[str, Any], cells: list[dict[str, Any]]) -> tuple[str, list[str]]:
    """The NL as written, which a released row holds only in its context, and its tokens."""
    nearest = next((cell for cell in cells if cell["cell_type"] == "markdown"), {})
    tokens = words(given(record, "nl"))
    original = text(given(record, "nl_original")) or nearest.get("nl_original")
    if original is None:
        original = " ".join(tokens or ())
    if tokens is None:
        tokens = nearest.get("nl")
    return original, nl_tokens(original) if tokens is None else tokens


def _words_of_code(
    record: dict[str, Any], cells: list[dict[str, Any]], code: str, analysis: Analysis | None
) -> dict[str, list[str]]:
    calls, own = words(given(record, "api_sequence")), words(given(record, "comments"))
    imported = words(given(record, "imports"))
    if imported is None:
        imported = imports(*(source for _, source in _code_above(cells)), code)
    return {
        "api_sequence": list(analysis.api_sequence if analysis else ()) if calls is None else calls,
        "imports": imported,
        "comments": list(analysis.comments if analysis else ()) if own is None else own,
    }


def _code_above(cells: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Distance and source of the code cells above, in the notebook's order."""
    for cell in reversed(cells):
        if cell["cell_type"] == "code" and cell["code"]:
            yield cell["distance_target"], cell["code"]


def _contextual(
    analysis: Analysis | None, cells: list[dict[str, Any]], nl_original: str
) -> dict[str, Any]:
    scope = Scope()
    for distance, source in _code_above(cells):
        # Rows of one notebook share their context, but a megabyte of code stays in no cache.
        names = _names(source) if len(source) < _CACHED_LENGTH else _names.__wrapped__(source)
        scope.add(names, -distance)
    return contextual_fields(analysis.names_used if analysis else frozenset(), scope, nl_original)


_CACHED_LENGTH = 10_000


@lru_cache(2_000)
def _names(source: str) -> Names:
    try:
        return names_defined(source)
    except NotPython:
        return Names()


def _boilerplate(record: dict[str, Any]) -> str | None:
    metadata = fields(given(record, "metadata"))
    return text(given(record, "boilerplate_code") or given(metadata, "boilerplate"))


def _cells_above(record: dict[str, Any], cells: list[dict[str, Any]]) -> int:
    above = count(given(record, "num_cells_above"))
    if above is None:
        above = count(given(fields(given(record, "metadata")), "cell_index"))
    return max((cell["distance_target"] for cell in cells), default=0) if above is None else above


def _metadata(record: dict[str, Any], cells: list[dict[str, Any]]) -> dict[str, Any]:
    raw = fields(given(record, "metadata"))
    index = count(given(raw, "cell_index"))
    address = _address(label(given(raw, "submission_url", "nb_orig_url", "url")) or "")
    return {
        "source": _source(record, raw),
        "repo": label(given(raw, "repo") or given(record, "repo")) or address.get("repo"),
        "path": label(given(raw, "path") or given(record, "path")) or address.get("path"),
        "commit": label(given(raw, "commit")) or address.get("commit"),
        "license": label(given(raw, "license")),
        "cell_index": _cells_above(record, cells) if index is None else index,
        "grade_id": label(given(record | raw, "grade_id")),
        "points": number(given(record | raw, "points")),
    }


def _source(record: dict[str, Any], metadata: dict[str, Any]) -> str:
    if given(record, *_NBGRADER_FIELDS) is not None:
        return "nbgrader"
    if given(metadata, *_NBGRADER_METADATA) is not None:
        return "nbgrader"
    if given(metadata, *_EXERCISE_METADATA) is not None:
        return "exercise"
    return "train" if given(record, "boilerplate_code") is None else "exercise"


_GITHUB = re.compile(
    r"https?://(?:www\.)?(?:github\.com/(?P<repo>[^/]+/[^/]+)/(?:blob|raw|tree)"
    r"|raw\.githubusercontent\.com/(?P<raw_repo>[^/]+/[^/]+))/(?P<ref>[^/]+)/(?P<path>[^?#]+)"
)


def _address(url: str) -> dict[str, str]:
    """Repository, path and commit that a notebook's address on GitHub names.

    >>> _address("https://github.com/ada/ps/blob/master/a%20b.ipynb")
    {'repo': 'ada/ps', 'path': 'a b.ipynb'}
    """
    found = _GITHUB.match(url)
    if not found:
        return {}
    address = {"repo": found["repo"] or found["raw_repo"], "path": unquote(found["path"])}
    # A branch moves, so only a hash tells which version of the notebook it was.
    return address | (
        {"commit": found["ref"]} if re.fullmatch("[0-9a-f]{40}", found["ref"]) else {}
    )
