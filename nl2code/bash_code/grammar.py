"""The table of utilities, `utilities.toml`: which flags each has, and what they take."""

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
    """What the table says of one utility; the words are explained on top of it."""

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
    text = files(__package__).joinpath("utilities.toml").read_text(encoding="utf-8")
    return {name: _utility(name, fields) for name, fields in tomllib.loads(text).items()}


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
