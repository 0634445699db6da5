"""A template and its slots: the types of the open vocabulary, to be filled (spec §3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nl2code.bash_code import Pipeline, canonical, parse
from nl2code.bash_code.pieces import command_pieces
from nl2code.bash_code.tree import Argument
from nl2code.slot_filling.arguments import with_arguments

SLOT = re.compile(
    r"(?P<sign>[+-]?)(?P<type>Regex|Path|File|Directory|Quantity|Number|Size|Timespan|DateTime"
    r"|Permission|Bandwidth|Program)"
)
_SETTING = re.compile(r"(?<!\S)(Variable\+?=) (?=\S)")


@dataclass(frozen=True, slots=True)
class Slot:
    """Where an argument belongs."""

    type: str
    sign: str
    """`+`, `-` or nothing: it stays whatever the argument."""
    utility: str
    flag: str
    """Empty for a positional argument."""
    place: int
    """Its index among the template's tokens."""


@dataclass(frozen=True, slots=True)
class Template:
    """A template that has been read."""

    tokens: tuple[str, ...]
    slots: tuple[Slot, ...]
    tree: Pipeline

    def filled(self, values: Sequence[str]) -> str:
        """The canonical command with one value a slot, each as the shell reads it.

        >>> read_template("find Path -size +Size").filled([".", "1M"])
        'find . -size +1M'
        """
        assert len(values) == len(self.slots)
        left = iter(values)

        def change(argument: Argument, utility: str, flag: str) -> Argument:
            found = SLOT.fullmatch(argument.text)
            return Argument(found["sign"] + next(left), argument.type) if found else argument

        return canonical(with_arguments(self.tree, change))


def read_template(text: str) -> Template:
    """Read what a model wrote; a word that is no type stays as it is.

    >>> [(slot.utility, slot.flag, slot.type) for slot in read_template("find Path -name x").slots]
    [('find', '', 'Path')]

    Raises:
        NotBash: It is no template of a command.
    """
    return _template(parse(_SETTING.sub(r"\1", text), redirects=True))


def take_apart(command: str) -> tuple[Template, list[str]]:
    """A command's template, and what stands in its slots, signs left out.

    >>> template, arguments = take_apart("head -5 a.txt")
    >>> " ".join(template.tokens), arguments
    ('head - Quantity File', ['5', 'a.txt'])

    Raises:
        NotBash: With the reason to count.
    """
    tree = parse(command, redirects=True)
    named = (piece.template for piece in command_pieces(tree) if piece.kind == "argument")
    arguments: list[str] = []

    def change(argument: Argument, utility: str, flag: str) -> Argument:
        name = next(named)
        if found := SLOT.fullmatch(name):
            arguments.append(argument.text.replace(found["sign"], "", 1))
        return Argument(name, argument.type)

    return _template(with_arguments(tree, change)), arguments


def _template(tree: Pipeline) -> Template:
    pieces = list(command_pieces(tree))
    places = (place for place, piece in enumerate(pieces) if SLOT.fullmatch(piece.text))
    slots: list[Slot] = []

    def change(argument: Argument, utility: str, flag: str) -> Argument:
        if found := SLOT.fullmatch(argument.text):
            slots.append(Slot(found["type"], found["sign"], utility, flag, next(places)))
        return argument

    with_arguments(tree, change)
    tokens = (piece.text if piece.kind == "argument" else piece.template for piece in pieces)
    return Template(tuple(tokens), tuple(slots), tree)
