r"""Mends what copying from web pages does to a command, before it is parsed (spec §3).

Prompts go, curly quotes and long dashes become straight and short, backticks become `$( )`.
"""

from __future__ import annotations

import re

_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"')
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\t", " ")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None)
)
_CYRILLIC = str.maketrans("\u0430\u0435\u043e\u0440\u0441\u0445\u0443", "aeopcxy")
_CYRILLIC_FLAG = re.compile(r"(?<=\s)-[\u0430-\u044fa-z]+(?=\s)")
_PROMPT = re.compile(r"^\s*(?:(?:[\w@:./-]*~ ?|[\w@:.-]*)[$#]\s+)+")
_TWICE = re.compile(r"(\S.{19,})\s+\1", re.DOTALL)
_ESCAPED_BLANK = re.compile(r"(?<=\s-d)\s?\\ ")
_LOST_DASH = re.compile(r"(?<=\s)[\u2013\u2014]\s+(?=[a-z]+\s)")
_SLIPS = [
    (re.compile(r"(?<=\s)-?(\\[(!])(?=-|\s)\s*"), r"\1 "),
    (re.compile(r"(?<=\w)(\\\))(?=\s)"), r" \1"),
    (re.compile(r"(?<=\w[\"'])(-[a-z]+\s)"), r" \1"),
    (re.compile(r"(?<=\s)-L\.(?=\s)"), "-L ."),
    (re.compile(r"(?<=\w)\$\)"), r"\\$)"),
]
_BACKSLASH_AT_END = re.compile(r"(?<!\\)\\\s*$")
_BARE_PARENTHESIS = re.compile(r"(?<=\s)[()](?=\s|$)")


def mend(command: str) -> str:
    r"""The command as its writer meant it; no content of quotes changes but for typography.

    >>> mend("$ find . \u2013name \u201c*.c\u201d -exec rm {} \\")
    'find . -name "*.c" -exec rm {}'
    >>> mend("wc -l `which ls`")
    'wc -l $(which ls)'
    """
    if "find" in command:
        command = _LOST_DASH.sub("-", command)
        command = _CYRILLIC_FLAG.sub(lambda found: found[0].translate(_CYRILLIC), command)
    command = command.translate(_TYPOGRAPHY)
    if twice := _TWICE.fullmatch(command):
        command = twice[1]
    command = _ESCAPED_BLANK.sub(" ' '", command)
    return without_backticks(_BACKSLASH_AT_END.sub("", _PROMPT.sub("", command)).strip())


def mend_slips(command: str) -> str:
    r"""A command that cannot be read otherwise, without the slips that many tutorials share.

    >>> mend_slips(r"find . \! -name 'a'-exec rm {} +")
    "find . \\! -name 'a' -exec rm {} +"
    """
    for pattern, mended in _SLIPS:
        command = pattern.sub(mended, command)
    return command


def escape_parentheses(command: str) -> str:
    r"""`find`'s parentheses as Bash wants them; only for a command that does not parse without.

    >>> escape_parentheses("find . ( -name a -o -name b )")
    'find . \\( -name a -o -name b \\)'
    """
    return _BARE_PARENTHESIS.sub(lambda found: "\\" + found[0], command)


def without_backticks(command: str) -> str:
    r"""Backticks as `$( )`, which nest; none in single quotes, and none that has no partner.

    >>> without_backticks("echo `basename \\`pwd\\`` '`'")
    "echo $(basename $(pwd)) '`'"
    """
    if "`" not in command:
        return command
    pieces = _split_quotes(command)
    places = [place for place, piece in enumerate(pieces) if piece == "`"]
    for start, end in zip(places[::2], places[1::2], strict=False):
        inside = re.sub(r"\\([`\\$])", r"\1", "".join(pieces[start + 1 : end]))
        pieces[start : end + 1] = [
            "$(" + without_backticks(inside).strip() + ")",
            *[""] * (end - start),
        ]
    return "".join(pieces)


def _split_quotes(command: str) -> list[str]:
    """Single characters, but escapes and single-quoted strings whole."""
    pieces: list[str] = []
    place, in_double, in_backticks = 0, False, False
    while place < len(command):
        char = command[place]
        end = place + (2 if char == "\\" else 1)
        if char == "'" and not in_double and not in_backticks:
            end = command.find("'", place + 1) + 1 or len(command)
        in_double ^= char == '"' and not in_backticks
        in_backticks ^= char == "`"
        pieces.append(command[place:end])
        place = end
    return pieces
