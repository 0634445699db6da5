"""How far a run is, and the log of its figures."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list
from torch.utils.tensorboard import SummaryWriter

from nl2code.batches import Indices, Pairs
from nl2code.jsonl import read_jsonl, write_jsonl

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
    loss_sum: float = 0.0
    """Loss of all processes since the last row of the log."""
    loss_tokens: int = 0
    """Target tokens since then."""
    evaluated: int = -1
    """The step of the last evaluation."""
    best_loss: float = math.inf
    best_step: int = -1
    figures: dict[str, float] = dataclasses.field(default_factory=dict)
    """What the last evaluation gave."""

    def count(self, pairs: Pairs, update: list[Indices], seconds: float) -> None:
        """Note one update."""
        self.update += 1
        self.step += 1
        self.seconds += seconds
        for part in (pairs.sources, pairs.targets):
            self.tokens += sum(int(part.lengths[rows].sum()) for rows in update)

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


def open_log(
    accelerator: Accelerator, out: Path, progress: Progress
) -> Callable[[Mapping[str, float]], None]:
    """What writes a row of figures to OUT/log.jsonl and to TensorBoard, in the main process.

    What a killed run logged after its last checkpoint is dropped: it will be logged again.
    """
    if not accelerator.is_main_process:
        return lambda figures: None
    path = out / "log.jsonl"
    if path.is_file():
        write_jsonl(path, [row for row in read_jsonl(path) if row["step"] <= progress.step])
    board = SummaryWriter(str(out / "tensorboard"), purge_step=progress.step + 1)

    def log(figures: Mapping[str, float]) -> None:
        row = {"step": progress.step, "epoch": progress.epoch, "seconds": progress.seconds}
        with path.open("ab") as file:
            file.write(orjson.dumps({**row, **figures}, option=orjson.OPT_APPEND_NEWLINE))
        for name, value in figures.items():
            board.add_scalar(name, value, progress.step)
        board.flush()  # otherwise a kill takes the last two minutes with it

    return log
