"""Losses as they come, and whom to blame when one is no number or they explode."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object
from torch import Tensor

from nl2code.batches import Indices
from nl2code.errors import UserError
from nl2code.jsonl import write_json
from nl2code.optimisation import BatchLoss
from nl2code.progress import Progress

EXPLODED = 3
"""So many times the loss of the beginning, or of a uniform guess: few runs come back from there."""
SHOWN = 8
"""So many ids are in the sentence; OUT/diverged.json has all of the batch."""


@dataclass(frozen=True, slots=True, order=True)
class Suspect:
    """An update that went wrong; the first one, and the most telling sign of it, sort first."""

    update: int
    rank: int
    """Of the signs: 0 is a loss, 1 a gradient."""
    said: str
    ids: tuple[str, ...]


class Watch:
    """The losses since the log's last row. They stay on the device until somebody looks."""

    def __init__(
        self,
        accelerator: Accelerator,
        progress: Progress,
        vocab_size: int,
        ids: Callable[[Indices], list[str]],
    ) -> None:
        self._accelerator, self._progress, self._ids = accelerator, progress, ids
        self._uniform = math.log(vocab_size)
        self._losses: list[tuple[int, BatchLoss]] = []
        self._norms: list[tuple[int, Tensor]] = []
        sums = progress.loss_sums or [0.0] * accelerator.num_processes
        self._sum = sums[accelerator.process_index]

    def note(self, losses: Iterable[BatchLoss], norm: Any) -> None:
        """Keep what the update just counted has given: losses, and the norm of the gradient."""
        step = self._progress.step
        self._losses += [(step, one) for one in losses]
        # With fp16 an infinite gradient is no news: the scaler leaves that update out.
        if isinstance(norm, Tensor) and self._accelerator.scaler is None:
            self._norms.append((step, norm))

    def look(self) -> float:
        """The mean loss of a target token since the log's last row; waits for the device.

        All processes call it. What a checkpoint needs of it goes into the progress.

        Raises:
            Diverged: A loss or a gradient is no number, or the mean loss has exploded.
        """
        values = _floats(one.loss for _, one in self._losses)
        for value in values:  # one by one, so that a look in between changes no bit
            self._sum += value
        seen = gather_object([(self._sum, self._broken(values))])
        self._progress.loss_sums = [loss for loss, _ in seen]
        mean = sum(self._progress.loss_sums) / max(1, self._progress.loss_tokens)
        suspects = [suspect for _, found in seen for suspect in found]
        if not suspects and mean > self.limit():
            suspects = [max(gather_object(self._worst(values)))[1]]
        if suspects:
            _blame(suspects)
        self._losses.clear()
        self._norms.clear()
        return mean

    def next_row(self, mean: float) -> None:
        """Begin another row of the log, when the last one's mean is known."""
        progress = self._progress
        progress.first_loss = mean if progress.first_loss is None else progress.first_loss
        progress.loss_sums, progress.loss_tokens, self._sum = [], 0, 0.0

    def limit(self) -> float:
        """The mean loss beyond which a run has diverged."""
        return EXPLODED * max(self._uniform, self._progress.first_loss or 0.0)

    def check_dev(self, loss: float) -> None:
        """Raise `Diverged` when the dev loss is no number or has exploded."""
        if not loss <= self.limit():  # NaN is not
            raise Diverged(self._progress.step, f"dev loss is {loss:.4g}", [])

    def _broken(self, values: list[float]) -> list[Suspect]:
        """This process's losses and gradients that are no numbers."""
        found = [
            Suspect(step, 0, f"train loss is {value}", tuple(self._ids(one.rows)))
            for (step, one), value in zip(self._losses, values, strict=True)
            if not math.isfinite(value)
        ]
        norms = _floats(norm for _, norm in self._norms)
        for (step, _), norm in zip(self._norms, norms, strict=True):
            if not math.isfinite(norm):
                rows = [one.rows for at, one in self._losses if at == step]
                ids = tuple(name for part in rows for name in self._ids(part))
                found.append(Suspect(step, 1, f"gradient's norm is {norm}", ids))
        return found

    def _worst(self, values: list[float]) -> list[tuple[float, Suspect]]:
        """This process's batch with the highest mean loss, and that loss."""
        means = [value / one.tokens for (_, one), value in zip(self._losses, values, strict=True)]
        if not means:
            return []
        highest = max(means)
        step, one = self._losses[means.index(highest)]
        said = f"train loss has grown to {highest:.4g}"
        return [(highest, Suspect(step, 0, said, tuple(self._ids(one.rows))))]


def _blame(suspects: list[Suspect]) -> NoReturn:
    first = min(suspects)
    same = [one for one in suspects if (one.update, one.rank) == (first.update, first.rank)]
    raise Diverged(first.update, first.said, [name for one in same for name in one.ids])


class Diverged(Exception):
    """Training has gone wrong at an update, whose batch holds these examples."""

    def __init__(self, update: int, said: str, ids: list[str]) -> None:
        super().__init__(f"the {said} at update {update}")
        self.update, self.ids = update, ids

    def told(self, out: Path, lr: float, *, write: bool) -> UserError:
        """The sentence for the user; with `write`, all the ids go into OUT/diverged.json."""
        path = out / "diverged.json"
        if write:
            write_json(path, {"update": self.update, "what": str(self), "ids": self.ids})
        shown = f", of the examples {', '.join(self.ids[:SHOWN])}" if self.ids else ""
        more = f" and {len(self.ids) - SHOWN} more ({path})" if len(self.ids) > SHOWN else ""
        return UserError(
            f"{out}: {self}{shown}{more}; optim.lr {lr} may be too high."
            " What was saved before is whole."
        )


def _floats(tensors: Iterable[Tensor]) -> list[float]:
    stacked = [one.detach().float() for one in tensors]
    values: list[float] = torch.stack(stacked).tolist() if stacked else []
    return values
