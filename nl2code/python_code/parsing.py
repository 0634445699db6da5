"""Source → syntax tree and tokens, or the reason why not; the same on Python 3.11 to 3.13."""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nl2code.python_code.magics import NotPython, parse_quietly, strip_magics
from nl2code.python_code.versions import has_new_f_string, nests_newly, tokenize_evenly

MAX_DEPTH = 150
"""Of a syntax tree. The interpreter's own limit depends on its version and on the caller."""

MAX_DIGITS = 4_300
"""Of an integer; Python's own limit when it reads and prints one, but not when it reads `0xf…`."""
_HUGE = 10**MAX_DIGITS
_MAYBE_HUGE = re.compile(r"\b[0-9][0-9a-fA-FoOxX_]{3500}")  # hexadecimal digits say more each

_WHOLE = (ast.expr, ast.Expr, ast.Assign, ast.Import, ast.ImportFrom)
"""Their place in the code is all of them; of a function, its decorators stand outside."""
_CHILDREN_WITHOUT_TEXT = 5
"""`x` is an `Expr`, its `Name`, and that one's `Load`: levels that no character stands for."""

_F_STRING = re.compile(r"\b(?:[fF][rR]?|[rR][fF])[\"']")
_PYTHON_2 = re.compile(
    r"""^[ \t]*(?:print\s+[^\s(=.,:\[]|print\s*>>|exec\s+["'\w]|raise\s+[\w.]+\s*,|
    except\s+[\w.]+\s*,\s*\w+\s*:) | <> | `[^`\n]+` | (?<![\w.])0+[1-9]\d*(?![\w.]) |
    \b[uU][rR]["'] | \d[lL]\b""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the stdlib's tokenizer; `kind` is its name there (`NAME`, `OP`, `STRING` …)."""

    kind: str
    text: str


def read_python(source: str) -> tuple[str, ast.Module]:
    """The Python of a cell, IPython's syntax taken out, and its tree.

    Raises:
        NotPython: With the reason to count.
    """
    code = strip_magics(source)
    try:
        tree = parse_quietly(code)
    except (SyntaxError, ValueError) as error:
        raise NotPython(_reason(code, error)) from None
    except (RecursionError, MemoryError):
        raise NotPython("too_deep") from None
    if _is_deeper(tree, MAX_DEPTH):
        raise NotPython("too_deep")
    if _MAYBE_HUGE.search(code) and any(map(_is_huge, ast.walk(tree))):
        raise NotPython("huge_number")
    if sys.version_info >= (3, 12) and _F_STRING.search(code):
        if has_new_f_string(code) or nests_newly(tree):
            raise NotPython("syntax_error")
    return code, tree


def _is_deeper(tree: ast.Module, depth: int) -> bool:
    level: list[ast.AST] = [tree]
    for left in range(depth, 0, -1):
        enough = left - _CHILDREN_WITHOUT_TEXT
        level = [
            child
            for node in level
            for child in ast.iter_child_nodes(node)
            if not _is_short(child, enough)
        ]
        if not level:
            return False
    return True


def _is_short(node: ast.AST, levels: int) -> bool:
    """Whether all of a node stands on one line, in fewer characters than that many levels need."""
    if not isinstance(node, _WHOLE) or node.lineno != node.end_lineno:
        return False
    assert node.end_col_offset is not None
    return node.end_col_offset - node.col_offset < levels


@contextmanager
def refusing_depth() -> Iterator[None]:
    """`NotPython` where the caller stands too near the interpreter's limit to walk a tree.

    Raises:
        NotPython: `too_deep`.
    """
    try:
        yield
    except RecursionError:
        raise NotPython("too_deep") from None


def _is_huge(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, int) and value >= _HUGE


def _reason(code: str, error: Exception) -> str:
    if "\0" in code:
        return "null_byte"
    if isinstance(error, UnicodeError):
        return "lone_surrogate"
    if isinstance(error, SyntaxError) and "integer string conversion" in error.msg:
        return "huge_number"
    if re.match(r"\s*(?:>>> |In ?\[\d*\]:)", code):
        return "pasted_prompt"
    return "python2_syntax" if _PYTHON_2.search(code) else "syntax_error"


def read_tokens(code: str) -> Iterator[Token]:
    """The tokens of code that parses; an f-string is one STRING, as it was before Python 3.12.

    Raises:
        NotPython: The tokenizer, stricter than the parser, refused it.
    """
    lines = code.split("\n")
    begin: tuple[int, int] | None = None
    depth = 0
    for token in tokenize_evenly(code):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            begin = begin or token.start
            depth += 1
        elif kind == "FSTRING_END":
            depth -= 1
            if depth == 0 and begin:
                yield Token("STRING", _slice(lines, begin, token.end))
                begin = None
        elif depth == 0:
            # A name that begins with an odd letter begins with an error token in Python 3.11.
            yield Token("NAME" if kind == "ERRORTOKEN" else kind, token.string)


def _slice(lines: list[str], begin: tuple[int, int], end: tuple[int, int]) -> str:
    if begin[0] == end[0]:
        return lines[begin[0] - 1][begin[1] : end[1]]
    middle = lines[begin[0] : end[0] - 1]
    return "\n".join([lines[begin[0] - 1][begin[1] :], *middle, lines[end[0] - 1][: end[1]]])
