"""The settings of recipes/train.py."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from transformers import PreTrainedConfig

from nl2code.config import ENDLESS
from nl2code.errors import UserError
from nl2code.linearisation import MARKERS, STRUCTURE, InputFormat
from nl2code.models import ModelConfig, pretrained_name


@dataclass(frozen=True)
class DataConfig:
    """What to train on."""

    path: str = "juice"
    """The built folder, or the name of a dataset."""
    train_split: str = "train"
    """The split to learn from."""
    dev_split: str = "dev"
    """The split to evaluate on."""
    train_examples: int | None = None
    """N: how many train examples, all by default; the smaller sets lie within the larger ones."""
    max_source_tokens: int = 250
    """Longest source, in BPE tokens."""
    max_target_tokens: int = 250
    """Longest target, in BPE tokens; longer ones leave train, and are counted."""
    long_sources: Literal["cut", "drop"] = "cut"
    """Cut a longer source at its far end, or drop the example as the paper's trainer did."""
    workers: int = 1
    """Processes that tokenize."""


@dataclass(frozen=True)
class OptimConfig:
    """How to learn."""

    lr: float = 1e-3
    """The highest learning rate."""
    schedule: Literal["plateau", "inverse_sqrt", "constant"] = "plateau"
    """Halve the rate when the dev loss stalls; or warm up, then decay or stay."""
    patience: int = 0
    """Plateau: evaluations without a better dev loss that are forgiven."""
    warmup_steps: int = 0
    """Updates of linear warm-up; not with plateau."""
    cooldown_steps: int = 0
    """Updates before limits.max_steps over which the rate falls to zero; not with plateau."""
    betas: tuple[float, float] = (0.9, 0.98)
    """Adam's decay rates."""
    weight_decay: float = 0.0
    """Decoupled weight decay."""
    clip_norm: float = field(default=5.0, metadata=ENDLESS)
    """Largest norm of the gradient; .inf for any."""
    label_smoothing: float = 0.0
    """Probability that the loss moves away from the reference."""
    batch_tokens: int = 12_000
    """Most tokens in a batch, source and target, padding included."""
    accumulate: int = 1
    """Batches a process in one update."""
    split: int = 1
    """Compute each batch in so many parts, to save memory; the updates stay the same."""


@dataclass(frozen=True)
class EvalConfig:
    """When and on what to evaluate; the end of the run always is a time for it."""

    epochs: int | None = 1
    """Evaluate after so many epochs."""
    steps: int | None = None
    """Evaluate after so many updates, too."""
    minutes: float | None = None
    """Evaluate after so many minutes of training, too."""
    examples: int = 200
    """Dev examples to answer greedily; the dev loss is always over all of dev."""
    metric_for_best_model: str = "dev_loss"
    """What decides which model OUT/best is: the dev loss, or a score of the greedy answers, such as
    bleu_nltk3 or, of Bash, char_bleu. The learning rate of `plateau` follows the dev loss."""
    max_new_tokens: int = 150
    """Longest answer, in BPE tokens."""


@dataclass(frozen=True)
class LimitsConfig:
    """When to stop: at whichever comes first."""

    max_epochs: int = 40
    """Passes over the data."""
    max_steps: int | None = None
    """Updates."""
    max_minutes: float | None = None
    """Minutes of training, evaluation aside, over all resumptions."""


@dataclass(frozen=True)
class TrainConfig:
    """Train a model on the splits train and dev."""

    out: Path
    """The run's folder."""
    tokenizer: str | None = None
    """The tokenizer's folder or name (tokenizer/juice-10k, or the pretrained model's own)."""
    data: DataConfig = field(default_factory=DataConfig)
    """What to train on."""
    format: InputFormat = field(default_factory=InputFormat)
    """What the model reads and writes."""
    model: ModelConfig = field(default_factory=ModelConfig)
    """Which model."""
    optim: OptimConfig = field(default_factory=OptimConfig)
    """How to learn."""
    eval: EvalConfig = field(default_factory=EvalConfig)
    """When and on what to evaluate."""
    limits: LimitsConfig = field(default_factory=LimitsConfig)
    """When to stop."""
    save_steps: int | None = None
    """Write OUT/last after so many updates; it is always written after an evaluation."""
    save_minutes: float = 10.0
    """Write OUT/last after so many minutes of training."""
    log_steps: int = 20
    """Log the train loss, and look at the clock, after so many updates."""
    trackers: list[Literal["tensorboard", "trackio"]] = field(
        default_factory=lambda: ["tensorboard"]
    )
    """Where the log goes, OUT/log.jsonl aside; trackio keeps it on this machine."""
    resume: bool = True
    """Go on with the run in OUT, if there is one."""
    seed: int = 1
    """Decides the weights, dropout, the subset and the order of the batches."""
    num_threads: int | None = None
    """CPU threads of a process; another number gives slightly different weights."""


