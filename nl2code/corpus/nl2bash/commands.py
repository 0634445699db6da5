"""What the corpus wants to know of a Bash command: the only door from here to its parser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nl2code import bash_code


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


def read_command(command: str, *, redirects: bool = False) -> Command | str:
    """Return the command's parts, or the reason why it has none.

    Args:
        command: The command as written.
        redirects: Whether one with a redirect may have parts; the paper leaves nearly all out.
    """
    try:
        tree = bash_code.parse(command, redirects=redirects)
        return Command(
            template=bash_code.template(tree),
            utilities=bash_code.utilities(tree),
            flags=bash_code.flags(tree),
            reserved=bash_code.reserved_words(tree),
            tokens=bash_code.command_tokens(tree, "token"),
            sub_tokens=bash_code.command_tokens(tree, "sub-token"),
        )
    except bash_code.NotBash as error:
        return error.reason
