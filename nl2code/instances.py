"""What is scored of NL2Bash: pairs that share their normalised NL are one instance (spec §6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

COLUMNS = ("id", "nl", "command", "cluster", "leaks")
"""What an instance is made from."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One sentence to translate, and every command that answers it in its split."""

    id: str
    """Of its first pair, whose prediction answers for all: that one is what annotators saw."""
    nl: str
    """As written in its first pair."""
    references: tuple[str, ...]
    leaks: bool
    """Whether train holds its normalised NL."""


def instances(rows: Iterable[Mapping[str, Any]]) -> list[Instance]:
    """The instances in the order of their first pairs.

    >>> keys = ("id", "nl", "command", "cluster", "leaks")
    >>> pairs = [("1", "List", "ls", "list", False), ("2", "LIST", "ls -1", "list", False)]
    >>> instances(dict(zip(keys, pair)) for pair in pairs)
    [Instance(id='1', nl='List', references=('ls', 'ls -1'), leaks=False)]
    """
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["cluster"], []).append(row)
    return [
        Instance(
            id=pairs[0]["id"],
            nl=pairs[0]["nl"],
            references=tuple(pair["command"] for pair in pairs),
            leaks=any(pair["leaks"] for pair in pairs),
        )
        for pairs in grouped.values()
    ]
