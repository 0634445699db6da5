r"""Code that parses → the texts of its tokens, by one pattern.

The stdlib's tokenizer, in Python up to 3.11, would cost as much as all else that is done to a cell;
it serves where the pattern meets a character that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nl2code.python_code.parsing import read_tokens

_DIGITS = "[0-9](?:_?[0-9])*"
_PIECE = re.compile(
    rf"""(?:[ \t]|\\\n)*(
      [^\W\dbfruBFRU]\w*
    | [()\[\]{{}},] | \.(?![0-9.])
    | \n[ \t]*
    | \#[^\n]*
    | (?:[bfruBFRU]|[bBfF][rR]|[rR][bBfF])?(?:
        '''(?:[^\\']|\\.|'(?!''))*''' | \"""(?:[^\\"]|\\.|"(?!""))*\"""
      | '(?:[^\\'\n]|\\.)*' | "(?:[^\\"\n]|\\.)*"
      )
    | 0(?:[xX][0-9a-fA-F_]+ | [bB][01_]+ | [oO][0-7_]+)
    | (?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?[jJ]?
    | \w+
    | \*\*=? | //=? | >>=? | <<=? | \.\.\. | -> | :=
    | [-+*/%@&|^=<>!]= | [^ \t]
    )""",
    re.VERBOSE | re.DOTALL,
)
_KNOWN = frozenset("()[]{},.:;+-*/%@&|^=<>~_\n")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def split_code(code: str) -> list[str]:
    r"""The texts of the tokens; an f-string is one, a line's end brings the next one's indentation.

    Raises:
        NotPython: The tokenizer, stricter than the parser, refused it.

    >>> split_code("if x:  # why\n  f(0x1, f'{y}')")
    ['if', 'x', ':', '# why', '\n  ', 'f', '(', '0x1', ',', "f'{y}'", ')']
    """
    pieces: list[str] = _PIECE.findall(code)
    if code.isascii() and "\f" not in code:
        return pieces
    return _split_slowly(code) if any(map(_is_unknown, set(pieces))) else pieces


def _is_unknown(piece: str) -> bool:
    return len(piece) == 1 and piece not in _KNOWN and not piece.isalnum()


def _split_slowly(code: str) -> list[str]:
    tokens = [token for token in read_tokens(code) if token.text and token.kind != "INDENT"]
    return ["\n" if token.kind in ("NEWLINE", "NL") else token.text for token in tokens]


def is_string(piece: str) -> bool:
    """Whether the token is a string of any kind."""
    return piece[-1] in "'\"" and piece[0] != "#"


def block_starts(pieces: Sequence[str]) -> Iterator[int]:
    r"""The places of the tokens that Python's tokenizer puts an INDENT before.

    >>> list(block_starts(split_code("if x[a:\n  b]:\n  # why\n  y")))
    [12]
    """
    if ":" not in pieces:
        return
    before, depth, is_open = "", 0, False
    for place, piece in enumerate(pieces):
        if piece[0] == "\n":
            is_open = is_open or (before == ":" and depth == 0)
        elif piece[0] != "#":
            if is_open:
                yield place
            depth += (piece in _OPENING) - (piece in _CLOSING)
            before, is_open = piece, False
