"""IPython's syntax in a cell: taken out, or named as the reason why the cell is no Python."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

OLDEST_PYTHON = (3, 11)
"""Newer interpreters read its syntax and no more, so that all keep the same cells."""

_OVER_PYTHON = "capture heat memit mprun prun px pypy python python3 scalene snakeviz time timeit"
PYTHON_CELL_MAGICS = frozenset(_OVER_PYTHON.split())
"""Cell magics that run the rest of the cell as Python: only their line is dropped."""

_SUSPECT = re.compile(r"^[ \t]*[%!?]|=[ \t]*[!%]|\?[ \t]*(?:;[ \t]*)?$", re.MULTILINE)
_ASSIGNED = re.compile(r"(?:[\w.,* \t]|\[[^\]]*\])+=[ \t]*([!%])[ \t]*[A-Za-z_{$./~-]")
_HELP = re.compile(r"[ \t]*(?:\?{1,2}[^?\n]*|[^\s#?(=]+[ \t]*\?{1,2};?[ \t]*)$")
_TIMED = re.compile(r"([ \t]*)%[ \t]*time[ \t]+(.*)", re.DOTALL)


class NotPython(ValueError):
    """The source is no Python; `reason` says why, in snake_case, to be counted."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def strip_magics(source: str) -> str:
    r"""The Python that is left of a cell's source.

    Line magics go, as in the authors' run, but `%time x = f()` leaves `x = f()`, since `x` outlives
    it. A cell magic over Python goes too. A `%` that is modulo, or inside a string, is no magic. As
    in the released files, one newline at the end goes.

    Raises:
        NotPython: Another language (`cell_magic`), `!ls` or `x = !ls` (`shell_command`),
            `x = %magic` (`line_magic`), `obj?` (`help`). Other errors are found by parsing.

    >>> strip_magics("%matplotlib inline\nx = 7 \\\n  % 4\n%time f(x)")
    'x = 7 \\\n  % 4\nf(x)'
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    may_be = "%" in source or "!" in source or "?" in source  # much faster than the pattern
    if may_be and _SUSPECT.search(source) and not _parses(source):
        return "\n".join(_python_lines(source.split("\n")))
    return source.removesuffix("\n")


def parse_quietly(code: str) -> ast.Module:
    """`ast.parse` without its warnings about the code's own strings."""
    with quiet():
        return ast.parse(code, feature_version=OLDEST_PYTHON)


def quiet() -> AbstractContextManager[None]:
    """No warnings about the code that is read, such as an invalid escape in a string.

    Once around many cells it costs each of them nothing.
    """
    return nullcontext() if warnings.filters[:1] == [_ALL] else _quiet()


_ALL = ("ignore", None, Warning, None, 0)


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _parses(code: str) -> bool:
    try:
        parse_quietly(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _python_lines(lines: list[str]) -> list[str]:
    if lines[-1] == "":
        lines = lines[:-1]
    kept: list[str] = []
    state = _State()
    continues_magic = False
    has_code = False
    for line in lines:
        has_code = has_code or (kept != [] and _is_code(kept[-1]))
        if continues_magic:
            continues_magic = line.endswith("\\")
        elif state.inside:
            kept.append(line)
            state = state.after(line)
        elif line.lstrip(" \t").startswith("%"):
            kept += _of_magic(line, is_first=not has_code)
            continues_magic = line.endswith("\\")
        else:
            _refuse_shell_and_help(line)
            kept.append(line)
            state = state.after(line)
    return kept


def _is_code(line: str) -> bool:
    return not line.isspace() and line != "" and not line.lstrip().startswith("#")


def _of_magic(line: str, *, is_first: bool) -> list[str]:
    """What a magic's line leaves."""
    cell_magic = re.match(r"%%+[ \t]*(\w*)", line)
    if cell_magic and is_first and cell_magic[1] not in PYTHON_CELL_MAGICS:
        raise NotPython("cell_magic")
    timed = _TIMED.fullmatch(line)
    if not timed:
        return []
    _refuse_shell_and_help(timed[2])
    return [timed[1] + timed[2]]


def _refuse_shell_and_help(line: str) -> None:
    if line.lstrip(" \t").startswith("!"):
        raise NotPython("shell_command")
    if assigned := _ASSIGNED.match(line):
        raise NotPython("shell_command" if assigned[1] == "!" else "line_magic")
    if _HELP.match(line):
        raise NotPython("help")


_PIECE = re.compile(r"\\.?|'''|\"\"\"|['\"#()\[\]{}]", re.DOTALL)


@dataclass(frozen=True)
class _State:
    """What is open at the end of a line: a magic cannot begin inside it."""

    quote: str = ""
    depth: int = 0
    continued: bool = False

    @property
    def inside(self) -> bool:
        return bool(self.quote) or self.depth > 0 or self.continued

    def after(self, line: str) -> _State:
        quote, depth = self.quote, self.depth
        for piece in _PIECE.findall(line):
            if quote:
                quote = "" if piece == quote else quote
            elif piece == "#":
                return _State("", depth)
            elif piece[0] in "'\"":
                quote = piece
            else:
                depth = max(0, depth + (piece in "([{") - (piece in ")]}"))
        continued = line.endswith("\\")
        # A string in single quotes ends with its line, unless a backslash continues it.
        return _State(quote if len(quote) == 3 or continued else "", depth, continued)
