"""What the papers did: a model card says how a submission differs from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's set-up, as far as the files beside a model tell of it."""

    link: str
    task: str
    """What a model does there."""
    data: tuple[str, str]
    """What the paper's data are, and what ours are, before their digest."""
    configs: Mapping[str, str]
    """What ours are where the configuration of the dataset is known."""
    counted: str
    """The field of scores.json that is counted in a split: `rows`, or `pairs`."""
    examples: Mapping[str, int]
    """How many of them each split has."""
    train_examples: tuple[int | None, ...]
    """Of these sizes one, None for all."""
    model: str
    models: Mapping[str, Mapping[str, Any]]
    """The settings of each type of model."""
    closing: str
    """What the card's reader should know of the paper's own figures."""
    shape: Mapping[str, tuple[str, tuple[Any, ...]]] = field(default_factory=dict)
    """What may be in the input format's fields, and what they are called."""
    merges: int = 0
    """Of the vocabulary's byte pairs."""
    answers: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """How answers are searched for: settings of recipes/predict.py, and what they are called."""
    training: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """How models are trained: dotted settings of recipes/train.py, and what they are called."""
    always: tuple[tuple[str, str, str], ...] = ()
    """What differs whatever the settings: its name, the paper's, ours."""
    ours: tuple[tuple[str, str, str], ...] = ()
    """What differs in addition in each model that recipes/train.py made."""


JUICE_PAPER = Paper(
    link="[Agashe et al., 2019](https://arxiv.org/abs/1910.02216)",
    task="writes a notebook's next code cell\nfrom the cells above",
    data=("the authors' release", "rebuilt, "),
    configs={"released": "the authors' release, "},
    counted="rows",
    examples={"dev": 1744, "test": 1981},
    train_examples=(100_000, 1_518_049),
    model="LSTM or Transformer from scratch",
    models={
        "juice-lstm": {
            "embedding_size": 1024,
            "hidden_size": 1024,
            "layers": 2,
            "dropout": 0.5,
            "input_feeding": True,
        },
        "marian": {
            "d_model": 512,
            "encoder_layers": 6,
            "decoder_layers": 6,
            "encoder_attention_heads": 4,
            "encoder_ffn_dim": 1024,
        },
    },
    closing="Scores on other examples do not compare with the paper's Table 6.",
    shape={
        "context_cells": ("context cells (K)", (1, 3)),
        "context_tokens": ("tokens read of each context cell", (75,)),
        "cut_target_nl": ("target NL cut as well", (False,)),
        "target_comments_in_input": ("the target's own comments in the input", (False,)),
        "scheme": ("token scheme", ("juice",)),
    },
    merges=10_000,
    answers={
        "num_beams": ("beams", 5),
        "fill_in": ("answers go on in the given code", False),
        "only_parsing": ("answers that parse come first", False),
        "no_repeat_ngram_size": ("symbols in a run that is not written twice", 0),
    },
)
NL2BASH_PAPER = Paper(
    link="[Lin et al., 2018](https://arxiv.org/abs/1802.08979)",
    task="writes a Bash command\nfrom an English sentence",
    data=("the published pairs", ""),
    configs={
        "published": "the published pairs in their split, ",
        "rebuilt": "pairs chosen and split by our own filter and rule, ",
    },
    counted="pairs",
    examples={"dev": 609, "test": 606},
    train_examples=(8_090, None),
    model="Seq2Seq, CopyNet or Tellina, of GRUs from scratch",
    models={"juice-gru": {"hidden_size": 400, "dropout": 0.4}},
    answers={
        "num_beams": ("beams", 100),
        "length_penalty": ("length penalty", 1.0),
        "no_repeat_ngram_size": ("symbols in a run that is not written twice", 0),
    },
    training={"optim.lr": ("learning rate", 1e-4)},
    always=(
        ("normalised words", "spelling corrected", "spelling as it is"),
        ("types of arguments", "by the authors' grammar", "by our table of flags (man pages)"),
    ),
    ours=(
        ("vocabulary", "one of sentences, one of commands", "one of both"),
        ("batches", "128 pairs", "by their tokens"),
    ),
    closing="The paper's accuracy is what people judged: these scores do not stand beside it.",
)
