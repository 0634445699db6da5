"""What a row's columns must be by its code, its NL and its context, as the build derives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nl2code.corpus.check.contexts import Context, Numbers
from nl2code.corpus.check.made import Made
from nl2code.corpus.check.rows import Row, is_cut
from nl2code.corpus.given_names import from_outside
from nl2code.corpus.names import Scope, contextual_fields
from nl2code.corpus.remembered import words_of
from nl2code.python_code import NotPython, analyse, imports
from nl2code.python_code.analysis import MAX_TOKENS

NL = "nl is the words of nl_original"
NORMAL_FORM = "code_tokens_clean is the normal form of code"
API_SEQUENCE = "api_sequence is what code calls"
COMMENTS = "comments are those of code"
IMPORTS = "imports are those of the cells above and of code"
USES = "uses_*, multi_cell are what code takes from above"
DERIVED = (NL, NORMAL_FORM, API_SEQUENCE, COMMENTS, IMPORTS, USES)

_PYTHONS = (3, None)
"""Rows do not say their notebook's Python. With 2 a cell is read as with None: in either."""


class Deriver:
    """Derives the columns of a batch's rows; of a notebook's, each reads what is new above it."""

    def __init__(self, made: Made) -> None:
        self._made = made
        self._imported: dict[tuple[str | None, ...], Sequence[str]] = {}
        self._above = {python: _Above(python) for python in _PYTHONS}

    def wrong(self, row: Row, context: Context) -> Iterator[tuple[str, str]]:
        """Yield which of the `DERIVED` invariants the row breaks, and how.

        Targets that were truncated show their first 120 tokens and all calls.
        """
        words, _ = words_of(row["nl_original"] or "")
        yield from _unlike(NL, row["nl"], words)
        try:
            analysis = analyse(row["code"] or "")
            tokens, used = analysis.tokens, analysis.names_used
        except NotPython as error:
            yield from ((name, error.reason) for name in DERIVED if name != NL)
            return
        shown = tokens[:MAX_TOKENS] if self._made.truncated else tokens
        if tuple(row["code_tokens_clean"] or ()) != shown:
            yield from _unlike(NORMAL_FORM, row["code_tokens_clean"], tokens)
        yield from _unlike(API_SEQUENCE, row["api_sequence"], analysis.api_sequence)
        yield from _unlike(COMMENTS, row["comments"], analysis.comments)
        yield from self._wrong_above(row, context, used)

    def _wrong_above(
        self, row: Row, context: Context, used: frozenset[str]
    ) -> Iterator[tuple[str, str]]:
        """What a cut context leaves of the columns must be in them; else it is all of them.

        Of the latter `uses_*` name nothing besides what the code uses and the NL does not say.
        """
        cut = is_cut(row, context)
        own = imports(row["code"] or "")
        imported = [*self._above[3].read(context).imported, *own]
        stated = row["imports"] or []
        farther = stated[: max(0, len(stated) - len(imported))] if cut else []
        yield from _unlike(IMPORTS, stated, [*_import_words(farther), *imported])
        if cut and self._made.known and row["boilerplate_code"] is None:
            yield from self._unlike_others(row, stated[: len(stated) - len(own)])
        used = from_outside(used, row["code"] or "", row["boilerplate_code"])
        everything = Scope(variables=dict.fromkeys(used, 0))
        nl, faults = row["nl_original"] or "", []
        possible = contextual_fields(used, everything, nl)["uses_variables"] if cut else []
        for above in self._above.values():
            found = contextual_fields(used, above.read(context).scope, nl)
            faults.append(_uses_fault(row, found, possible if cut else None))
            if not faults[-1]:
                return
        yield USES, faults[0]

    def _unlike_others(self, row: Row, above: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Compare what is imported above with the most that another row of the notebook has."""
        metadata = row["metadata"] or {}
        notebook = (metadata.get("repo"), metadata.get("path"), metadata.get("commit"))
        most = self._imported.get(notebook, ())
        shared = min(len(most), len(above))
        yield from _unlike(IMPORTS, above[:shared], most[:shared])
        self._imported[notebook] = max(most, above, key=len)


class _Above:
    """What the code cells above define and import."""

    def __init__(self, python: int | None) -> None:
        self._python = python
        self._begin()

    def _begin(self) -> None:
        self._read = np.empty(0, np.int64)
        self.scope, self.imported = Scope(self._python), list[str]()

    def read(self, context: Context) -> _Above:
        """Read a context's cells: where it begins with those of the last one, only the others."""
        above: Numbers = context.numbers[::-1]
        above = above[context.cells.is_code[above]]
        if not np.array_equal(above[: len(self._read)], self._read):
            self._begin()
        known = len(self._read)
        for place, number in enumerate(above[known:].tolist(), known):
            source = context.cells.codes[number] or ""
            self.scope.add_source(source, place)
            self.imported += imports(source)
        self._read = above
        return self


def _import_words(words: Sequence[str | None]) -> list[str]:
    """Those of the words that `imports` yields."""
    return imports(f"import {' '.join(filter(None, words))}")


def _uses_fault(row: Row, found: dict[str, Any], possible: Sequence[str] | None) -> str:
    """How the columns are not those found; of a cut context, with more names of the possible."""
    for name in ("uses_variables", "uses_methods"):
        stated, right = row[name] or [], found[name]
        if possible is not None:
            more = set(stated) & set(possible) if None not in stated else set[str]()
            right = sorted({*right, *more})
        if stated != right:
            return f"{name}: {_difference(stated, right)}"
    names = [*(row["uses_variables"] or ()), *(row["uses_methods"] or ())]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        return f"a variable and a method: {', '.join(repeated)}"
    stated = row["multi_cell"]
    if stated != found["multi_cell"] and not (possible is not None and stated and len(names) > 1):
        return f"multi_cell: {stated}, not {found['multi_cell']}"
    return ""


def _unlike(
    name: str, stated: Sequence[str] | None, right: Sequence[str]
) -> Iterator[tuple[str, str]]:
    found = tuple(stated or ())
    if found != tuple(right):
        yield name, _difference(found, right)


def _difference(found: Sequence[str | None], right: Sequence[str]) -> str:
    """Where two sequences part.

    >>> _difference(("x", "=", "1"), ("x", "=", "2", "NEWLINE"))
    'item 3: 1, not 2'
    """
    place = next(
        (n for n, pair in enumerate(zip(found, right, strict=False)) if pair[0] != pair[1]),
        min(len(found), len(right)),
    )
    here, there = ((*sequence, "the end")[place] for sequence in (found, right))
    return f"item {place + 1}: {here!s:.40}, not {there!s:.40}"
