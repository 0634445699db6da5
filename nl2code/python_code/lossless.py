r"""The lossless scheme: tokens that go back to code with the same syntax tree.

The tokens are Python's own, comments aside, with NEWLINE, INDENT and DEDENT for the layout; what
only closes the end of the cell is left out. No token holds whitespace, so that they can travel
joined by blanks. Inside strings a blank is written `␠`, a line feed `␤`, a tab `␉`, and any other
whitespace, or one of these four signs itself, as its code point between two `␛`: a form feed is
`␛c␛`. A *name* like NEWLINE has `␛` in front.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nl2code.python_code.parsing import Token, read_tokens

LAYOUT = frozenset(["NEWLINE", "INDENT", "DEDENT"])
_SIGNS = {" ": "␠", "\n": "␤", "\t": "␉"}
_BLANKS = {sign: blank for blank, sign in _SIGNS.items()}
_ESCAPE = "␛"
_TO_WRITE = re.compile(rf"[\s{_ESCAPE}{''.join(_BLANKS)}]")
_WRITTEN = re.compile(rf"{_ESCAPE}([0-9a-f]{{1,5}}){_ESCAPE}|([{_ESCAPE}{''.join(_BLANKS)}])")
_INDENT = "    "


def lossless_tokens(code: str) -> list[str]:
    r"""The tokens of code that parses.

    >>> " ".join(lossless_tokens("if x:  # why\n  print('a b')\ny = 1"))
    "if x : NEWLINE INDENT print ( 'a␠b' ) NEWLINE DEDENT y = 1"
    """
    tokens = [spelled for token in read_tokens(code) for spelled in _spell(token)]
    while tokens and tokens[-1] in LAYOUT:  # Python 3.11 indents blanks before a backslash
        tokens.pop()
    return tokens


def _spell(token: Token) -> Iterator[str]:
    if token.kind in LAYOUT:
        yield token.kind
    elif token.text in LAYOUT:
        yield _ESCAPE + token.text
    elif token.kind == "STRING":
        yield _TO_WRITE.sub(_sign, token.text)
    elif token.kind not in ("COMMENT", "NL", "ENDMARKER"):
        yield token.text


def _sign(match: re.Match[str]) -> str:
    character = match[0]
    return _SIGNS.get(character) or f"{_ESCAPE}{ord(character):x}{_ESCAPE}"


def restore_lossless(tokens: Iterable[str]) -> str:
    r"""The code that lossless tokens spell, a statement a line.

    Raises:
        ValueError: A DEDENT without INDENT, or an escape that `lossless_tokens` does not write.

    >>> restore_lossless("if x : NEWLINE INDENT print ( 'a␠b' ) NEWLINE DEDENT y = 1".split())
    "if x :\n    print ( 'a b' )\ny = 1\n"
    """
    lines: list[str] = []
    line: list[str] = []
    depth = 0
    for token in [*tokens, "NEWLINE"]:
        if token == "NEWLINE":
            lines.append(_INDENT * depth + " ".join(line))
            line = []
        elif token not in LAYOUT:
            line.append(_unescape(token))
        elif line:
            raise ValueError(f"{token} in the middle of a line")
        else:
            depth += 1 if token == "INDENT" else -1
        if depth < 0:
            raise ValueError("DEDENT without its INDENT")
    return "\n".join(lines) + "\n"


def _unescape(token: str) -> str:
    if token.startswith(_ESCAPE) and token[1:] in LAYOUT:
        return token[1:]
    return _WRITTEN.sub(_character, token)


def _character(match: re.Match[str]) -> str:
    if match[2]:
        if match[2] == _ESCAPE:
            raise ValueError(f"an escape that is not closed: {match.string!r}")
        return _BLANKS[match[2]]
    return chr(int(match[1], 16))