def tokenizer_name(config: TrainConfig) -> str:
    """The folder or name of the tokenizer to train with."""
    if config.tokenizer is not None:
        return config.tokenizer
    own = config.model.type == "pretrained"
    return pretrained_name(config.model) if own else "tokenizer/juice-10k"


MAY_BE_ZERO = {"chosen_cells", "patience", "warmup_steps", "cooldown_steps", "weight_decay"}
MAY_BE_ZERO |= {"label_smoothing"}
AT_LEAST_TWO = {"max_source_tokens", "max_target_tokens"}  # a token and `</s>`


def check_numbers(config: TrainConfig) -> None:
    """Raise a `UserError` when a number is too small or too large."""
    for section in ("data", "format", "optim", "eval", "limits"):
        for name, value in vars(getattr(config, section)).items():
            check_number(f"{section}.{name}", value, least_of(name))
    for name in ("save_steps", "save_minutes", "log_steps", "num_threads"):
        check_number(name, getattr(config, name), least_of(name))
    check_number("seed", config.seed, 0, below=2**32)  # NumPy takes no other
    check_number("optim.label_smoothing", config.optim.label_smoothing, 0, below=1)
    for rate in config.optim.betas:
        check_number("optim.betas", rate, 0, below=1)
    if not config.data.path:
        raise UserError("data.path: '' names no dataset")
    check_cooldown(config.optim, config.limits.max_steps)


def dev_score_names(fmt: InputFormat) -> tuple[str, ...]:
    """The scores of an evaluation's greedy answers, each the higher the better."""
    if fmt.of_templates:
        return ("template_match",)
    return {
        "code": ("exact_match", "bleu_nltk3"),
        "api": ("precision", "recall"),
        "bash": ("command_match", "template_match", "char_bleu"),
    }[fmt.task]


def check_best(config: TrainConfig) -> None:
    """Raise a `UserError` when an evaluation does not give what is to decide."""
    names = ("dev_loss", *dev_score_names(config.format))
    if config.eval.metric_for_best_model not in names:
        raise UserError(
            f"eval.metric_for_best_model: {config.eval.metric_for_best_model} is no figure of this"
            f" task's evaluations, which are {', '.join(names)}"
        )


def check_cooldown(optim: OptimConfig, max_steps: int | None) -> None:
    """Raise a `UserError` when the rate is to fall at no known time, or in no way."""
    asked = f"optim.cooldown_steps: {optim.cooldown_steps}"
    if optim.cooldown_steps and optim.schedule == "plateau":
        raise UserError(f"{asked} means nothing with optim.schedule plateau")
    if optim.cooldown_steps > (max_steps or 0):
        raise UserError(f"{asked} updates before the last one; limits.max_steps is {max_steps}")


def least_of(name: str) -> float:
    """The least that this setting may be."""
    if name in MAY_BE_ZERO:
        return 0
    return 2 if name in AT_LEAST_TWO else sys.float_info.min


def check_number(name: str, value: object, least: float, below: float = math.inf) -> None:
    """Raise a `UserError` unless `value` is within its bounds; what is no number passes."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if value < least:
        raise UserError(f"{name}: {value} is too small")
    if value >= below:
        raise UserError(f"{name}: {value} is too large; it must be below {below}")


def check_positions(config: TrainConfig, model: PreTrainedConfig) -> None:
    """Raise a `UserError` when a text may be longer than the model's table of positions."""
    places = getattr(model, "max_position_embeddings", None)
    longest = {
        "data.max_source_tokens": config.data.max_source_tokens,
        "data.max_target_tokens": config.data.max_target_tokens,
        "eval.max_new_tokens": config.eval.max_new_tokens,
    }
    for name, length in longest.items():
        room = None if places is None else places - (name == "eval.max_new_tokens")  # the start
        if room is not None and length > room:
            raise UserError(f"{name}: {length} tokens, but the model has positions for {room} only")


def check_markers(config: TrainConfig, vocabulary: Collection[str]) -> None:
    """Raise a `UserError` when the tokenizer was trained on other markers than the input has.

    A pretrained model never saw ours, so its tokenizer reads them as text.
    """
    if config.model.type == "pretrained":
        return
    markers = [*MARKERS.values(), *(f" {name}" for name in STRUCTURE)]
    if lacking := [marker.strip() for marker in markers if marker not in vocabulary]:
        raise UserError(
            f"tokenizer {tokenizer_name(config)}: it was trained on other markers and lacks"
            f" {', '.join(lacking)}; tokenizer/train.py makes one that has them"
        )
