"""What must hold of each row by itself: names, and whether a row keeps to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nl2code.python_code import NotPython, analyse
from nl2code.python_code.analysis import MAX_TOKENS

Row = dict[str, Any]

DISTANCES = "context distances are 1 to n, nearest first"
CELLS_ABOVE = "num_cells_above agrees with the context"
NEAREST_NL = "nl_original of a train row is the cell directly above"
CONTEXTUAL = "contextual says whether uses_* name something"
NORMAL_FORM = "code_tokens_clean is the normal form of code"
API_SEQUENCE = "api_sequence is what code calls"
CHEAP = (DISTANCES, CELLS_ABOVE, NEAREST_NL, CONTEXTUAL)
ANALYSED = (NORMAL_FORM, API_SEQUENCE)


@dataclass(frozen=True, slots=True)
class Cap:
    """How many cells of context the build kept."""

    known: bool = False
    cells: int | None = None


def broken(row: Row, cap: Cap) -> Iterator[tuple[str, str]]:
    """Yield which of the `CHEAP` invariants the row breaks, and how."""
    context = row["context"] or []
    distances = [cell["distance_target"] for cell in context]
    if distances != list(range(1, len(context) + 1)):
        yield DISTANCES, f"{distances[:5]}"
    if not _counts_cells(row, len(context), cap):
        yield CELLS_ABOVE, f"{row['num_cells_above']} above, {len(context)} in the context"
    if (row["metadata"] or {}).get("source") == "train" and not _is_nl_above(row, context):
        yield NEAREST_NL, f"{row['nl_original']!r:.40}"
    if bool(row["uses_variables"] or row["uses_methods"]) != row["contextual"]:
        yield CONTEXTUAL, f"{row['contextual']}"


def _counts_cells(row: Row, shown: int, cap: Cap) -> bool:
    above: int | None = row["num_cells_above"]
    if above is None:
        return False
    # Given code of an exercise's cell stands in the context as a cell of its own.
    possible = {above, above + 1} if row["boilerplate_code"] else {above}
    if not cap.known:
        return shown <= max(possible)
    return shown in {min(count, cap.cells or count) for count in possible}


def _is_nl_above(row: Row, context: list[Row]) -> bool:
    return bool(context and context[0]["nl_original"] == row["nl_original"])


def wrong_analysis(row: Row) -> Iterator[tuple[str, str]]:
    """Yield which of the `ANALYSED` invariants the row breaks, and how.

    Targets that were truncated show their first 120 tokens and all calls.
    """
    try:
        analysis = analyse(row["code"] or "")
    except NotPython as error:
        yield from ((name, error.reason) for name in ANALYSED)
        return
    tokens = tuple(row["code_tokens_clean"] or ())
    if tokens not in (analysis.tokens, analysis.tokens[:MAX_TOKENS]):
        yield NORMAL_FORM, _difference(tokens, analysis.tokens)
    calls = tuple(row["api_sequence"] or ())
    if calls != analysis.api_sequence:
        yield API_SEQUENCE, _difference(calls, analysis.api_sequence)


def _difference(found: tuple[str, ...], right: tuple[str, ...]) -> str:
    """Where two sequences part.

    >>> _difference(("x", "=", "1"), ("x", "=", "2", "NEWLINE"))
    'item 3: 1, not 2'
    """
    place = next(
        (n for n, pair in enumerate(zip(found, right, strict=False)) if pair[0] != pair[1]),
        min(len(found), len(right)),
    )
    here, there = ((*sequence, "the end")[place] for sequence in (found, right))
    return f"item {place + 1}: {here}, not {there}"
