"""The table of utilities: which flags each has, and what they take, as the man pages say.

`utilities/*.toml` has the 102 of the corpus and what may stand before a command. Its keys:

- `flags` stand alone; `takes.T` take an argument of type T, attached or as the next word;
  `maybe.T` take one only when it is attached (`--color=always`, `-w16`).
- `arguments` are the types of the positional arguments; more of them have the last one. Where it
  is `Command`, the rest of the line, or its one string, is a command.
- `pattern`: flags that stand for the first positional argument (`grep -e`).
- `number`: the type of an obsolete `-10`; `detached`: it may also be written `- 10`.
- `words`: single-dash words are whole flags, not bundles of letters; `bundle`: the first word is a
  bundle even without its dash; `lenient`: what looks like an unknown flag is an argument.
- `expression`: operators and parentheses stand among the flags, and the first path may be missing.
- `same`: spellings, and the one that we write; `becomes`: another utility and its flags.
- `dropped`: only the command after it stays; `opaque`: the command after it may be any program.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

PREFIX = re.compile(r"^(?:~|/usr|/usr/local)?/s?bin/(?=[\w-]+$)")

# Arguments of these types are few, and a template keeps them (spec §3).
KEPT_TYPES = frozenset({"Type", "Option", "Format"})
SIGNED_TYPES = frozenset({"Quantity", "Number", "Size", "Timespan", "Permission", "Bandwidth"})


@dataclass(frozen=True, slots=True)
class FlagRule:
    """A flag, the types of what it takes, and whether it may go without."""

    name: str
    takes: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Utility:
    """What the table says of one utility; the keys are explained above."""

    name: str
    flags: Mapping[str, FlagRule]
    arguments: tuple[str, ...]
    pattern: frozenset[str] = frozenset()
    number: str = ""
    becomes: tuple[str, ...] = ()
    detached: bool = False
    words: bool = False
    expression: bool = False
    bundle: bool = False
    dropped: bool = False
    lenient: bool = False
    opaque: bool = False

    def flag(self, name: str) -> FlagRule | None:
        """The flag of that name, or the one that this is an unambiguous beginning of."""
        if name in self.flags or not name.startswith("--"):
            return self.flags.get(name)
        longer = [flag for flag in self.flags if flag.startswith(name)]
        return self.flags[longer[0]] if len(longer) == 1 else None


def find_utility(word: str) -> Utility | None:
    """The utility that a command's first word names, wherever it is installed.

    >>> find_utility("/usr/bin/find").name
    'find'
    """
    return utilities_table().get(PREFIX.sub("", word))


@cache
def utilities_table() -> dict[str, Utility]:
    """All utilities by name, read once."""
    pages = files(__package__).joinpath("utilities").iterdir()
    texts = [page.read_text(encoding="utf-8") for page in pages if page.name.endswith(".toml")]
    tables = map(tomllib.loads, texts)
    return {name: _utility(name, fields) for table in tables for name, fields in table.items()}


def _utility(name: str, fields: dict[str, Any]) -> Utility:
    options = {key: fields[key] for key in _SWITCHES if key in fields}
    rules = {rule.name: rule for rule in _rules(fields)}
    for spelling, written in fields.get("same", {}).items():
        rules[spelling] = rules[written]
    return Utility(
        name,
        rules,
        tuple(fields.get("arguments", "").split()),
        frozenset(fields.get("pattern", "").split()),
        fields.get("number", ""),
        tuple(fields.get("becomes", "").split()),
        **options,
    )


_SWITCHES = ("detached", "words", "expression", "bundle", "dropped", "lenient", "opaque")


def _rules(fields: dict[str, Any]) -> Iterator[FlagRule]:
    yield from map(FlagRule, fields.get("flags", "").split())
    for types, names in fields.get("takes", {}).items():
        yield from (FlagRule(name, tuple(types.split())) for name in names.split())
    for kind, names in fields.get("maybe", {}).items():
        yield from (FlagRule(name, (kind,), optional=True) for name in names.split())
