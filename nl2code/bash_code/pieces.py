"""A tree as text again: the pieces of the canonical command and of its template."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nl2code.bash_code.grammar import KEPT_TYPES, SIGNED_TYPES
from nl2code.bash_code.tree import (
    Argument,
    Assignment,
    Call,
    Flag,
    Nested,
    Part,
    Pipeline,
    Redirect,
    Reserved,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A token of the command, and what the template says in its place."""

    text: str
    template: str
    kind: str
    """`utility`, `flag`, `argument`, `assignment`, `reserved` or `operator`."""
    blank: bool = True
    """Whether a blank stands before it in the command; in the template one always does."""
    joins: bool = False
    """Whether the next piece is the rest of its word."""

    @property
    def kept(self) -> bool:
        """Whether the template keeps the text, as it keeps what is no argument."""
        return self.text == self.template


def command_pieces(tree: Pipeline) -> Iterator[Piece]:
    """The pieces of a pipeline, from left to right."""
    for place, call in enumerate(tree.calls):
        if place:
            yield _same(tree.operators[place - 1], "operator")
        yield from _call(call)
    if tree.background:
        yield _same("&", "operator")


def _same(text: str, kind: str) -> Piece:
    return Piece(text, text, kind)


def _call(call: Call) -> Iterator[Piece]:
    for assignment in call.assignments:
        yield from _part(assignment)
    if call.program is not None:
        yield from _part(call.program)
    elif call.utility:
        yield _same(call.utility, "utility")
    for part in call.parts:
        yield from _part(part)
    for redirect in call.redirects:
        yield from _redirect(redirect)


def _part(part: Part) -> Iterator[Piece]:
    match part:
        case Argument():
            yield Piece(part.text, _in_template(part), "argument")
        case Reserved():
            yield _same(part.text, "reserved")
        case Flag():
            yield from _flag(part)
        case Nested():
            yield from _nested(part)
        case Call():
            yield from _call(part)
        case Assignment():
            name, operator, value = part.name, part.operator, part.value is not None
            yield Piece(name + operator, "Variable" + operator, "assignment", joins=value)
            if part.value is not None:
                yield from _glued(_part(part.value))


def _in_template(part: Argument) -> str:
    if part.type in KEPT_TYPES:
        return part.text
    sign = part.text.lstrip("\"'")[:1]
    return sign + part.type if part.type in SIGNED_TYPES and sign in ("+", "-") else part.type


def _flag(flag: Flag) -> Iterator[Piece]:
    long = flag.joined and flag.name.startswith("--")
    yield Piece(flag.name + "=" * long, flag.name, "flag", joins=flag.joined)
    if flag.argument is not None:
        pieces = _part(flag.argument)
        yield from _glued(pieces) if flag.joined else pieces


def _glued(pieces: Iterator[Piece]) -> Iterator[Piece]:
    for place, piece in enumerate(pieces):
        yield piece if place else replace(piece, blank=False)


def _nested(nested: Nested) -> Iterator[Piece]:
    r"""`$( … )`; in a quoted command the quotes inside are escaped."""
    quote = nested.opener if nested.opener in ("'", '"') else ""
    yield Piece(nested.opener, '"' if quote else nested.opener.strip('"'), "operator")
    escaped = {"": "", '"': '\\"', "'": "'\\''"}[quote]
    for piece in _glued(command_pieces(nested.body)):
        yield replace(piece, text=piece.text.replace(quote, escaped)) if quote else piece
    yield Piece(nested.closer, '"' if quote else nested.closer.strip('"'), "operator", blank=False)


def _redirect(redirect: Redirect) -> Iterator[Piece]:
    yield _same(redirect.operator, "operator")
    pieces = _part(redirect.target)
    yield from _glued(pieces) if redirect.operator.endswith("&") else pieces
