"""Which licences to keep: SPDX identifiers and expressions, read however a dump writes them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from license_expression import (
    ExpressionError,
    LicenseSymbol,
    LicenseWithExceptionSymbol,
    Licensing,
    get_spdx_licensing,
)

from nl2code.errors import UserError

_LONGEST_EXPRESSION = 500
# The names that GitHub's and the Hub's pages print, where one names a single identifier. "BSD
# License" and "Apache" do not, and stay unknown.
_NAMES = {
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "bsd 2-clause simplified": "BSD-2-Clause",
    "bsd 2-clause": "BSD-2-Clause",
    "bsd 3-clause new or revised": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "boost software 1.0": "BSL-1.0",
    "creative commons attribution 4.0 international": "CC-BY-4.0",
    "creative commons attribution share alike 4.0 international": "CC-BY-SA-4.0",
    "creative commons zero v1.0 universal": "CC0-1.0",
    "eclipse public 2.0": "EPL-2.0",
    "gnu affero general public v3.0": "AGPL-3.0-only",
    "gnu general public v2.0": "GPL-2.0-only",
    "gnu general public v3.0": "GPL-3.0-only",
    "gnu lesser general public v2.1": "LGPL-2.1-only",
    "gnu lesser general public v3.0": "LGPL-3.0-only",
    "isc": "ISC",
    "mit": "MIT",
    "mozilla public 2.0": "MPL-2.0",
    "python software foundation 2.0": "PSF-2.0",
}


def parse_licenses(values: Sequence[str]) -> frozenset[str]:
    """Return the SPDX identifiers that `--licenses` names, in any case, or with commas between.

    >>> sorted(parse_licenses(["mit,apache-2.0", "CC-BY-4.0"]))
    ['Apache-2.0', 'CC-BY-4.0', 'MIT']

    Raises:
        UserError: A value is no SPDX identifier, or there is none at all.
    """
    words = [word.strip() for value in values for word in value.split(",")]
    if not any(words):
        raise UserError("--licenses: names no licence; give SPDX identifiers, as in MIT,Apache-2.0")
    return frozenset(map(_identifier, filter(None, words)))


def spdx(license: str | None) -> str | None:
    """Return the licence as an SPDX expression; None where it names none for certain.

    A key without "only" or "later", as GitHub writes the GNU licences, claims the former, which
    both allow.

    >>> spdx("apache-2.0"), spdx("MIT License"), spdx("mit or gpl-3.0"), spdx("other")
    ('Apache-2.0', 'MIT', 'MIT OR GPL-3.0-only', None)
    """
    expression = _parse(license or "")
    return None if expression is None else str(expression)


def keeps(license: str | None, allowed: frozenset[str]) -> bool:
    """Whether the licence lets the notebook be used under the allowed ones alone.

    Of `A OR B` one must be allowed, of `A AND B` both; an exception only permits more.

    >>> keeps("MIT OR GPL-3.0", frozenset({"MIT"})), keeps("MIT AND CC-BY-4.0", frozenset({"MIT"}))
    (True, False)
    """
    expression = _parse(license or "")
    return expression is not None and _holds(expression, allowed)


def why_not_licensed(license: str | None, allowed: frozenset[str]) -> str | None:
    """Why a notebook of this licence is dropped: `license_unknown`, `license_not_kept`, or None."""
    if _parse(license or "") is None:
        return "license_unknown"
    return None if keeps(license, allowed) else "license_not_kept"


WHERE_FROM = (
    "licences come from a dump's field license, or from the nearest file LICENSE or COPYING at or"
    " above a notebook in its source"
)
"""What a user needs to know whose notebooks are dropped as `license_unknown`."""


def _identifier(word: str) -> str:
    expression = _parse(word)
    if isinstance(expression, LicenseSymbol):
        return str(expression.key)
    known = {key.lower(): key for key in _identifiers()}
    begun = [key for key in known if key.startswith(word.lower())]
    near = begun or difflib.get_close_matches(word.lower(), known, n=1)
    hint = f"; did you mean {known[near[0]]}?" if near else ""
    raise UserError(f"--licenses {word}: not an SPDX identifier{hint}")


def _holds(expression: Any, allowed: frozenset[str]) -> bool:
    if isinstance(expression, _licensing().AND):
        return all(_holds(part, allowed) for part in expression.args)
    if isinstance(expression, _licensing().OR):
        return any(_holds(part, allowed) for part in expression.args)
    if isinstance(expression, LicenseWithExceptionSymbol):
        expression = expression.license_symbol
    key = str(expression.key)
    return key in allowed or re.sub("-or-later$", "-only", key) in allowed


@lru_cache(10_000)
def _parse(text: str) -> Any | None:
    name = re.sub(r"\b(the|licen[cs]e|version)\b|[\"“”,()]", " ", text.lower())
    text = _NAMES.get(" ".join(name.split()), text)
    if len(text) > _LONGEST_EXPRESSION:
        return None
    try:
        return _licensing().parse(text, validate=True, strict=True)
    except ExpressionError:
        return None


def _identifiers() -> list[str]:
    symbols = _licensing().known_symbols.items()
    return sorted(k for k, s in symbols if not s.is_exception and not k.startswith("LicenseRef-"))


@cache
def _licensing() -> Licensing:
    return get_spdx_licensing()
