"""What the sides of benchmarks/train.py share: the data, batches, and windows of CPU time."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

PAD, START, END = 0, 1, 2


@dataclass(frozen=True)
class Side:
    """What a side is asked to train, and on what."""

    model: str
    """transformer, lstm or lstm-feeding."""
    variant: str
    """A way of the side's own to do it, as `bf16`; or empty."""
    batch_tokens: int
    seconds: float
    """The least CPU time of a window."""
    vocabulary: int
    sources: list[np.ndarray]
    """Token ids, `END` at the end."""
    targets: list[np.ndarray]

    @property
    def lengths(self) -> np.ndarray:
        """(example, 2): of the source and of the target."""
        return np.array([[len(s), len(t)] for s, t in zip(self.sources, self.targets, strict=True)])


def read_side() -> Side:
    """The command line of a side: MODEL DATA --variant NAME --batch_tokens N --seconds S."""
    parser = ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("data", type=Path)
    parser.add_argument("--variant", default="")
    parser.add_argument("--batch_tokens", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=1.0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    with np.load(given.data) as file:
        rows = {
            name: np.split(file[name], file[f"{name}_ends"][:-1]) for name in ("sources", "targets")
        }
        vocabulary = int(file["vocabulary"])
    asked = (given.model, given.variant, given.batch_tokens, given.seconds)
    return Side(*asked, vocabulary, **rows)


class Windows:
    """Update after update is let through while a window is open; its figures go to stdout."""

    def __init__(self, side: Side, plan: list[np.ndarray] | None = None) -> None:
        self.seconds = side.seconds
        self.plan = np.sum([counts(side, rows) for rows in plan], axis=0).tolist() if plan else None
        # Whatever else is printed, by libraries too, must not mix with the figures.
        self.out, sys.stdout = sys.stdout, sys.stderr
        self._wait()

    def done(self, tokens: int, places: int) -> None:
        """An update is made of so many real tokens, in so many places; wait at a window's end."""
        self.tokens += int(tokens)
        self.places += int(places)
        cpu = time.process_time() - self.started
        if cpu >= self.seconds:
            figures = {"tokens": self.tokens, "places": self.places, "cpu": cpu, "plan": self.plan}
            print(json.dumps(figures), file=self.out, flush=True)
            self._wait()

    def _wait(self) -> None:
        if not sys.stdin.readline():
            sys.exit(0)
        self.tokens, self.places = 0, 0
        self.started = time.process_time()


def rectangle(rows: list[np.ndarray]) -> torch.Tensor:
    """The rows, padded to the longest."""
    longest = max(map(len, rows))
    padded = [np.pad(row, (0, longest - len(row)), constant_values=PAD) for row in rows]
    return torch.from_numpy(np.stack(padded).astype(np.int64))


def sorted_batches(side: Side) -> list[np.ndarray]:
    """The examples sorted by (source, target), cut at the budget of places, then spread."""
    lengths, batches, rows = side.lengths, [], []
    longest = np.zeros(2, dtype=int)
    for row in np.lexsort((lengths[:, 1], lengths[:, 0])):
        grown = np.maximum(longest, lengths[row])
        if rows and (len(rows) + 1) * grown.sum() > side.batch_tokens:
            batches.append(np.array(rows))
            rows, grown = [], lengths[row]
        rows.append(row)
        longest = grown
    batches.append(np.array(rows))
    return spread(batches, side)


def spread(batches: list[np.ndarray], side: Side) -> list[np.ndarray]:
    """The batches in an order in which any few that follow each other are of all lengths.

    By chance alone a window would see long sequences only, which are slower for an LSTM, and
    another side's window short ones.
    """
    lengths = [np.mean([len(side.sources[row]) for row in rows]) for rows in batches]
    by_length = np.argsort(lengths, kind="stable")
    steps = np.arange(len(batches)) * (5**0.5 - 1) / 2 % 1  # of the golden ratio, in a circle
    return [batches[place] for place in by_length[np.argsort(np.argsort(steps))]]


def random_batches(side: Side) -> list[np.ndarray]:
    """Batches of the number of examples that fills the budget in the mean, in random order."""
    size = max(1, int(side.batch_tokens / side.lengths.sum(1).mean()))
    order = np.random.default_rng(1).permutation(len(side.sources))
    return np.array_split(order, len(order) // size)


def counts(side: Side, rows: np.ndarray) -> tuple[int, int]:
    """The real tokens of a batch, and its places, with padding to the longest."""
    lengths = np.array([(len(side.sources[row]), len(side.targets[row])) for row in rows])
    return int(lengths.sum()), int(len(rows) * lengths.max(0).sum())
