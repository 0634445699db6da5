"""Commands in commands: `find -exec`, `xargs`, and what `ssh`, `watch`, `env` and `sh -c` run."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from nl2code.bash_code.forms import REPLACES
from nl2code.bash_code.grammar import Utility
from nl2code.bash_code.reasons import NotBash
from nl2code.bash_code.shell import Simple, Word, unquote
from nl2code.bash_code.tree import (
    Argument,
    Assignment,
    Call,
    Flag,
    Nested,
    Part,
    Pipeline,
    Reserved,
)

BRACES = frozenset({"{}", "'{}'", '"{}"', "\\{\\}", "{\\}", "\\{}"})
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?=)")
_SEMICOLONS = frozenset({";", "\\;", "';'", '";"', "\\\\;"})
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\}|[@*])")
_PLUSES = frozenset({"+", "\\+", "'+'", '"+"'})


class Shell(Protocol):
    """Reads the commands and words that it is given, one level deeper."""

    def call(self, simple: Simple, opaque: bool = False) -> Call:
        """The typed call."""

    def string(self, text: str) -> Pipeline:
        """The tree of a command in quotes."""

    def argument(self, word: Word, kind: str) -> Part:
        """A word in an argument's place."""


def read_nested(
    shell: Shell, utility: Utility, flag: str, words: deque[Word], before: Sequence[Part | Word]
) -> list[Part]:
    """What stands where the table says `Command`; takes its words from the left."""
    if utility.name == "find":
        return _exec(shell, flag, words)
    if flag:
        if not words:
            raise NotBash("missing_argument", f"{utility.name} {flag}")
        return [Flag(flag, _string(shell, words.popleft(), local=True))]
    rest = list(words)
    words.clear()
    if utility.name == "xargs":
        return [
            Flag("-I", Reserved("{}")),
            *_rest_of_line(shell, _with_braces(rest, before), utility),
        ]
    return _rest_of_line(shell, rest, utility)


def _exec(shell: Shell, flag: str, words: deque[Word]) -> list[Part]:
    end = _terminator(words)
    inside = tuple(words.popleft() for _ in range(end))
    last = words.popleft().text if words else ";"
    if not inside:
        raise NotBash("missing_argument", f"find {flag}")
    call = shell.call(Simple(inside))
    return [Flag(flag, call), Reserved("+" if last in _PLUSES else "\\;")]


def _terminator(words: deque[Word]) -> int:
    for place, word in enumerate(words):
        if word.text in _SEMICOLONS:
            return place
        if word.text in _PLUSES and place and words[place - 1].text in BRACES:
            return place
    pluses = [place for place, word in enumerate(words) if word.text in _PLUSES]
    return pluses[-1] if pluses else len(words)


def _rest_of_line(shell: Shell, words: list[Word], utility: Utility) -> list[Part]:
    parts: list[Part] = []
    if utility.opaque:
        while words and (found := _ASSIGNMENT.match(words[0].text)):
            value = words.pop(0).behind(found.end())
            part = shell.argument(value, "Regex") if value.text else None
            parts.append(Assignment(found[1], found[2], part))
    if len(words) == 1 and (words[0].whole or words[0].text[0] in "\"'$"):
        return [*parts, _string(shell, words[0], local=utility.name != "ssh")]
    if words:
        parts.append(shell.call(Simple(tuple(words)), utility.opaque))
    return parts


def _string(shell: Shell, word: Word, local: bool) -> Part:
    """A command in one word: quoted, or a variable that nobody can look into.

    What another machine's shell will make of a string with variables, nobody knows.
    """
    quoted = unquote(word.text)
    if word.whole or not quoted:
        return shell.argument(word, "Program")
    quote, inside = quoted
    if _VARIABLE.fullmatch(inside):
        return Argument(word.text, "Program")
    try:
        return Nested(quote, shell.string(inside), quote)
    except NotBash as error:
        if local or "$" not in inside:
            raise NotBash("subcommand", str(error)) from None
        return Argument(word.text, "Program")


def _with_braces(words: list[Word], before: Sequence[Part | Word]) -> list[Word]:
    """The command of `xargs` with `{}` where the input goes: at the end, unless it says where."""
    given = [part for part in before if isinstance(part, Flag) and part.name in REPLACES]
    if not given:
        there = any("{}" in word.text for word in words)
        return words if there else [*words, Word("{}")]
    stands_for = given[-1].argument
    if not isinstance(stands_for, Argument):
        return words
    mark = stands_for.text.strip("\"'")
    return [words[0], *(word.with_mark(mark) for word in words[1:])]
