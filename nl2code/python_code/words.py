"""Words that the released files keep of a cell: of its import lines, and of its comments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nl2code.python_code.parsing import Token, read_python, read_tokens

COMMENT_END = "COMMENTSEP"

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]+(.*)", re.MULTILINE)
_QUOTES = re.compile("'''" + '|"""')


def imports(*sources: str) -> list[str]:
    """The words after `import`, line by line, in the cells up to and including the target.

    The released files' rule, with its oddities: digits go, a comment on the line stays.

    >>> imports("import numpy as np", "from PIL import Image  # 2d")
    ['numpy', 'np', 'Image', 'd']
    """
    lines = [line for source in sources for line in _IMPORT.findall(source)]
    words = [word for line in lines for word in re.findall(r"[A-Za-z_]+", line)]
    return [word for word in words if word not in ("as", "import")]


def comments(code: str) -> list[str]:
    """The words of comments, and of strings that begin a block, `COMMENTSEP` after each.

    Raises:
        NotPython: With the reason.

    >>> comments("x = 1  # the start")
    ['#', 'the', 'start', 'COMMENTSEP']
    """
    return comment_words(read_tokens(read_python(code)[0]))


def comment_words(tokens: Iterable[Token]) -> list[str]:
    """`comments` of a cell that was tokenised already."""
    words: list[str] = []
    before = ""
    for token in tokens:
        if token.kind == "COMMENT" or (token.kind == "STRING" and before == "INDENT"):
            words += [*_QUOTES.sub(" docstring ", token.text).split(), COMMENT_END]
        if token.kind not in ("NL", "COMMENT"):
            before = token.kind
    return words
