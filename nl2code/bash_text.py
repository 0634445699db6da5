"""What a model reads and writes of NL2Bash: a sentence and a command as text, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Literal

from nl2code.bash_code import NotBash, parse, restore_command
from nl2code.bash_code.tokens import BLANK, END, START
from nl2code.bash_nl.sentences import read_sentence

Level = Literal["token", "sub-token", "char", "template"]

UNKNOWN = "<unk>"
"""A word that no vocabulary holds."""

_PIECES = re.compile(r"[^\W\d_]+|\d+|\S")
_STANDS_FOR_UNKNOWN = "_UNK"  # a plain word: as `<unk>` would be redirects, nothing would parse
_MARKS = re.compile(f"{START}|{END}")


def nl_column(normalised: bool, level: Level) -> str:
    """The column that `nl_text` reads."""
    if not normalised or level == "template":
        return "nl"
    return "nl_sub_tokens" if level == "sub-token" else "nl_tokens"


def nl_text(example: Mapping[str, Any], normalised: bool, level: Level) -> str:
    """The sentence, whitespace-joined at this level.

    As written, with its case and signs, since names of files are copied from it; or the paper's
    normalised words (spec §4): no stop words, lower-case stems, constants as they are. To write a
    template they are always read, with types for constants.

    >>> nl_text({"nl": "List  a.txt"}, False, "sub-token")
    'List a . txt'
    >>> nl_text({"nl": "List  a.txt"}, False, "template")
    'list File'
    """
    if level == "template":
        return _joined(read_sentence(example["nl"]).tokens)
    value = example[nl_column(normalised, level)]
    words = value.split() if isinstance(value, str) else value
    if level == "char":
        return " ".join(" ".join(words).replace(" ", BLANK))
    if level == "sub-token" and not normalised:
        words = [piece for word in words for piece in _PIECES.findall(word)]
    return _joined(words)


def command_column(level: Level) -> str:
    """The column that `command_text` reads."""
    columns = {"sub-token": "command_sub_tokens", "template": "template"}
    return columns.get(level, "command_tokens")


def command_text(example: Mapping[str, Any], level: Level) -> str:
    """The canonical command, or its template, whitespace-joined at this level.

    >>> command_text({"command_tokens": ["head", "-=", "5", "'a b'"]}, "token")
    "head -= 5 'a▁b'"
    """
    tokens = example[command_column(level)] or ()
    if level == "template":
        tokens = example["template"].split()
    if level == "char":
        tokens = list(restore_command(tokens).replace(" ", BLANK))
    return _joined(tokens)


def _joined(tokens: Iterable[str]) -> str:
    """Tokens with a blank between them, and none within."""
    return " ".join(re.sub(r"\s", BLANK, token) for token in tokens)


def read_command(text: str, level: Level) -> str:
    """The command that a model wrote, or its template; be it Bash or not.

    >>> read_command("head -= 5 'a▁b' <unk>", "token")
    "head -5 'a b' _UNK"
    """
    tokens = text.replace(UNKNOWN, _STANDS_FOR_UNKNOWN).split()
    if level == "template":
        return " ".join(tokens)
    if level == "sub-token":
        # A BPE also learns pieces of `<arg>`, so that a model may write `find<arg>`: read as it
        # stands it would be two redirects, and parse. No text of ours has a mark within a word.
        tokens = _MARKS.sub(r" \g<0> ", " ".join(tokens)).split()
    # Stripped, so that beams with an empty argument at the end are not distinct.
    return restore_command(tokens, level).replace(BLANK, " ").strip()


def parsing_commands(commands: Iterable[str], number: int) -> tuple[list[str], bool]:
    """The first `number` distinct commands that parse, and whether none does.

    Then the first of all stays, as something must be answered.

    >>> parsing_commands(["ls (", "ls -a", "ls -a", "ls", "pwd"], 2)
    (['ls -a', 'ls'], False)
    """
    distinct = dict.fromkeys(commands)
    parsing = list(islice(filter(_parses, distinct), number))
    return parsing or list(islice(distinct, 1)), not parsing


def _parses(command: str) -> bool:
    try:
        parse(command, redirects=True)
    except NotBash:
        return False
    return True
