"""What Bash sees in a line before any utility reads it: simple commands, words, substitutions."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)`, `<(…)` or `>(…)` in a word."""

    source: str
    opener: str
    body: Line


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written, with the substitutions inside it."""

    text: str
    inner: tuple[Substitution, ...] = ()

    @property
    def whole(self) -> Substitution | None:
        """The substitution that is all of the word, quotes aside."""
        if len(self.inner) == 1 and self.text.strip('"') == self.inner[0].source:
            return self.inner[0]
        return None

    def behind(self, length: int) -> Word:
        """The word without its first characters: the `5` of `-A5`."""
        return replace(self, text=self.text[length:])

    def with_mark(self, mark: str) -> Word:
        """The word with `{}` for `mark`, in its substitutions too: what `xargs -I` does."""
        inner = tuple(
            Substitution(one.source.replace(mark, "{}"), one.opener, one.body.with_mark(mark))
            for one in self.inner
        )
        return Word(self.text.replace(mark, "{}"), inner)


@dataclass(frozen=True, slots=True)
class Setting:
    """`NAME=value`."""

    name: str
    operator: str
    value: Word | None


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: what stands between two pipes."""

    words: tuple[Word, ...]
    settings: tuple[Setting, ...] = ()
    redirects: tuple[tuple[str, Word], ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One pipeline and nothing else."""

    commands: tuple[Simple, ...]
    operators: tuple[str, ...]
    background: bool

    def with_mark(self, mark: str) -> Line:
        """See `Word.with_mark`."""
        commands = tuple(
            replace(one, words=tuple(word.with_mark(mark) for word in one.words))
            for one in self.commands
        )
        return replace(self, commands=commands)


_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)


def unquote(text: str) -> tuple[str, str] | None:
    """The quote and the content of a word that is one quoted string.

    >>> unquote("'ls -l'"), unquote("ls")
    (("'", 'ls -l'), None)
    """
    quoted = _QUOTED.fullmatch(text)
    if not quoted or re.search(r"(?<!\\)" + quoted[1], quoted[2]):
        return None
    inside = quoted[2].replace('\\"', '"') if quoted[1] == '"' else quoted[2]
    return quoted[1], inside
