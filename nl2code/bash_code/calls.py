"""Simple commands as typed calls: the whole of a command's tree, from Bash's syntax."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nl2code.bash_code.forms import settled
from nl2code.bash_code.grammar import Utility, find_utility
from nl2code.bash_code.nested import BRACES, read_nested
from nl2code.bash_code.reasons import NotBash
from nl2code.bash_code.shell import Line, Setting, Simple, Word
from nl2code.bash_code.surface import mend
from nl2code.bash_code.syntax import MAX_DEPTH, read_line
from nl2code.bash_code.tree import (
    Argument,
    Assignment,
    Call,
    Nested,
    Part,
    Pipeline,
    Redirect,
    Reserved,
)
from nl2code.bash_code.words import Reader


@dataclass(frozen=True, slots=True)
class Commands:
    """Reads commands; `depth` counts the commands around them."""

    depth: int = 0

    def pipeline(self, line: Line) -> Pipeline:
        """A line's tree."""
        return Pipeline(tuple(map(self.call, line.commands)), line.operators, line.background)

    def string(self, text: str) -> Pipeline:
        """The tree of a command in quotes."""
        return self.pipeline(read_line(mend(text)))

    def call(self, simple: Simple, opaque: bool = False) -> Call:
        """The typed call; `opaque` says that it may be any program."""
        settings = tuple(map(self._assignment, simple.settings))
        redirects = tuple(
            Redirect(operator, self.argument(word, "File")) for operator, word in simple.redirects
        )
        words = self._without_prefixes(deque(simple.words))
        if not words:
            if not settings:
                raise NotBash("no_grammar" if simple.words else "empty")
            return Call("", (), settings, redirects)
        utility = find_utility(words[0].text)
        if utility is None:
            program, *arguments = self._program(words, opaque or bool(settings))
            return Call("", tuple(arguments), settings, redirects, program)
        words.popleft()
        if utility.becomes:
            name, *flags = utility.becomes
            utility = find_utility(name) or utility
            words.extendleft(Word(flag) for flag in reversed(flags))
        parts = settled(utility.name, Reader(utility, words, self).read())
        return Call(utility.name, parts, settings, redirects)

    def _assignment(self, setting: Setting) -> Assignment:
        value = self.argument(setting.value, "Regex") if setting.value else None
        return Assignment(setting.name, setting.operator, value)

    def _without_prefixes(self, words: deque[Word]) -> deque[Word]:
        while words and (utility := find_utility(words[0].text)) and utility.dropped:
            words.popleft()
            reader = Reader(utility, words, self)
            while words and words[0].text.startswith("-"):
                reader.flag(words.popleft())
        return words

    def _program(self, words: Iterable[Word], opaque: bool) -> list[Part]:
        name, *rest = words
        if not opaque and not _PROGRAM.search(name.text):
            raise NotBash("no_grammar", name.text)
        return [
            self.argument(name, "Program"),
            *(self.argument(word, "Regex") for word in rest),
        ]

    def argument(self, word: Word, kind: str) -> Part:
        """A word in an argument's place."""
        if word.text in BRACES:
            return Reserved("{}")
        if whole := word.whole:
            quote = '"' if word.text.startswith('"') else ""
            return Nested(quote + whole.opener, self._deeper().pipeline(whole.body), ")" + quote)
        inner = tuple(self._deeper().pipeline(one.body) for one in word.inner)
        return Argument(word.text, kind, inner)

    def nested(
        self, utility: Utility, flag: str, words: deque[Word], before: Sequence[Part | Word]
    ) -> list[Part]:
        """What stands where the table says `Command`; takes its words from the left."""
        return read_nested(self._deeper(), utility, flag, words, before)

    def _deeper(self) -> Commands:
        if self.depth >= MAX_DEPTH:
            raise NotBash("too_deep")
        return Commands(self.depth + 1)


# Not `/bin/true`: that names a utility, and one without a grammar.
_PROGRAM = re.compile(r"^(?!(?:/usr(?:/local)?)?/s?bin/\w+$).*[/$]|^\.$", re.DOTALL)
