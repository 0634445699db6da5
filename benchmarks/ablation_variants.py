"""The systems of benchmarks/ablations.py, and where their files lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Variant:
    """A system to train, and how it answers."""

    name: str
    """What the table calls it."""
    run: str
    """The folder of its trainings; variants that share it differ in how they answer only."""
    options: str = ""
    """What its training changes of the config."""
    config: str | None = None
    """Another config than that of all."""
    answering: str = "--fill_in true --no_repeat_ngram_size 8 --length_penalty 1.1"
    """How it answers."""
    also: str | None = None
    """The baseline that answers where the model finds it likelier."""


VARIANTS = (
    Variant("best", "best"),
    Variant(
        "only what parses",
        "best",
        answering="--fill_in true --no_repeat_ngram_size 8 --length_penalty 1.1"
        " --only_parsing true",
    ),
    Variant("not filled in", "best", answering="--no_repeat_ngram_size 8 --length_penalty 1.1"),
    Variant("shorter answers", "best", answering="--fill_in true --no_repeat_ngram_size 8"),
    Variant("with the inside of Ret-Context's", "best", also="ret-context-filled"),
    Variant("free to repeat itself", "best", answering="--fill_in true --length_penalty 1.1"),
    Variant("without copying", "no-copying", "--model.copy_heads 0"),
    Variant("copying without matches", "no-matches", "--model.copy_matches 0"),
    Variant(
        "the 5 nearest cells, none chosen",
        "nearest-5",
        "--format.context_cells 5 --format.chosen_cells 0",
    ),
    Variant("the 3 nearest cells, none chosen", "nearest-3", "--format.chosen_cells 0"),
    Variant("the paper's LSTM, small", "lstm", config="lstm-small-k3", answering=""),
    Variant("the same, answering as best does", "lstm", config="lstm-small-k3"),
)

BASELINES = {
    "Ret-Context, 12 cells": ("ret-context", "--method ret-context --context_cells 12"),
    "the same, filled in": (
        "ret-context-filled",
        "--method ret-context --context_cells 12 --fill_in true",
    ),
}
"""The file of each and how it is made: retrieval, which copies a whole cell."""


def place(out: Path, variant: Variant, seed: int) -> Path:
    """The folder of a training."""
    return out / f"{variant.run}-{seed}"


def answers(out: Path, variant: Variant, seed: int, split: str) -> Path:
    """The predictions of a variant."""
    words = [*variant.answering.split(), *["also", variant.also] * bool(variant.also)]
    kind = "".join(f".{word.strip('-')}" for word in words if word)
    return place(out, variant, seed) / f"{split}{kind}.jsonl"


def baseline(out: Path, name: str, split: str) -> Path:
    """The predictions of a baseline."""
    return out / f"{name}.{split}.jsonl"


def scores(predictions: Path) -> Path:
    """The scores of predictions, beside them."""
    return predictions.with_suffix(".scores.json")
