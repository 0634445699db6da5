"""Markdown whose blocks can be told line by line: paragraphs, headings and flat lists."""

from __future__ import annotations

import re

_LINE = re.compile(
    # The mark of a heading or a list item, then what cannot begin, end or go on with another block,
    # as a fence, `<`, `=`, `>`, a rule or an indentation could.
    r"(#{1,6} +|[-*+] {1,3}|[0-9]{1,9}[.)] {1,3})?"
    r"((?:[^\W\d_]|[0-9]+(?![0-9.)])|[\"'(${\\!\[]|\*{1,2}[^\W_]|_{1,2}[^\W_]|`[^`\s]).*)"
)
_ODD = re.compile(r"[^\S \n]|\0")
"""Tabs, and what some call blank and CommonMark does not."""


def simple_blocks(markdown: str) -> list[str] | None:
    r"""The text of each block, as CommonMark has it; None where it takes a parser to tell.

    >>> simple_blocks("# Load\nRead the\n**file**.\n- one\n- two")
    ['Load', 'Read the\n**file**.', 'one', 'two']
    >>> simple_blocks("1. one\n   more")
    """
    if "]:" in markdown or _ODD.search(markdown):  # `]:` as before a link's address
        return None
    blocks: list[list[str]] = []
    kind = ""  # of the block that the next line may go on with
    for line in markdown.split("\n"):
        if not line or line.isspace():
            kind = ""
            continue
        match = _LINE.fullmatch(line)
        if match is None or _may_close(match):
            return None
        mark, text = match.groups()
        if kind == "paragraph" and mark and mark[0].isdigit() and int(mark.rstrip()[:-1]) != 1:
            mark, text = None, line  # no other number ends a paragraph
        if mark or not kind:
            blocks.append([])
            kind = "item" if mark else "paragraph"
        blocks[-1].append(text)
        if mark and mark[0] == "#":
            kind = ""
    return ["\n".join(block).strip() for block in blocks]


def _may_close(line: re.Match[str]) -> bool:
    """Whether a heading's line ends like `## Title ##`."""
    return line[0][0] == "#" and line[0].rstrip()[-1] == "#"
