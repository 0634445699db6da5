"""Pairs → the built folder of NL2Bash: Parquet a split, and the counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.files import Files, digest_of
from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.nl2bash.commands import ReadCommand, read_command
from nl2code.corpus.nl2bash.filter import Chosen, Funnel, choose
from nl2code.corpus.nl2bash.rows import Row, counts_of, row_of
from nl2code.corpus.nl2bash.schema import SCHEMA
from nl2code.corpus.nl2bash.sources import SHA256, Pair, Pairs, read_pairs, require_published
from nl2code.corpus.nl2bash.split import (
    Keys,
    published_exclusions,
    published_lines,
    split_by_rule,
)
from nl2code.errors import UserError

CONFIGS = ("published", "rebuilt")
ENOUGH_SENTENCES = 100
"""Of so many distinct ones none falls to dev in 1 of 6,000 draws; to test, as well."""
_ROWS_PER_GROUP = 1_000


@dataclass(frozen=True, slots=True)
class SplitPairs(Files):
    """A split of NL2Bash on disk."""

    clusters: int
    """Distinct normalised NL."""
    commands: int
    templates: int
    leaks: int


@dataclass(slots=True)
class BuiltPairs:
    """What a build did: what the card says and `build.json` holds."""

    splits: dict[str, SplitPairs] = field(default_factory=dict)
    funnel: Funnel = field(default_factory=list)
    """(stage, reason, count), `kept` among the reasons of each stage."""
    options: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    note: str = ""


def build_pairs(
    source: str, folder: Path, config: str, read: ReadCommand | None = None
) -> BuiltPairs:
    """Build the dataset's Parquet files in the new folder `folder`.

    Args:
        source: A folder of all.nl and all.cm, or `published` to download them.
        folder: Where the files go.
        config: `published` for the paper's pairs and split, `rebuilt` for our own of any pairs.
        read: Reads a command, in place of our parser.

    Raises:
        UserError: The source cannot be used, or no pair is left.
    """
    found = read_pairs(source)
    if config == "published":
        require_published(found, source)
        splits, funnel, note = _published(found.pairs, read or reader(config))
    else:
        splits, funnel, note = _rebuilt(found, read or reader(config))
    if not any(splits.values()):
        counts = ", ".join(f"{reason} {count}" for _, reason, count in funnel if reason != "kept")
        raise UserError(f"{source}: no pair of {len(found.pairs):,} is kept; dropped: {counts}")
    folder.mkdir(parents=True)
    _mark_leaks(splits)
    built = BuiltPairs(funnel=funnel, options={"config": config, **found.digests})
    built.note = " ".join(filter(None, [*found.notes, note]))
    built.splits = {split: _write(split, rows, folder) for split, rows in splits.items()}
    built.digest = digest_of(folder)
    return built


def reader(config: str) -> ReadCommand:
    """What reads the commands of a config: three of the published pairs have a redirect."""
    return partial(read_command, redirects=config == "published")


def _published(pairs: list[Pair], read: ReadCommand) -> tuple[dict[str, list[Row]], Funnel, str]:
    failed: Counter[str] = Counter()

    def row(line: int) -> Row:
        pair = pairs[line - 1]
        command = read(pair.command)
        if isinstance(command, str):
            failed[command] += 1
        return row_of(pair, command)

    splits = {split: list(map(row, lines)) for split, lines in published_lines().items()}
    excluded = published_exclusions().items()
    funnel = [("published", reason, len(lines)) for reason, lines in excluded]
    funnel.append(("published", "kept", sum(map(len, splits.values()))))
    return splits, funnel, _unparsed(failed)


def _unparsed(failed: Counter[str]) -> str:
    counts = ", ".join(f"{reason} {count}" for reason, count in failed.most_common())
    if not counts:
        return ""
    return f"Kept as published, but without the columns that need a parse: {counts}."


def _rebuilt(found: Pairs, read: ReadCommand) -> tuple[dict[str, list[Row]], Funnel, str]:
    chosen = choose(found.pairs, read)
    rows = {row.pair.line: row_of(row.pair, row.command) for row in chosen.kept}
    keys = (Keys(line, row["cluster"], row["command"]) for line, row in rows.items())
    lines = split_by_rule(keys)
    splits = {split: [rows[line] for line in lines[split]] for split in SPLITS}
    notes = [_beside_the_published(chosen)] if found.digests == SHA256 else []
    return splits, chosen.funnel(), " ".join(notes + _empty(splits))


def _empty(splits: dict[str, list[Row]]) -> list[str]:
    names = " and ".join(split for split, rows in splits.items() if not rows)
    if not names:
        return []
    return [
        f"No pair is in {names}: the rule draws a sentence with its pairs for dev and for test"
        f" with one chance in twelve each; from {ENOUGH_SENTENCES} sentences on hardly any split"
        " is empty, so build from more pairs."
    ]


def _beside_the_published(chosen: Chosen) -> str:
    """How our choice among the published pairs differs from the authors', and why."""
    lines = [line for split in published_lines().values() for line in split]
    missed = Counter(reason for line in lines if (reason := chosen.dropped.get(line)))
    kept = {row.pair.line for row in chosen.kept}
    beyond = {
        reason: len(kept.intersection(excluded))
        for reason, excluded in published_exclusions().items()
    }
    share = 1 - missed.total() / len(lines)
    ours = ", ".join(f"{reason} {count}" for (_, reason), count in missed.most_common())
    theirs = ", ".join(f"{reason} {count}" for reason, count in beyond.items())
    return (
        f"Of the {len(lines):,} published pairs {share:.1%} are kept (dropped: {ours or 'none'});"
        f" beyond them {sum(beyond.values()):,} are, which the authors left out: {theirs}."
    )


def _mark_leaks(splits: dict[str, list[Row]]) -> None:
    trained = {row["cluster"] for row in splits["train"]}
    for split, rows in splits.items():
        for row in rows:
            row["leaks"] = split != "train" and row["cluster"] in trained


def _write(split: str, rows: list[Row], folder: Path) -> SplitPairs:
    """Write the split; without rows there is no file, since `load_dataset` fails on it."""
    names = (f"{split}-00000-of-00001.parquet",) if rows else ()
    for name in names:
        table = pa.Table.from_pylist(rows, schema=SCHEMA)
        pq.write_table(table, folder / name, _ROWS_PER_GROUP, compression="zstd")
    return SplitPairs(names, **counts_of(rows))
