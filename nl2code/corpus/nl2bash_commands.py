"""What the corpus wants to know of a Bash command: the only door from here to its parser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A command's parts (section 3 of the paper)."""

    template: str
    utilities: list[str]
    """Nested ones too, in order."""
    flags: list[str]
    reserved: list[str]
    """The reserved words: `|`, `$(`, `\\;` …"""
    tokens: list[str]
    sub_tokens: list[str]


ReadCommand = Callable[[str], Command | str]
"""Reads a command; of one that cannot be used it says the reason."""


def read_command(command: str) -> Command | str:
    """Return the command's parts, or the reason why it has none."""
    from nl2code import bash_code

    try:
        return Command(
            template=bash_code.template(command),
            utilities=bash_code.utilities(command),
            flags=bash_code.flags(command),
            reserved=bash_code.reserved_words(command),
            tokens=bash_code.command_tokens(command, "token"),
            sub_tokens=bash_code.command_tokens(command, "sub-token"),
        )
    except bash_code.NotBash as error:
        return error.reason
