"""Luong's input feeding over a whole target: all steps, and their gradient, as one function.

Autograd would add a gradient as large as the weight at every step. Here a step backwards computes
only what the step before it waits for; the gradients of the weights and of the memory wait for
nothing, and are one product over all steps each.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .lstm_gradients import Gradients
from .lstm_steps import Steps, Weights, go_through, room_for


def run_steps(
    gates: Tensor,
    hidden: Tensor,
    cell: Tensor,
    feed: Tensor,
    memory: Tensor,
    masked: Tensor,
    keep: Tensor | None,
    weights: Weights,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the outputs (batch, target, hidden), and the hidden and cell state after the last.

    Args:
        gates: What the embeddings add to the first layer's gates (batch, target, 4 * hidden).
        hidden: Before the first step (layers, batch, hidden).
        cell: The same.
        feed: The output before the first step (batch, hidden).
        memory: (batch, source, hidden)
        masked: (batch, 1, source), true where the memory is padding.
        keep: Dropout's factors (target, layers, batch, hidden); the last layer's are the output's.
        weights: Of the layers and the attention.
    """
    if torch.is_autocast_enabled(memory.device.type):
        lower = torch.get_autocast_dtype(memory.device.type)
        gates, hidden, feed, memory = (x.to(lower) for x in (gates, hidden, feed, memory))
        weights = _cast(weights, lower)
    size = len(weights.layers)
    outputs, hidden, cell = _Steps.apply(  # type: ignore[no-untyped-call]
        gates, hidden, cell, feed, memory, masked, keep, size, *weights.layers, *weights.biases,
        weights.score, weights.combine,
    )  # fmt: skip
    return outputs, hidden, cell


def _cast(weights: Weights, dtype: torch.dtype) -> Weights:
    layers, biases = (
        tuple(weight.to(dtype) for weight in group) for group in (weights.layers, weights.biases)
    )
    return Weights(layers, biases, weights.score.to(dtype), weights.combine.to(dtype))


class _Steps(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        gates: Tensor,
        hidden: Tensor,
        cell: Tensor,
        feed: Tensor,
        memory: Tensor,
        masked: Tensor,
        keep: Tensor | None,
        size: int,
        *flat: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        weights, steps = _group(size, flat), room_for(gates, memory, size)
        hidden = go_through(gates, hidden, cell, feed, memory, masked, keep, weights, steps)
        outputs = steps.outputs if keep is None else steps.outputs * keep[:, -1]
        filled = [getattr(steps, field.name) for field in fields(steps)]
        ctx.save_for_backward(memory, keep, *filled, *flat)
        return outputs.transpose(0, 1), hidden, steps.cells[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, d_outputs: Tensor, d_hidden: Tensor, d_cell: Tensor
    ) -> tuple[Tensor | None, ...]:
        memory, keep, *rest = ctx.saved_tensors
        filled = len(fields(Steps))
        steps, weights = Steps(*rest[:filled]), _group(rest[0].size(1), tuple(rest[filled:]))
        found = Gradients(steps, d_hidden, d_cell)
        found.go_back(d_outputs.transpose(0, 1), memory, keep, weights)
        of_gates = found.gates[:, 0].transpose(0, 1)
        states = torch.stack(found.hidden), torch.stack(found.cell), found.feed
        return (of_gates, *states, found.memory(), None, None, None, *found.weights())


def _group(size: int, flat: tuple[Tensor, ...]) -> Weights:
    return Weights(flat[:size], flat[size:-2], flat[-2], flat[-1])
