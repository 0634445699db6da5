"""A utility's words, each given to the utility or to one of its flags."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from nl2code.bash_code.grammar import FlagRule, Utility
from nl2code.bash_code.reasons import NotBash
from nl2code.bash_code.shell import Word
from nl2code.bash_code.tree import Flag, Part, Reserved

_NUMBER = re.compile(r"""\d+$|["']?\$|\[|Quantity$""")  # the last two: in predictions and templates
_OPERATORS = {"!": "!", "(": r"\(", ")": r"\)"}


class Shell(Protocol):
    """What a utility's reader asks about the words that are more than its own."""

    def argument(self, word: Word, kind: str) -> Part:
        """A word in an argument's place."""

    def nested(
        self, utility: Utility, flag: str, words: deque[Word], before: Sequence[Part | Word]
    ) -> list[Part]:
        """What stands where the table says `Command`; takes its words from the left."""


class Reader:
    """Reads a utility's words; one reader a call."""

    def __init__(self, utility: Utility, words: deque[Word], shell: Shell) -> None:
        self._utility = utility
        self._words = words
        self._shell = shell
        self._parts: list[Part | Word] = []
        self._places = 0  # positional arguments so far

    def read(self) -> tuple[Part, ...]:
        """All words, in order."""
        if self._utility.bundle and self._words and self._words[0].text[0].isalpha():
            self._old_bundle(self._words.popleft().text)
        only_arguments = False
        while self._words:
            word = self._words.popleft()
            if word.text == "--" and not only_arguments:
                only_arguments = not self._utility.expression
                self._parts.append(Flag("--"))
            elif not only_arguments and self._is_flag(word):
                self.flag(word)
            else:
                self._positional(word)
        return self._with_types()

    def _is_flag(self, word: Word) -> bool:
        if self._utility.expression and word.text.strip("\\'\"") == ",":
            return True
        if word.text == "-":
            return self._utility.detached and bool(
                self._words and _NUMBER.match(self._words[0].text)
            )
        if self._utility.arguments[:1] == ("Command",):
            return word.text.strip("\"'").startswith("-")
        return word.text.startswith("-")

    def flag(self, word: Word) -> None:
        """Read a flag, or several in a bundle, with what they take."""
        if word.text[0] in "\"'":
            word = Word(word.text.strip("\"'"), word.inner)
        utility, text = self._utility, word.text
        if rule := utility.flag(text.strip("\\'\"") if utility.expression else text):
            self._take(rule)
        elif text.startswith("--"):
            name, equals, _ = text.partition("=")
            long = utility.flag(name)
            if not equals or not long or not long.takes:
                return self._unknown(word)
            self._add(long, [word.behind(len(name) + 1)], joined=True)
        elif utility.number and (text == "-" or _NUMBER.match(text[1:])):
            value = self._words.popleft() if text == "-" else word.behind(1)
            number = self._shell.argument(value, utility.number)
            self._parts.append(Flag("-", number, joined=True))
        elif utility.words or not self._bundle(word):
            self._attached_or_unknown(word)
        return None

    def _unknown(self, word: Word) -> None:
        # In find, one letter is what is left of a lost pipe: `find . wc -l`.
        if not self._utility.lenient and not (self._utility.expression and len(word.text) == 2):
            raise NotBash("unknown_flag", f"{self._utility.name} {word.text}")
        self._positional(word)

    def _attached_or_unknown(self, word: Word) -> None:
        rule = self._utility.flag(word.text[:2]) if self._utility.words else None
        if rule and rule.takes and (rule.optional or not self._utility.expression):
            return self._add(rule, [word.behind(2)])
        return self._unknown(word)

    def _bundle(self, word: Word) -> bool:
        """Read `-la`; False, and nothing is read, where a letter is no flag."""
        rules: list[FlagRule] = []
        for letter in word.text[1:]:
            rule = self._utility.flag("-" + letter)
            if rule is None:
                return False
            rules.append(rule)
            if rule.takes:
                break
        for rule in rules[:-1]:
            self._add(rule, [])
        rest = word.behind(1 + len(rules))
        if rest.text and rules[-1].takes != ("Command",):
            self._add(rules[-1], [rest])
        else:
            self._words.extendleft([rest] if rest.text else [])
            self._take(rules[-1])
        return True

    def _old_bundle(self, letters: str) -> None:
        """Read the first word of `tar xvf file`: its letters take the words that follow it."""
        for letter in letters:
            rule = self._utility.flag("-" + letter)
            if rule is None:
                raise NotBash("unknown_flag", f"{self._utility.name} {letter}")
            self._take(rule)

    def _take(self, rule: FlagRule) -> None:
        if rule.optional or not rule.takes:
            return self._add(rule, [])
        if rule.takes == ("Command",):
            self._parts += self._shell.nested(self._utility, rule.name, self._words, self._parts)
            return None
        if len(self._words) < len(rule.takes):
            raise NotBash("missing_argument", f"{self._utility.name} {rule.name}")
        return self._add(rule, [self._words.popleft() for _ in rule.takes])

    def _add(self, rule: FlagRule, values: Sequence[Word], joined: bool = False) -> None:
        parts = [
            self._shell.argument(value, kind)
            for value, kind in zip(values, rule.takes, strict=False)
        ]
        joined = joined or (bool(parts) and rule.optional)
        self._parts.append(Flag(rule.name, parts[0] if parts else None, joined))
        self._parts += parts[1:]

    def _positional(self, word: Word) -> None:
        types = self._utility.arguments
        if types[min(self._places, len(types) - 1)] == "Command":
            self._words.appendleft(word)
            self._parts += self._shell.nested(self._utility, "", self._words, self._parts)
        elif self._utility.expression and (sign := word.text.strip("\\'\"")) in _OPERATORS:
            self._parts.append(Reserved(_OPERATORS[sign]))
        else:
            self._parts.append(word)
            self._places += 1

    def _with_types(self) -> tuple[Part, ...]:
        types = list(self._utility.arguments)
        names = {part.name for part in self._parts if isinstance(part, Flag)}
        if names & self._utility.pattern:
            types.pop(0)
        parts: list[Part] = []
        for part in self._parts:
            if isinstance(part, Word):
                kind = types.pop(0) if len(types) > 1 else types[0]
                parts.append(self._shell.argument(part, kind))
            else:
                parts.append(part)
        return tuple(parts)
