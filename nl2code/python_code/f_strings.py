"""What Python 3.12 allows inside f-strings and Python 3.11 does not (PEP 701)."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from nl2code.python_code.magics import NotPython


def tokenize_quietly(code: str) -> Iterator[tokenize.TokenInfo]:
    """The stdlib's tokens; what its tokenizer alone refuses is `NotPython` as well."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(code).readline)
    except (SyntaxError, tokenize.TokenError):
        raise NotPython("syntax_error") from None


def has_new_f_string(code: str) -> bool:
    """Whether braces in an f-string hold its own quotes, a backslash, comment or line break.

    Only Python 3.12 and later, whose tokenizer looks inside, can tell; all must keep the same cells.
    """
    quotes: list[str] = []
    for token in tokenize_quietly(code):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_END":
            quotes.pop()
        elif quotes and _is_new(kind, token.string, quotes):
            return True
        if kind == "FSTRING_START":
            quotes.append(token.string.lstrip("rRfF"))
    return False


def _is_new(kind: str, text: str, quotes: list[str]) -> bool:
    if kind == "FSTRING_MIDDLE" and len(quotes) == 1:
        return False
    if kind in ("NL", "NEWLINE"):
        return any(len(quote) == 1 for quote in quotes)
    return kind == "COMMENT" or "\\" in text or any(quote in text for quote in quotes)
