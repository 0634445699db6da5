"""The doors of this package: a command's tree, its template, its one canonical form."""

from __future__ import annotations

from nl2code.bash_code.calls import Commands
from nl2code.bash_code.pieces import Piece, command_pieces
from nl2code.bash_code.reasons import NotBash
from nl2code.bash_code.surface import mend, mend_slips
from nl2code.bash_code.syntax import read_line
from nl2code.bash_code.tree import Argument, Call, Flag, Pipeline, Redirect, walk

MAX_LENGTH = 4_096
"""Characters of a command; the longest in the corpus has 532."""


def parse(command: str, *, redirects: bool = False) -> Pipeline:
    """The typed tree of a command.

    The paper leaves commands with redirects out; `redirects` keeps them.

    Raises:
        NotBash: With the reason to count.
    """
    if len(command) > MAX_LENGTH:
        raise NotBash("too_long")
    mended = mend(command)
    if not mended:
        raise NotBash("empty")
    tree = _read(mended)
    if not redirects and any(isinstance(node, Redirect) for node in walk(tree)):
        raise NotBash("redirect")
    return tree


def _read(command: str) -> Pipeline:
    try:
        return Commands().pipeline(read_line(command))
    except NotBash:
        again = mend_slips(command)
        if again == command:
            raise
        return Commands().pipeline(read_line(again))


def canonical(command: str | Pipeline, *, redirects: bool = False) -> str:
    r"""The command in its one form: bundles opened, `find` with a path, `xargs` with `{}`.

    >>> canonical("find -name '*.c' | xargs rm -rf")
    "find . -name '*.c' | xargs -I {} rm -r -f {}"
    """
    pieces = list(_pieces(command, redirects))
    text = "".join(" " * piece.blank + piece.text for piece in pieces)
    return text.strip()


def template(command: str | Pipeline, *, redirects: bool = False) -> str:
    """The command with the type in place of each argument of the open vocabulary (spec §3).

    >>> template("ls -la /tmp")
    'ls -l -a File'
    """
    return " ".join(piece.template for piece in _pieces(command, redirects))


def utilities(command: str | Pipeline, *, redirects: bool = False) -> list[str]:
    """The utilities called, nested ones too, in order.

    >>> utilities("find . -exec grep -l x {} + | wc -l")
    ['find', 'grep', 'wc']
    """
    nodes = walk(_tree(command, redirects))
    return [node.utility for node in nodes if isinstance(node, Call) and node.utility]


def flags(command: str | Pipeline, *, redirects: bool = False) -> list[str]:
    """The flags, nested ones too, in order.

    >>> flags("tar xf a.tar")
    ['-x', '-f']
    """
    nodes = walk(_tree(command, redirects))
    return [node.name for node in nodes if isinstance(node, Flag)]


def reserved_words(command: str | Pipeline, *, redirects: bool = False) -> list[str]:
    r"""Operators and words that mean themselves, in order.

    >>> reserved_words("find . -exec ls {} + | wc")
    ['{}', '+', '|']
    """
    pieces = _pieces(command, redirects)
    return [piece.template for piece in pieces if piece.kind in ("reserved", "operator")]


def closed_words(command: str | Pipeline, *, redirects: bool = False) -> list[str]:
    """The words of the template that are no type: utilities, flags, operators, `f` of `-type f`.

    >>> closed_words("find /etc -type f | wc -l")
    ['find', '-type', 'f', '|', 'wc', '-l']
    """
    pieces = _pieces(command, redirects)
    return [p.template for p in pieces if p.kind not in ("argument", "assignment") or p.kept]


def argument_types(command: str | Pipeline, *, redirects: bool = False) -> list[str]:
    """The types of the arguments, nested ones too, in order.

    >>> argument_types("find /etc -size +1M")
    ['Path', 'Size']
    """
    nodes = walk(_tree(command, redirects))
    return [node.type for node in nodes if isinstance(node, Argument)]


def _pieces(command: str | Pipeline, redirects: bool) -> list[Piece]:
    return list(command_pieces(_tree(command, redirects)))


def _tree(command: str | Pipeline, redirects: bool) -> Pipeline:
    return command if isinstance(command, Pipeline) else parse(command, redirects=redirects)
