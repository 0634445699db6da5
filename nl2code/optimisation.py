"""Adam, its learning rate, and the gradient of one update."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import send_to_device
from torch import Tensor
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau
from transformers import get_constant_schedule_with_warmup, get_inverse_sqrt_schedule

from nl2code.batches import Indices, Pairs, collate
from nl2code.training import TokenLoss
from nl2code.training_config import OptimConfig


def make_optimizer(model: TokenLoss, config: OptimConfig) -> AdamW:
    """Adam with decoupled weight decay."""
    return AdamW(
        model.parameters(),
        lr=config.lr,
        betas=config.betas,
        weight_decay=config.weight_decay,
        fused=True,
    )


def make_schedule(optimizer: Any, config: OptimConfig, max_steps: int | None = None) -> Any:
    """The learning rate's schedule; stepped by updates, or with plateau by evaluations.

    With `cooldown_steps` the rate falls to zero before update `max_steps` (Zhai et al., Scaling
    Vision Transformers, section 3.5): a run of any length can end so, and takes less for it than
    for going on at its rate.
    """
    if config.schedule == "plateau":
        return ReduceLROnPlateau(optimizer, factor=0.5, patience=config.patience)
    if config.schedule == "inverse_sqrt":
        schedule = get_inverse_sqrt_schedule(optimizer, max(1, config.warmup_steps))
    else:
        schedule = get_constant_schedule_with_warmup(optimizer, config.warmup_steps)
    if not config.cooldown_steps or max_steps is None:
        return schedule
    (before,) = schedule.lr_lambdas
    last, steps = max_steps, config.cooldown_steps
    return LambdaLR(optimizer, lambda step: before(step) * max(0, min(1, (last - step) / steps)))


@dataclass(frozen=True, slots=True)
class BatchLoss:
    """The summed loss of one batch or part of one, on the device until someone looks."""

    rows: Indices
    tokens: int
    """Target tokens, for the mean."""
    loss: Tensor  # ()


def accumulate_gradient(
    accelerator: Accelerator, model: Any, pairs: Pairs, update: list[Indices], parts: int = 1
) -> list[BatchLoss]:
    """Add the gradient of the update's mean token loss to the parameters.

    Args:
        accelerator: Its processes take turns with the batches.
        model: The prepared `TokenLoss`.
        pairs: What the batches are made of.
        update: The batches of all processes.
        parts: Each batch is computed in so many parts; the gradient is the same to float error.

    Returns:
        The losses of this process's batches, or parts of batches.
    """
    lengths = pairs.targets.lengths
    # Every process knows the whole plan, so none has to ask how many tokens there are.
    tokens = sum(int(lengths[rows].sum()) for rows in update)
    special = accelerator.unwrap_model(model).model.config
    mine = update[accelerator.process_index :: accelerator.num_processes]
    cut = [part for rows in mine for part in cut_batch(rows, parts)]
    losses = []
    for number, rows in enumerate(cut, 1):
        batch = to_device(collate(pairs, rows, special), accelerator.device)
        with accelerator.no_sync(model) if number < len(cut) else nullcontext():
            loss = model(**batch)
            # DDP takes the mean over the processes where the sum is meant.
            accelerator.backward(loss * (accelerator.num_processes / tokens))
        losses.append(BatchLoss(rows, int(lengths[rows].sum()), loss.detach()))
    return losses


def to_device(batch: dict[str, Tensor], device: torch.device) -> Any:
    """The batch on the device; a GPU fetches it while it still works on what came before.

    Only from pinned memory: a copy of pageable memory waits for all that is queued.
    """
    if device.type == "cuda":
        batch = {name: tensor.pin_memory() for name, tensor in batch.items()}
    return send_to_device(batch, device, non_blocking=True)


def cut_batch(rows: Indices, parts: int) -> Iterator[Indices]:
    """The batch in so many parts of like size, or one example a part if there are not so many.

    >>> [part.tolist() for part in cut_batch(np.array([7, 8, 9]), 2)]
    [[7, 8], [9]]
    """
    yield from np.array_split(rows, min(parts, len(rows)))
