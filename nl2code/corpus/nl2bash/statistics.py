"""The figures of a built folder of NL2Bash beside the paper's: Tables 3 to 5 and the utilities."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.bash_nl.words import counted_words
from nl2code.corpus.folders import NL2BASH, REPORT, refuse_others
from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.juice import parquet_files
from nl2code.corpus.nl2bash.split import published_utilities
from nl2code.errors import UserError, sentence
from nl2code.jsonl import read_json

COLUMNS = ["nl", "command", "template", "utilities", "flags", "reserved", "command_tokens"]
Columns = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the paper, and ours; None where nothing can be counted."""

    table: str
    name: str
    published: float
    ours: float | None


@dataclass(frozen=True, slots=True)
class Utility:
    """A bar of the histogram."""

    name: str
    commands: int
    """How often it stands in a command, nested ones too."""
    rank: int
    published_rank: int | None
    """Its place among the paper's 102, None where it is not one of them."""


@dataclass(frozen=True, slots=True)
class PairStatistics:
    """What `measure` finds in a built folder."""

    digest: str
    """As build.json states it; empty when there is no such file."""
    splits: dict[str, int]
    unparsed: int
    """Pairs whose command does not parse: they count in the figures on sentences only."""
    figures: list[Figure]
    histogram: list[Utility]
    missing: list[str]
    """Utilities of the paper that are not there."""


def measure(folder: Path) -> PairStatistics:
    """Measure the Parquet splits in `folder`.

    Raises:
        UserError: The folder holds no split, or a file that is not of this dataset.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    refuse_others(folder, NL2BASH)
    report = read_json(folder / REPORT) if (folder / REPORT).is_file() else {}
    tables = {split: list(map(_read, paths)) for split, paths in parquet_files(folder).items()}
    rows = pa.concat_tables([table for split in tables.values() for table in split])
    columns: Columns = rows.to_pydict()
    histogram = _histogram(columns["utilities"])
    return PairStatistics(
        digest=str(report.get("digest", "")),
        splits={split: sum(map(len, tables.get(split, ()))) for split in SPLITS},
        unparsed=columns["template"].count(None),
        figures=[*_corpus(columns), *_vocabulary(columns), *_multiplicity(columns)],
        histogram=histogram,
        missing=[u for u in published_utilities() if u not in {bar.name for bar in histogram}],
    )


def _read(path: str) -> pa.Table:
    try:
        # Arrow's own words for a column that is missing are the whole schema.
        missing = [name for name in COLUMNS if name not in pq.read_schema(path).names]
        if missing:
            raise UserError(f"{path}: not a split of NL2Bash: the column {missing[0]} is missing")
        return pq.read_table(path, columns=COLUMNS).select(COLUMNS)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: not a split of NL2Bash: {sentence(error)}") from None


def _corpus(columns: Columns) -> Iterator[Figure]:
    """Table 3: counts and lengths, of all pairs; distinct where they are counted."""
    words = [counted_words(nl) for nl in columns["nl"]]
    tokens = list(_lists(columns["command_tokens"]))
    for name, published, ours in (
        ("sentences", 8_559, len(set(columns["nl"]))),
        ("words", 7_790, len(_counts(words))),
        ("words a sentence, mean", 11.7, _mean(map(len, words))),
        ("words a sentence, median", 11, _median(map(len, words))),
        ("sentences a word, mean", 14.0, _mean(_counts(words).values())),
        ("sentences a word, median", 1, _median(_counts(words).values())),
        ("commands", 7_587, len(set(columns["command"]))),
        ("templates", 4_602, len({*columns["template"]} - {None})),
        ("tokens", 6_234, len(_counts(tokens))),
        ("tokens a command, mean", 7.7, _mean(map(len, tokens))),
        ("tokens a command, median", 7, _median(map(len, tokens))),
        ("commands a token, mean", 11.5, _mean(_counts(tokens).values())),
        ("commands a token, median", 1, _median(_counts(tokens).values())),
    ):
        yield Figure("Table 3", name, published, ours)


def _vocabulary(columns: Columns) -> Iterator[Figure]:
    """Table 4: utilities, flags and reserved words."""
    utilities, flags, reserved = (
        _counts(_lists(columns[name])) for name in ("utilities", "flags", "reserved")
    )
    for name, published, ours in (
        ("utilities", 102, len(utilities)),
        ("flags", 206, len(flags)),
        ("reserved words", 15, len(reserved)),
        ("commands a utility, mean", 155.0, _mean(utilities.values())),
        ("commands a utility, median", 38, _median(utilities.values())),
        ("commands a flag, mean", 101.7, _mean(flags.values())),
        ("commands a flag, median", 7.5, _median(flags.values())),
    ):
        yield Figure("Table 4", name, published, ours)


def _multiplicity(columns: Columns) -> Iterator[Figure]:
    """Table 5: how many commands answer one sentence, and how many sentences ask for one."""
    pairs = list(zip(columns["nl"], columns["command"], strict=True))
    for name, published, grouped in (
        ("commands a sentence", (1.09, 1, 9), _group(pairs)),
        ("sentences a command", (1.23, 1, 22), _group((command, nl) for nl, command in pairs)),
    ):
        ours = (_mean(grouped), _median(grouped), max(grouped, default=None))
        for kind, theirs, own in zip(("mean", "median", "most"), published, ours, strict=True):
            yield Figure("Table 5", f"{name}, {kind}", theirs, own)


def _group(pairs: Iterable[tuple[str, str]]) -> list[int]:
    found: dict[str, int] = defaultdict(int)
    for key, _ in set(pairs):
        found[key] += 1
    return list(found.values())


def _histogram(utilities: list[list[str] | None]) -> list[Utility]:
    counts = _counts(_lists(utilities))
    published = {name: rank for rank, name in enumerate(published_utilities(), 1)}
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    return [
        Utility(name, counts[name], rank, published.get(name))
        for rank, name in enumerate(ordered, 1)
    ]


def _lists(column: list[list[str] | None]) -> Iterator[list[str]]:
    """Yield the lists of the column; a command that does not parse has none."""
    yield from (value for value in column if value is not None)


def _counts(lists: Iterable[list[str]]) -> Counter[str]:
    return Counter(item for found in lists for item in found)


def _mean(values: Iterable[int]) -> float | None:
    found = list(values)
    return mean(found) if found else None


def _median(values: Iterable[int]) -> float | None:
    found = list(values)
    return median(found) if found else None
