"""Which system wrote which row of a sheet, at which rank: what annotators must not see."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from nl2code.bash_code import NotBash, template
from nl2code.errors import UserError
from nl2code.jsonl import read_json, write_json


@dataclass(frozen=True, slots=True)
class Row:
    """A prediction to judge."""

    nl: str
    prediction: str
    template: str
    """Empty for what is no Bash."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rows that a system wrote for a sentence, best first; none where it wrote nothing."""

    nl: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """Everything about a sheet."""

    rows: dict[str, Row]
    """By their names, in the order of the sheet."""
    systems: dict[str, tuple[Ranking, ...]]
    k: int
    """How many candidates of each system are judged."""
    place: str
    """The part of a signature that says which data were judged."""


def make_key(
    systems: Mapping[str, Sequence[Sequence[str]]],
    nl: Sequence[str],
    *,
    k: int,
    seed: int,
    place: str,
) -> Key:
    """Shuffle sentences, and the predictions of each; what two systems wrote is one row.

    Args:
        systems: The candidates of each system, best first, in the order of `nl`.
        nl: The sentences, each once.
        k: How many of the candidates are judged.
        seed: Of the order.
        place: See `Key`.
    """
    generator = random.Random(seed)
    written = {
        sentence: sorted({one for lists in systems.values() for one in _first(lists[nth], k)})
        for nth, sentence in enumerate(nl)
    }
    names: dict[tuple[str, str], str] = {}
    for sentence in generator.sample(sorted(written), len(written)):
        for one in generator.sample(written[sentence], len(written[sentence])):
            names[sentence, one] = f"r{len(names) + 1}"
    rows = {name: Row(*pair, _template(pair[1])) for pair, name in names.items()}
    rankings = {
        system: tuple(
            Ranking(sentence, tuple(names[sentence, one] for one in _first(ones, k)))
            for sentence, ones in zip(nl, lists, strict=True)
        )
        for system, lists in systems.items()
    }
    return Key(rows, rankings, k, place)


def _first(candidates: Sequence[str], k: int) -> list[str]:
    return [one for one in candidates[:k] if one.strip()]


def _template(command: str) -> str:
    try:
        return template(command, redirects=True)
    except NotBash:
        return ""


def write_key(path: Path, key: Key) -> None:
    """Write the key as JSON, the rows in the order of the sheet."""
    rows = [{"row": name, **asdict(row)} for name, row in key.rows.items()]
    write_json(path, {"rows": rows, "systems": key.systems, "k": key.k, "place": key.place})


def read_key(path: Path) -> Key:
    """Read what `write_key` wrote.

    Raises:
        UserError: The file is something else.
    """
    given: dict[str, Any] = read_json(path)
    try:
        rows = {
            row["row"]: Row(row["nl"], row["prediction"], row["template"]) for row in given["rows"]
        }
        systems = {
            name: tuple(Ranking(one["nl"], tuple(one["rows"])) for one in rankings)
            for name, rankings in given["systems"].items()
        }
        for ranking in chain.from_iterable(systems.values()):
            if unknown := set(ranking.rows) - set(rows):
                raise KeyError(min(unknown))
        return Key(rows, systems, int(given["k"]), given["place"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: is not the key of a sheet: {error!r}") from None
