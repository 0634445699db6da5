"""How far a run is, and whether a limit is reached or something is due."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from accelerate import Accelerator
from accelerate.utils import broadcast_object_list

from nl2code.batches import Indices, Pairs
from nl2code.training_config import LimitsConfig, OptimConfig

Value = TypeVar("Value")


@dataclass
class Progress:
    """How far a run is. It changes with every update and lies in each checkpoint."""

    epoch: int = 0
    update: int = 0
    """Updates done in this epoch."""
    step: int = 0
    """Updates done in all."""
    seconds: float = 0.0
    """Wall-clock time of all updates, without evaluations and checkpoints."""
    looked: float = 0.0
    """`seconds` when all processes last agreed on it: what decides by the clock reads this."""
    tokens: int = 0
    """Source and target tokens read."""
    loss_sums: list[float] = dataclasses.field(default_factory=list)
    """Loss of each process since the last row of the log."""
    loss_tokens: int = 0
    """Target tokens of all processes since then."""
    first_loss: float | None = None
    """The mean of the log's first row, against which a loss explodes."""
    split: int = 1
    """Parts that each batch is computed in, for want of memory."""
    evaluated: int = -1
    """The step of the last evaluation."""
    best_loss: float = math.inf
    """The dev loss of the best model."""
    best_score: float = -math.inf
    """Its score, where one decides which model is best."""
    best_step: int = -1
    figures: dict[str, float] = dataclasses.field(default_factory=dict)
    """What the last evaluation gave."""

    def count(self, pairs: Pairs, update: list[Indices], seconds: float) -> None:
        """Note one update."""
        self.update += 1
        self.step += 1
        self.seconds += seconds
        sources, targets = (
            sum(int(part.lengths[rows].sum()) for rows in update)
            for part in (pairs.sources, pairs.targets)
        )
        self.tokens += sources + targets
        self.loss_tokens += targets

    def next_epoch(self) -> None:
        """Begin another pass over the data."""
        self.epoch += 1
        self.update = 0

    def look(self, accelerator: Accelerator) -> None:
        """Look at the main process's clock."""
        self.looked = self.seconds = from_main(accelerator, self.seconds)

    def speed(self) -> float:
        """Source and target tokens a second."""
        return self.tokens / self.seconds if self.seconds else 0.0

    def note_best(self, metric: str) -> bool:
        """Whether the model just evaluated is the best so far; the first one stays at a tie."""
        value, by_loss = self.figures[metric], metric == "dev_loss"
        better = value < self.best_loss if by_loss else value > self.best_score
        if better:
            self.best_step, self.best_loss = self.step, self.figures["dev_loss"]
            self.best_score = self.best_score if by_loss else value
        return better

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds of it."""
        return dataclasses.asdict(self)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        for name, value in state.items():
            setattr(self, name, value)


def from_main(accelerator: Accelerator, value: Value) -> Value:
    """What the main process has here, in every process."""
    values = [value]
    if accelerator.num_processes > 1:
        broadcast_object_list(values)
    return values[0]


def is_over(limits: LimitsConfig, progress: Progress) -> bool:
    """Whether a limit is reached."""
    return bool(_reached(limits, progress))


def _reached(limits: LimitsConfig, progress: Progress) -> list[str]:
    done = {
        "max_epochs": progress.epoch,
        "max_steps": progress.step,
        "max_minutes": progress.looked / 60,
    }
    given = {name: getattr(limits, name) for name in done}
    return [name for name, most in given.items() if most is not None and done[name] >= most]


def remark(limits: LimitsConfig, optim: OptimConfig, progress: Progress) -> str | None:
    """What is to be said of a run that has ended otherwise than its config reads.

    >>> optim = OptimConfig(schedule="constant", cooldown_steps=5)
    >>> remark(LimitsConfig(max_epochs=2, max_steps=9), optim, Progress(epoch=2, step=6))
    'limits.max_epochs 2 has ended it after update 6 of limits.max_steps 9, so that optim.\
cooldown_steps 5 did not bring the learning rate to zero; raise it, and the same command goes on'
    >>> remark(LimitsConfig(max_steps=9), optim, Progress(step=9)) is None
    True
    """
    for name, done in (("max_steps", progress.step), ("max_epochs", progress.epoch)):
        most = getattr(limits, name)
        if most is not None and done > most:
            return f"limits.{name} {most}: the run ended at {done} before, beyond it; it stays so"
    last = limits.max_steps
    if not optim.cooldown_steps or last is None or progress.step >= last:
        return None
    ended = " and ".join(
        f"limits.{name} {getattr(limits, name)}" for name in _reached(limits, progress)
    )
    return (
        f"{ended} has ended it after update {progress.step} of limits.max_steps {last}, so that"
        f" optim.cooldown_steps {optim.cooldown_steps} did not bring the learning rate to zero;"
        " raise it, and the same command goes on"
    )


def crosses(before: float, after: float, every: float | None, unit: int = 1) -> bool:
    """Whether a multiple of `every` units lies in (before, after].

    >>> crosses(59, 61, 1, unit=60), crosses(61, 62, 1, unit=60), crosses(1, 2, None)
    (True, False, False)
    """
    return every is not None and before // (every * unit) < after // (every * unit)
