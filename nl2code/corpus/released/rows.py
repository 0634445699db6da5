"""A record of the authors' release → a row of the dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nl2code.corpus.digests import digest
from nl2code.corpus.given_names import from_outside
from nl2code.corpus.mapping import Row
from nl2code.corpus.released.context import CONTEXT_COLUMNS, code_above, contextual, read_context
from nl2code.corpus.released.metadata import metadata_of
from nl2code.corpus.released.mixed_types import count, fields, given, text, words
from nl2code.markdown import nl_tokens
from nl2code.python_code import (
    NotPython,
    api_sequence,
    comments,
    imports,
    names_used,
    normal_form,
)


class UnusableRow(ValueError):
    """This line gives no example; `reason` says why in a word that can be counted."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def row_of(record: dict[str, Any]) -> Row:
    """Return the columns of a released record.

    What a record lacks comes from its code and context, as it would for our own examples.

    Raises:
        UnusableRow: `no_target`: neither the tokens to generate nor code that gives them.
    """
    cells = read_context(given(record, "context"))
    raw_metadata = fields(given(record, "metadata"))
    code = text(given(record, "code", "extracted_code"))
    tokens = words(given(record, "code_tokens_clean")) or _words(normal_form, code or "")
    if not tokens:
        raise UnusableRow("no_target")
    code = " ".join(tokens) if code is None else code
    nl_original, nl = _nl(record, cells)
    cells_above = _cells_above(record, raw_metadata, cells)
    metadata = metadata_of(record, raw_metadata, cells_above)
    boilerplate = text(given(record, "boilerplate_code") or given(raw_metadata, "boilerplate"))
    used = from_outside(frozenset(_words(names_used, code)), code, boilerplate)
    return {
        "id": _id(metadata, code, nl_original),
        "nl_original": nl_original,
        "nl": nl,
        "code": code,
        "code_tokens_clean": tokens,
        **_words_of_code(record, cells, code),
        "boilerplate_code": boilerplate,
        "context": [{name: cell[name] for name in CONTEXT_COLUMNS} for cell in cells],
        "num_cells_above": cells_above,
        **contextual(used, cells, nl_original),
        "tests": [],
        "metadata": metadata,
    }


def _words(read: Callable[[str], Iterable[str]], code: str) -> list[str]:
    try:
        return list(read(code))
    except NotPython:  # Python 2 among them: the release holds cells of both
        return []


def _id(metadata: dict[str, Any], code: str, nl: str) -> str:
    """Our own builder's id of the cell, where repository and path are known."""
    place = (metadata["repo"], metadata["path"])
    # Without a place, equal code at one index would give one id to many rows.
    origin = place if all(place) else ("", nl)
    return digest((*origin, str(metadata["cell_index"]), code))


def _nl(record: dict[str, Any], cells: list[dict[str, Any]]) -> tuple[str, list[str]]:
    """The NL as written, which a released row holds only in its context, and its tokens."""
    nearest = next((cell for cell in cells if cell["cell_type"] == "markdown"), {})
    tokens = words(given(record, "nl"))
    original = text(given(record, "nl_original")) or nearest.get("nl_original")
    if original is None:
        original = " ".join(tokens or ())
    if tokens is None:
        tokens = words(nearest.get("nl"))
    return original, nl_tokens(original) if tokens is None else tokens


def _words_of_code(
    record: dict[str, Any], cells: list[dict[str, Any]], code: str
) -> dict[str, list[str]]:
    calls, imported, own = (
        words(given(record, name)) for name in ("api_sequence", "imports", "comments")
    )
    if imported is None:
        imported = imports(*(source for _, source in code_above(cells)), code)
    return {
        "api_sequence": _words(api_sequence, code) if calls is None else calls,
        "imports": imported,
        "comments": _words(comments, code) if own is None else own,
    }


def _cells_above(
    record: dict[str, Any], metadata: dict[str, Any], cells: list[dict[str, Any]]
) -> int:
    stated = (count(given(record, "num_cells_above")), count(given(metadata, "cell_index")))
    farthest = max((cell["distance_target"] for cell in cells), default=0)
    return next((number for number in stated if number is not None), farthest)
