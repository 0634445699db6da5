"""Which repository, notebook or assignment goes to which split: drawn by hash, with a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

SPLITS = ("train", "dev", "test")
HELD_OUT_SHARE = 0.1
"""The share of the repositories that dev takes, and test as well."""

Unit = Literal["auto", "curated", "repositories", "notebooks"]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What dev and test are made of."""

    unit: Unit = "auto"
    """Curated problems, or whole repositories or notebooks of distant supervision; `auto`: the
    first where there are any, else the second where there are enough for three splits, else the
    third.
    """
    seed: int = 0
    min_repositories: int = 2
    """Other repositories that must hold an exercise's solution too (curated)."""

    def options(self) -> dict[str, Any]:
        """What the card says of it."""
        if self.unit != "curated":
            return {"dev_test": self.unit, "seed": self.seed}
        return {
            "dev_test": self.unit,
            "seed": self.seed,
            "min_repositories": self.min_repositories,
        }


def halves(sizes: dict[str, int], seed: int) -> dict[str, str]:
    """Return the split, dev or test, of each assignment; drawn by hash, nearly equal in problems.

    One assignment alone is test: without dev a model can be scored, without test it cannot.

    >>> halves({"a": 3, "b": 1, "c": 2}, seed=0)
    {'c': 'dev', 'a': 'test', 'b': 'dev'}
    >>> halves({"a": 3}, seed=0)
    {'a': 'test'}
    """
    if len(sizes) == 1:
        return dict.fromkeys(sizes, "test")
    filled = {"dev": 0, "test": 0}
    splits = {}
    for name in _drawn(sizes, seed):
        splits[name] = min(filled, key=lambda split: filled[split])
        filled[splits[name]] += sizes[name]
    return splits


def _drawn(names: Iterable[str], seed: int) -> list[str]:
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed}\0{name}".encode()).digest())


def split_by_name(names: list[str], held_out: HeldOut) -> dict[str, str]:
    """Return the split of each name: drawn by hash, so that a seed always gives the same.

    There are at least three, one for each split: `settle` has seen to that.
    """
    drawn = _drawn(names, held_out.seed)
    size = max(1, round(HELD_OUT_SHARE * len(drawn)))
    parts = {"test": drawn[:size], "dev": drawn[size : 2 * size], "train": drawn[2 * size :]}
    return {name: split for split, part in parts.items() for name in part}
