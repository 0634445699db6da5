"""Where interpreters differ on a cell: all read it as Python 3.11's parser does."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from nl2code.python_code.magics import NotPython


def tokenize_evenly(code: str) -> Iterator[tokenize.TokenInfo]:
    """The stdlib's tokens; what its tokenizer alone refuses is `NotPython` as well."""
    held: tokenize.TokenInfo | None = None
    for token in _tokens(code):
        if held and _goes_on(held, token):
            text = held.string + token.string
            held = held._replace(type=tokenize.ERRORTOKEN, string=text, end=token.end)
            continue
        if held:
            yield held
        held = None if token.type == tokenize.ERRORTOKEN and token.string.isspace() else token
    if held:
        yield held


def _tokens(code: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(code).readline)
    except (SyntaxError, tokenize.TokenError):
        raise NotPython("syntax_error") from None


def _goes_on(held: tokenize.TokenInfo, token: tokenize.TokenInfo) -> bool:
    """Whether a name goes on: Python 3.11's tokenizer breaks `a·b` and `℘` into error tokens."""
    if tokenize.ERRORTOKEN not in (held.type, token.type) or held.end != token.start:
        return False
    return (held.string + token.string).isidentifier()


def has_new_f_string(code: str) -> bool:
    """Whether braces in an f-string hold its own quotes, a backslash, comment or line break.

    Only the tokenizer of Python 3.12 and later looks inside; all must keep the same cells.
    """
    quotes: list[str] = []
    for token in tokenize_evenly(code):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_END":
            quotes.pop()
        elif quotes and _is_new(kind, token.string, quotes):
            return True
        if kind == "FSTRING_START":
            quotes.append(token.string.lstrip("rRfF"))
    return False


def nests_newly(tree: ast.Module) -> bool:
    """Whether braces of an f-string begin with a star, or a format in braces has braces again.

    The tokens do not tell; Python 3.11 refuses both.

    >>> nests_newly(ast.parse("f'{x:{y:>9}}'"))
    False
    """
    fields = [node for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)]
    return any(
        isinstance(field.value, ast.Starred) or any(map(_format_fields, _format_fields(field)))
        for field in fields
    )


def _format_fields(field: ast.FormattedValue) -> list[ast.FormattedValue]:
    parts = field.format_spec.values if isinstance(field.format_spec, ast.JoinedStr) else []
    return [part for part in parts if isinstance(part, ast.FormattedValue)]


def _is_new(kind: str, text: str, quotes: list[str]) -> bool:
    if kind == "FSTRING_MIDDLE" and len(quotes) == 1:
        return False
    if kind in ("NL", "NEWLINE"):
        return any(len(quote) == 1 for quote in quotes)
    return kind == "COMMENT" or "\\" in text or any(quote in text for quote in quotes)
