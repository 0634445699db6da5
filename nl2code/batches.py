"""Encoded examples and the batches made of them: pure functions of lengths, seed and epoch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

Indices = NDArray[np.int64]

_BUCKET_WIDTHS = (1, 2, 4, 8, 16, 32, 64)


class SpecialIds(Protocol):
    """What a model's config says about padding and the first token of a decoder."""

    pad_token_id: int
    decoder_start_token_id: int


@dataclass(frozen=True)
class Sequences:
    """Token sequences end to end in one array: a million of them cost no Python objects."""

    values: NDArray[np.int32]
    offsets: Indices
    """Where each sequence begins; one more than there are sequences."""

    @classmethod
    def of(cls, rows: Iterable[Sequence[int] | NDArray[np.int32]]) -> Sequences:
        """Join the rows.

        >>> Sequences.of([[5, 6], [7]]).lengths.tolist()
        [2, 1]
        """
        arrays = [np.asarray(row, dtype=np.int32) for row in rows]
        lengths = np.fromiter(map(len, arrays), dtype=np.int64, count=len(arrays))
        values = np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int32)
        return cls(values, np.concatenate(([0], np.cumsum(lengths))))

    @property
    def lengths(self) -> Indices:
        """The number of tokens of each sequence."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def select(self, rows: Indices) -> Sequences:
        """The sequences at `rows`, in that order."""
        return Sequences.of(self.rows(rows))

    def rows(self, places: Indices) -> list[NDArray[np.int32]]:
        """The sequences at these places, each an array."""
        return [self.values[self.offsets[i] : self.offsets[i + 1]] for i in places]

    def padded(self, rows: Indices, padding: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The rows as a rectangle, and where it is real.

        >>> Sequences.of([[5, 6], [7]]).padded(np.array([1, 0]), 0)[0].tolist()
        [[7, 0], [5, 6]]
        """
        lengths = self.lengths[rows]
        columns = np.arange(lengths.max())
        real = columns < lengths[:, None]
        rectangle = np.full(real.shape, padding, dtype=np.int64)
        rectangle[real] = self.values[(self.offsets[rows][:, None] + columns)[real]]
        return rectangle, real


@dataclass(frozen=True)
class Pairs:
    """What a model reads and writes: a source and a target an example."""

    sources: Sequences
    targets: Sequences

    def __len__(self) -> int:
        return len(self.sources)

    def select(self, rows: Indices) -> Pairs:
        """The pairs at `rows`, in that order."""
        return Pairs(self.sources.select(rows), self.targets.select(rows))

    def digest(self) -> str:
        """A fingerprint of every token in its place."""
        digest = hashlib.sha256()
        for part in (self.sources, self.targets):
            digest.update(part.offsets.tobytes())
            digest.update(part.values.tobytes())
        return digest.hexdigest()


def nested_subset(ids: Sequence[str], size: int | None, seed: int) -> Indices:
    """The positions of `size` ids, in order; a smaller subset lies within a larger one.

    Whether an id is in depends on the ids alone, not on the order of the rows.

    >>> nested_subset(["a", "b", "c", "d"], 2, seed=0).tolist()
    [0, 2]
    >>> nested_subset(["a", "b", "c", "d"], 3, seed=0).tolist()
    [0, 1, 2]
    """
    if size is None or size >= len(ids):
        return np.arange(len(ids))
    salt = seed.to_bytes(8, "little", signed=True)
    keys = [hashlib.blake2b(name.encode(), digest_size=8, salt=salt).digest() for name in ids]
    return np.sort(np.argsort(np.array(keys, dtype="S8"), kind="stable")[:size])


def plan_epoch(
    pairs: Pairs, batch_tokens: int, *, seed: int, epoch: int, processes: int = 1, together: int = 1
) -> list[list[Indices]]:
    """The updates of one epoch: for each the batches of all processes, which take turns.

    Each example comes once. An update has `together` batches a process; the last may have
    fewer, but the same number for each process: what is left over is cut into as many parts.
    So two processes make the updates that one process makes with twice as many batches.
    """
    random = np.random.default_rng([seed, epoch])
    batches = make_batches(pairs.sources.lengths, pairs.targets.lengths, batch_tokens, random)
    batches = [batches[place] for place in random.permutation(len(batches))]
    if left := len(batches) % processes:
        rest = np.concatenate(batches[-left:])
        # Fewer examples than processes: they sit this epoch out, and another's order is different.
        parts = np.array_split(rest, processes) if len(rest) >= processes else []
        batches[-left:] = parts
    width = processes * together
    return [batches[start : start + width] for start in range(0, len(batches), width)]


def make_batches(
    source: Indices, target: Indices, batch_tokens: int, random: np.random.Generator
) -> list[Indices]:
    """Cut the examples into batches of like lengths, at most `batch_tokens` each with padding.

    An example that is longer stands alone. Sources of nearly one length are sorted by their
    targets; how near is tried out, as it depends on how many examples there are.
    """
    noise = random.random(len(source))
    plans = []
    for width in _BUCKET_WIDTHS:
        bucket = source // width
        # Every other bucket runs backwards, so that neighbours meet with like targets.
        turning = np.where(bucket % 2 == 1, -target, target)
        order = np.lexsort((noise, source, turning, bucket))
        plans.append(_cut(order, source, target, batch_tokens))
    costs = [sum(padded_tokens(batch, source, target) for batch in plan) for plan in plans]
    return plans[int(np.argmin(costs))]


def _cut(order: Indices, source: Indices, target: Indices, batch_tokens: int) -> list[Indices]:
    batches, start, longest_source, longest_target = [], 0, 0, 0
    lengths = zip(source[order].tolist(), target[order].tolist(), strict=True)
    for end, (source_length, target_length) in enumerate(lengths):
        longest_source = max(longest_source, source_length)
        longest_target = max(longest_target, target_length)
        if end > start and (end + 1 - start) * (longest_source + longest_target) > batch_tokens:
            batches.append(order[start:end])
            start, longest_source, longest_target = end, source_length, target_length
    if start < len(order):
        batches.append(order[start:])
    return batches


def padded_tokens(batch: Indices, source: Indices, target: Indices) -> int:
    """How many places a batch takes, padding included."""
    return len(batch) * int(source[batch].max() + target[batch].max())


def collate(pairs: Pairs, rows: Indices, model: SpecialIds) -> dict[str, torch.Tensor]:
    """The tensors of one batch for `TokenLoss`; the decoder reads the target one place late."""
    pad, start = model.pad_token_id, model.decoder_start_token_id
    sources, real_sources = pairs.sources.padded(rows, pad)  # (batch, source)
    targets, real_targets = pairs.targets.padded(rows, pad)  # (batch, target)
    inputs = np.concatenate((np.full((len(rows), 1), start), targets[:, :-1]), axis=1)
    return {
        "input_ids": torch.from_numpy(sources),
        "attention_mask": torch.from_numpy(real_sources.astype(np.int64)),
        "decoder_input_ids": torch.from_numpy(inputs),
        "positions": torch.from_numpy(np.flatnonzero(real_targets)),  # (real tokens,)
        "labels": torch.from_numpy(targets[real_targets]),  # (real tokens,)
    }
