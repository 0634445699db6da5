"""Which pair goes to train, dev or test: as published, or by the paper's rule (section 2)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from nl2code.corpus.held_out import SPLITS

SEED = 100
"""The authors' seed."""
_HELD_OUT = {10: "dev", 11: "test"}


@cache
def _published() -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(
        files("nl2code.corpus.nl2bash").joinpath("published.json").read_bytes()
    )
    return found


def published_lines() -> dict[str, list[int]]:
    """The line numbers of each split, in the published order."""
    lines: dict[str, list[int]] = _published()["splits"]
    return lines


def published_exclusions() -> dict[str, list[int]]:
    """The line numbers that were left out, by reason."""
    excluded: dict[str, list[int]] = _published()["excluded"]
    return excluded


def published_utilities() -> list[str]:
    """The 102 utilities, the most frequent first."""
    utilities: list[str] = _published()["utilities"]
    return utilities


@dataclass(frozen=True, slots=True)
class Keys:
    """What the split goes by."""

    line: int
    cluster: str
    """The normalised NL."""
    command: str


def split_by_rule(rows: Iterable[Keys], seed: int = SEED) -> dict[str, list[int]]:
    """The line numbers of each split, by cluster and line.

    Each cluster is drawn into train (10 of 12), dev or test. Then the pairs whose very command
    stands in train move there.
    """
    ordered = sorted(rows, key=lambda row: (row.cluster, row.line))
    drawn = _draw(sorted({row.cluster for row in ordered}), seed)
    trained = {row.command for row in ordered if drawn[row.cluster] == "train"}
    splits: dict[str, list[int]] = {split: [] for split in SPLITS}
    for row in ordered:
        split = "train" if row.command in trained else drawn[row.cluster]
        splits[split].append(row.line)
    return splits


def _draw(clusters: Sequence[str], seed: int) -> dict[str, str]:
    generator = random.Random(seed)
    return {key: _HELD_OUT.get(generator.randint(0, 11), "train") for key in clusters}
