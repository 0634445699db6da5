"""Commands in commands: `find -exec`, `xargs`, and what `ssh`, `watch`, `env` and `sh -c` run."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from nl2code.bash_code.calls import (
    ASSIGNMENT,
    BRACES,
    argument,
    read_call,
    read_pipeline,
)
from nl2code.bash_code.forms import REPLACES
from nl2code.bash_code.grammar import Utility
from nl2code.bash_code.reasons import NotBash
from nl2code.bash_code.surface import mend
from nl2code.bash_code.syntax import Simple, Word, read_line, unquote
from nl2code.bash_code.tree import Argument, Assignment, Flag, Nested, Part, Reserved

_SEMICOLONS = frozenset({";", "\\;", "';'", '";"', "\\\\;"})
_PLUSES = frozenset({"+", "\\+", "'+'", '"+"'})


def read_nested(
    utility: Utility, flag: str, words: deque[Word], before: Sequence[Part | Word]
) -> list[Part]:
    """What stands where the table says `Command`; takes its words from the left."""
    if utility.name == "find":
        return _exec(flag, words)
    if flag:
        if not words:
            raise NotBash("missing_argument", f"{utility.name} {flag}")
        return [Flag(flag, _string(words.popleft()))]
    rest = list(words)
    words.clear()
    if utility.name == "xargs":
        return [Flag("-I", Reserved("{}")), *_rest_of_line(_with_braces(rest, before), False)]
    return _rest_of_line(rest, utility.opaque)


def _exec(flag: str, words: deque[Word]) -> list[Part]:
    end = _terminator(words)
    inside = tuple(words.popleft() for _ in range(end))
    last = words.popleft().text if words else ";"
    if not inside:
        raise NotBash("missing_argument", f"find {flag}")
    call = read_call(Simple(inside), read_nested)
    return [Flag(flag, call), Reserved("+" if last in _PLUSES else "\\;")]


def _terminator(words: deque[Word]) -> int:
    for place, word in enumerate(words):
        if word.text in _SEMICOLONS:
            return place
        if word.text in _PLUSES and place and words[place - 1].text in BRACES:
            return place
    pluses = [place for place, word in enumerate(words) if word.text in _PLUSES]
    return pluses[-1] if pluses else len(words)


def _rest_of_line(words: list[Word], opaque: bool) -> list[Part]:
    parts: list[Part] = []
    if opaque:
        while words and (found := ASSIGNMENT.match(words[0].text)):
            value = words.pop(0).behind(found.end())
            part = argument(value, "Regex", read_nested) if value.text else None
            parts.append(Assignment(found[1], found[2], part))
    if len(words) == 1 and (words[0].whole or words[0].text[0] in "\"'$"):
        return [*parts, _string(words[0])]
    if words:
        parts.append(read_call(Simple(tuple(words)), read_nested, opaque))
    return parts


def _string(word: Word) -> Part:
    """A command in one word: quoted, or a variable that nobody can look into."""
    quoted = unquote(word.text)
    if word.whole or not quoted:
        return argument(word, "Program", read_nested)
    quote, inside = quoted
    try:
        return Nested(quote, read_pipeline(read_line(mend(inside)), read_nested), quote)
    except NotBash as error:
        if "$" not in inside:
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
