"""Words that the released files keep of a cell: of its import lines, and of its comments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nl2code.python_code.parsing import read_python
from nl2code.python_code.scanning import block_starts, is_string, split_code

COMMENT_END = "COMMENTSEP"

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]+(.*)", re.MULTILINE)
_QUOTES = re.compile("'''" + '|"""')


def imports(*sources: str) -> list[str]:
    """The words after `import`, line by line, in the cells up to and including the target.

    The released files' rule, with its oddities: digits go, a comment on the line stays.

    >>> imports("import numpy as np", "from PIL import Image  # 2d")
    ['numpy', 'np', 'Image', 'd']
    """
    lines = [line for source in sources if "import" in source for line in _IMPORT.findall(source)]
    words = [word for line in lines for word in re.findall(r"[A-Za-z_]+", line)]
    return [word for word in words if word not in ("as", "import")]


def comments(code: str) -> list[str]:
    """The words of comments, and of strings that begin a block, `COMMENTSEP` after each.

    Raises:
        NotPython: With the reason.

    >>> comments("x = 1  # the start")
    ['#', 'the', 'start', 'COMMENTSEP']
    """
    return comment_words(split_code(read_python(code)[0]))


def comment_words(pieces: Sequence[str]) -> list[str]:
    """`comments` of a cell that was split into tokens already."""
    starts = {place for place in block_starts(pieces) if is_string(pieces[place])}
    words: list[str] = []
    for place, piece in enumerate(pieces):
        if piece[0] == "#" or place in starts:
            words += [*_QUOTES.sub(" docstring ", piece).split(), COMMENT_END]
    return words
