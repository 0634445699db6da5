"""The cells above a released target, and the names that it takes from them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from nl2code.corpus.names import Scope, contextual_fields
from nl2code.corpus.released.mixed_types import count, given, text, words
from nl2code.notebooks import CELL_TYPES
from nl2code.python_code.cells_above import names_left
from nl2code.python_code.names import Names

_CACHED_LENGTH = 10_000
CONTEXT_COLUMNS = ("cell_type", "distance_target", "nl_original", "code")


def read_context(value: Any) -> list[dict[str, Any]]:
    """The cells above, nearest first; those that state no distance stand where they are stored.

    A cell has the `CONTEXT_COLUMNS`, and `nl` as it was released.
    """
    raw = value if isinstance(value, list) else [value]
    cells = [_cell(cell, nth) for nth, cell in enumerate(raw, 1) if isinstance(cell, dict)]
    return sorted(cells, key=lambda cell: int(cell["distance_target"]))


def _cell(raw: dict[str, Any], nth: int) -> dict[str, Any]:
    nl = text(given(raw, "nl_original"))
    tokens = given(raw, "nl")
    code = text(given(raw, "code"))
    kind = raw.get("cell_type")
    if kind not in CELL_TYPES:
        kind = "markdown" if code is None and (nl or tokens) else "raw"
    is_nl = kind == "markdown"
    return {
        "cell_type": kind,
        "distance_target": count(given(raw, "distance_target")) or nth,
        "nl_original": (" ".join(words(tokens) or ()) if nl is None else nl) if is_nl else None,
        "code": None if is_nl else code,
        "nl": tokens,
    }


def code_above(cells: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Distance and source of the code cells above, in the notebook's order."""
    for cell in reversed(cells):
        if cell["cell_type"] == "code" and cell["code"]:
            yield cell["distance_target"], cell["code"]


def contextual(
    used: frozenset[str], cells: list[dict[str, Any]], nl_original: str
) -> dict[str, Any]:
    """Return the columns that say what a target that uses these names takes from above."""
    scope = Scope()
    for distance, source in code_above(cells):
        # Rows of one notebook share their context, but a megabyte of code stays in no cache.
        names = _names(source) if len(source) < _CACHED_LENGTH else names_left(source)
        scope.add(names, distance)
    return contextual_fields(used, scope, nl_original)


@lru_cache(2_000)
def _names(source: str) -> Names:
    return names_left(source)
