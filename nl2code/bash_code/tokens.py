"""Commands as tokens, at the paper's three levels, and back (spec §4 and §5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from nl2code.bash_code.parsing import parse
from nl2code.bash_code.pieces import Piece, command_pieces
from nl2code.bash_code.tree import Pipeline

LEVELS = ("token", "sub-token", "char")
START, END = "<arg>", "</arg>"
"""Around the sub-tokens of one argument."""
BLANK = "▁"
"""A blank inside an argument, or between words at the level of characters."""

_SUB_TOKENS = re.compile(r"[^\W\d_]+|\d+|[\W_]")


def command_tokens(
    command: str | Pipeline, level: str = "token", *, redirects: bool = False
) -> list[str]:
    """The canonical command as tokens; `level` is `token`, `sub-token` or `char`.

    A flag whose argument follows without a blank ends in `=`.

    >>> command_tokens("head -5 log2.txt", "sub-token")
    ['head', '-=', '5', '<arg>', 'log', '2', '.', 'txt', '</arg>']

    Raises:
        NotBash: With the reason to count.
    """
    tree = command if isinstance(command, Pipeline) else parse(command, redirects=redirects)
    pieces = list(_whole_words(command_pieces(tree)))
    if level == "token":
        return [piece.text for piece in pieces]
    if level == "sub-token":
        return [token for piece in pieces for token in _sub_tokens(piece)]
    if level == "char":
        return list(restore_command([piece.text for piece in pieces]).replace(" ", BLANK))
    raise ValueError(f"level is {level!r}, but must be one of {', '.join(LEVELS)}")


def restore_command(tokens: Sequence[str], level: str = "token") -> str:
    """The command that tokens stand for; whatever a model writes, this gives some string.

    >>> restore_command(["head", "-=", "5", "<arg>", "log", "2", "</arg>"], "sub-token")
    'head -5 log2'
    """
    if level == "char":
        return "".join(tokens).replace(BLANK, " ")
    words = tokens if level == "token" else list(_joined(tokens))
    text = " ".join(words)
    # `--lines= 5` and `-= 5`: the blank goes, and so does a short flag's `=`.
    text = re.sub(r"(?<!\S)(--[\w-]+=) ", r"\1", text)
    return re.sub(r"(?<!\S)(-\w?)= ", r"\1", text)


def _whole_words(pieces: Iterable[Piece]) -> Iterator[Piece]:
    held = ""
    for piece in pieces:
        text = held + piece.text
        held = ""
        if piece.joins and piece.kind == "assignment":
            held = text
            continue
        if piece.joins and not text.endswith("="):
            text += "="
        yield replace(piece, text=text)


def _sub_tokens(piece: Piece) -> list[str]:
    parts = _SUB_TOKENS.findall(piece.text)
    if piece.kind not in ("argument", "assignment") or len(parts) <= 1:
        return [piece.text]
    return [START, *(BLANK if part == " " else part for part in parts), END]


def _joined(tokens: Sequence[str]) -> Iterator[str]:
    inside: list[str] | None = None
    for token in tokens:
        if token == START:
            inside = []
        elif token == END:
            yield "".join(inside or [])
            inside = None
        elif inside is None:
            yield token
        else:
            inside.append(" " if token == BLANK else token)
    if inside:
        yield "".join(inside)
