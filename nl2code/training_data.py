"""The examples that a training run reads: encoded once, the too long ones dropped or cut."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from datasets import Dataset
from transformers import PreTrainedTokenizerFast

from nl2code.batches import Indices, Pairs, nested_subset
from nl2code.dataset import read_split
from nl2code.encoding import encode
from nl2code.errors import UserError
from nl2code.linearisation import linearise, source_columns, target_column, target_text
from nl2code.predictions import columns_of, digest_of
from nl2code.training_config import TrainConfig


@dataclass(frozen=True, slots=True)
class Watched:
    """An example of dev whose answers are looked at."""

    id: str
    nl: str
    source: str
    """The linearised context, whole."""
    reference: str


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Train and dev as pairs of token ids, and the examples of dev to answer."""

    train: Pairs
    train_rows: Dataset
    """The ids of the pairs of train, on disk: they are looked up when something goes wrong."""
    dev: Pairs
    watched: list[Watched]
    watched_pairs: Pairs
    facts: dict[str, str]
    """What a run must find again when it goes on: sizes and digests."""
    digest: str
    """What tells two datasets of one name apart."""

    def ids(self, rows: Indices) -> list[str]:
        """The ids of train at these places."""
        names: list[str] = list(self.train_rows.select(rows)["id"])
        return names


def read_training_data(
    config: TrainConfig, tokenizer: PreTrainedTokenizerFast, main: bool
) -> TrainingData:
    """Read and encode train and dev.

    Dev keeps every example, cut if need be, so that runs with different inputs compare.

    Args:
        config: Names the dataset, its splits, the number of examples and their longest lengths.
        tokenizer: Makes the token ids.
        main: Whether to say on stderr how many examples there are.

    Raises:
        UserError: No such dataset, split or column; or nothing is left of a split.
    """
    data = config.data
    rows, dev_rows = (_rows(config, split) for split in (data.train_split, data.dev_split))
    chosen = rows.select(nested_subset(rows["id"], data.train_examples, config.seed))
    train, kept, said = _short_enough(config, tokenizer, chosen)
    if main:
        asked = data.train_examples or "all"
        counts = f"{len(kept)} examples of {len(rows)} ({asked} asked for)"
        print(f"{data.train_split}: {counts}, {said}", file=sys.stderr)
    dev, _ = encode(dev_rows, tokenizer, config.format, _longest(config), data.workers)
    watched = nested_subset(dev_rows["id"], config.eval.examples, config.seed)
    digests = {"train": train.digest(), "dev": dev.digest()}
    return TrainingData(
        train=train,
        train_rows=chosen.select_columns("id").select(kept),
        dev=dev,
        watched=[_watched(row, config) for row in dev_rows.select(watched)],
        watched_pairs=dev.select(watched),
        facts={
            "train": f"{len(train)} examples with the digest {digests['train'][:16]}",
            "dev": f"{len(dev)} examples with the digest {digests['dev'][:16]}",
        },
        digest=digest_of(data.path, digests),
    )


def _rows(config: TrainConfig, split: str) -> Any:
    data = config.data
    columns = ["id", *source_columns(config.format), target_column(config.format)]
    rows = read_split(data.path, split)
    rows = columns_of(rows, columns, data.path, "data.path", task_option="format.task")
    if not len(rows):
        raise UserError(f"data.path {data.path}: the split {split!r} has no examples")
    return rows


def _longest(config: TrainConfig) -> tuple[int, int]:
    return config.data.max_source_tokens, config.data.max_target_tokens


def _short_enough(
    config: TrainConfig, tokenizer: PreTrainedTokenizerFast, rows: Dataset
) -> tuple[Pairs, Indices, str]:
    """The pairs that are learnt from, their places, and what is to be said of the others."""
    data, longest = config.data, _longest(config)
    pairs, lengths = encode(rows, tokenizer, config.format, longest, data.workers)
    long_source, long_target = (lengths > longest).T
    kept = (~long_target & (~long_source | (data.long_sources == "cut"))).nonzero()[0]
    if not len(kept):
        raise UserError(
            f"data.path {data.path}: no example of {data.train_split} is short enough for"
            f" data.max_source_tokens {longest[0]} and data.max_target_tokens {longest[1]}"
        )
    said = (
        f"{long_target.sum()} dropped for a target of more than {longest[1]} tokens,"
        f" {long_source.sum()} sources too long: {data.long_sources}"
    )
    return pairs.select(kept), kept, said


def _watched(row: dict[str, Any], config: TrainConfig) -> Watched:
    fmt = config.format
    source, reference = linearise(row, fmt), target_text(row, fmt)
    return Watched(row["id"], row.get("nl_original") or source, source, reference)
