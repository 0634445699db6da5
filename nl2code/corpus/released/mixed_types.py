"""Values of JSON fields whose type differs from row to row → one type each, or None."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from nl2code.notebooks import join_source

_INT32 = 2**31


def given(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that says something: null, and NaN for null, say nothing.

    >>> given({"a": None, "b": 0}, "a", "b", "c")
    0
    """
    values = (record.get(name) for name in names)
    return next((value for value in values if value is not None and value == value), None)


def fields(value: Any) -> dict[str, Any]:
    """The fields of an object; of anything else, none."""
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str | None:
    r"""A string, or the string that a list of lines makes; None for anything else.

    >>> text("x = 1\r\ny"), text(["x = 1\n", "y"]), text([]), text(3)
    ('x = 1\ny', 'x = 1\ny', '', None)
    """
    return join_source(value) if isinstance(value, str | list) else None


def label(value: Any) -> str | None:
    """A name or number as a string; None where there is none.

    >>> label("ex1"), label(1), label(""), label(True), label(["ex1"])
    ('ex1', '1', None, None, 'ex1')
    """
    value = _single(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if math.isfinite(value) else None
    return value if isinstance(value, str) and value else None


def words(value: Any) -> list[str] | None:
    """Tokens: of a list, its strings and numbers; of a string, what blanks part; else None.

    >>> words("a  b"), words(["a", None, 3, ["b"]]), words(None)
    (['a', 'b'], ['a', '3', 'b'], None)
    """
    if isinstance(value, str):
        return value.split()
    if not isinstance(value, list):
        return None
    # Nearly all lists are of words already, and there are millions of them.
    return value if all(type(word) is str and word for word in value) else list(_words(value))


def _words(values: list[Any]) -> Iterator[str]:
    pending = values[::-1]
    while pending:  # a stack, since lists may nest as deep as the JSON reader allows
        value = pending.pop()
        if isinstance(value, list):
            pending += value[::-1]
        elif word := label(value):
            yield word


def number(value: Any) -> float | None:
    """A finite number, whether written as one, as a string or as a list of one.

    >>> number(2), number("2.5"), number([2]), number("two"), number(float("inf")), number(True)
    (2.0, 2.5, 2.0, None, None, None)
    """
    value = _single(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def count(value: Any) -> int | None:
    """A whole number from 0 on that 32 bits hold.

    >>> count(3), count("3"), count(3.0), count(3.5), count(-1), count(2**31)
    (3, 3, 3, None, None, None)
    """
    found = number(value)
    if found is None or not found.is_integer() or not 0 <= found < _INT32:
        return None
    return int(found)


def _single(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value
