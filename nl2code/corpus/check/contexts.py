"""The contexts of some rows: a cell that many of them show is kept, and read, once.

A row shows all cells above its target, so the rows of one notebook show the square of its cells.
As Python objects those of 10,000 cells took more than a minute.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nl2code.corpus.held_texts import TELLING, words_apart
from nl2code.corpus.near_duplicates import cell_key
from nl2code.corpus.redaction import redact

Numbers = npt.NDArray[np.int64]
_COLUMNS = ("cell_type", "nl_original", "code")


@dataclass(frozen=True)
class Cells:
    """The different cells of some contexts."""

    types: list[str | None]
    nls: list[str | None]
    codes: list[str | None]

    @cached_property
    def is_code(self) -> npt.NDArray[np.bool_]:
        """Which are code."""
        return np.array([kind == "code" for kind in self.types], np.bool_)

    @cached_property
    def are_odd(self) -> npt.NDArray[np.bool_]:
        """Which have no type, or their text in no column or another than their type's."""
        columns = zip(self.types, self.nls, self.codes, strict=True)
        return np.array([_is_odd(*cell) for cell in columns], np.bool_)

    @cached_property
    def texts(self) -> list[str]:
        """What each says, blanks apart."""
        pairs = zip(self.codes, self.nls, strict=True)
        return [words_apart(code or nl or "") for code, nl in pairs]

    @cached_property
    def keys(self) -> npt.NDArray[np.uint64]:
        """The key of each, as duplicates are told by."""
        cells = zip(self.types, self.codes, self.nls, strict=True)
        keys = [cell_key(kind or "", code or nl or "") for kind, code, nl in cells]
        return np.array(keys, np.uint64)

    @cached_property
    def digests(self) -> npt.NDArray[np.uint64]:
        """A digest of each, to the letter."""
        cells = zip(self.types, self.nls, self.codes, strict=True)
        found = (hashlib.blake2b(repr(cell).encode(), digest_size=8).digest() for cell in cells)
        return np.frombuffer(b"".join(found), np.uint64)

    @cached_property
    def are_unredacted(self) -> npt.NDArray[np.bool_]:
        """Which hold what the build redacts."""
        cells = zip(self.nls, self.codes, strict=True)
        return np.array([is_unredacted(code or nl or "") for nl, code in cells], np.bool_)


@dataclass(frozen=True, slots=True)
class Context:
    """The cells above a target, nearest first."""

    cells: Cells
    numbers: Numbers
    """Of each, among the different cells."""
    distances: Numbers
    """-1 where none is stated."""

    def __len__(self) -> int:
        return len(self.numbers)

    def has_nl(self, nl: str | None) -> bool:
        """Whether one of them is this markdown."""
        return nl is not None and any(self.cells.nls[number] == nl for number in self.numbers)

    def shows(self, code: str) -> bool:
        """Whether one of them holds this code, blanks apart; code that is short tells nothing."""
        text = words_apart(code)
        if len(text) < TELLING:
            return False
        holding = [number for number, shown in enumerate(self.cells.texts) if text in shown]
        return bool(np.isin(self.numbers, holding).any())


def is_unredacted(text: str) -> bool:
    """Whether the text holds what the build redacts."""
    return redact(text, Counter()) != text


def _is_odd(kind: str | None, nl: str | None, code: str | None) -> bool:
    own, other = (nl, code) if kind == "markdown" else (code, nl)
    return not kind or own is None or other is not None


def contexts_of(column: pa.ChunkedArray) -> list[Context]:
    """The context of each row; a null is one without cells."""
    context = pa.concat_arrays(column.chunks)
    shown = context.flatten()
    encoded = [
        pc.struct_field(shown, name).dictionary_encode(null_encoding="encode") for name in _COLUMNS
    ]
    places = np.zeros(len(shown), np.int64)
    for one in encoded:
        places = places * max(1, len(one.dictionary)) + one.indices.to_numpy(zero_copy_only=False)
    different = pa.array(places).dictionary_encode()
    numbers = different.indices.to_numpy().astype(np.int64)
    where = np.empty(len(different.dictionary), np.int64)
    where[numbers] = np.arange(len(numbers))  # whichever of the equal ones
    cells = Cells(*(_texts(one, where) for one in encoded))
    stated = pc.fill_null(pc.struct_field(shown, "distance_target"), -1).to_numpy()
    ends = np.cumsum(pc.fill_null(pc.list_value_length(context), 0).to_numpy())[:-1]
    split = (np.split(values, ends) for values in (numbers, stated))
    return [Context(cells, *both) for both in zip(*split, strict=True)]


def _texts(encoded: Any, places: Numbers) -> list[str | None]:
    texts: list[str | None] = encoded.take(pa.array(places)).to_pylist()
    return texts
