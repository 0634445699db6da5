"""A run's curves as a PNG: losses, scores, learning rate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nl2code.jsonl import writing

_NOT_SCORES = {"step", "epoch", "seconds", "train_loss", "dev_loss", "lr", "tokens_per_second"}

Rows = Sequence[dict[str, Any]]


def draw_curves(path: Path, rows: Rows) -> None:
    """Draw what the rows of a log say over the updates; the same rows give the same bytes."""
    scores = sorted({name for row in rows if "dev_loss" in row for name in row} - _NOT_SCORES)
    # On top of "default": a user's own style must not change the picture.
    with style.context(["default", {"axes.grid": True, "grid.alpha": 0.3, "font.size": 9}]):
        figure = Figure(figsize=(7, 8), layout="constrained")
        losses, answers, rate = figure.subplots(3, 1, sharex=True)
        _draw(losses, rows, ["train_loss", "dev_loss"], "loss a target token, nats")
        _draw(answers, rows, scores, "greedy answers, fraction")
        _draw(rate, rows, ["lr"], "learning rate")
        rate.set_xlabel("update")
        with writing(path) as aside, aside.open("wb") as file:
            figure.savefig(file, format="png", dpi=110, metadata={"Software": None})


def _draw(axes: Axes, rows: Rows, names: Sequence[str], label: str) -> None:
    for name in names:
        points = [(row["step"], row[name]) for row in rows if row.get(name) is not None]
        if points:
            few = "o" if len(points) < 20 else ""
            axes.plot(*zip(*points, strict=True), marker=few, markersize=3, label=name)
    axes.set_ylabel(label)
    if axes.lines:
        axes.legend(frameon=False)
