"""The decoder's steps with input feeding, and what is kept of them for the way back."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Weights:
    """What the steps multiply with; layers have [input; hidden] weights and one bias each.

    The first layer's part for the embedding, and its bias, are in the gates that come in.
    """

    layers: tuple[Tensor, ...]  # each (4 * hidden, 2 * hidden)
    biases: tuple[Tensor, ...]  # each (4 * hidden), from the second layer on
    score: Tensor  # (hidden, hidden)
    combine: Tensor  # (hidden, 2 * hidden)


@dataclass(frozen=True, slots=True)
class Steps:
    """What the backward pass needs of all steps, filled in step by step."""

    inputs: Tensor  # (target, layers, batch, 2 * hidden): from below, and the hidden state
    gates: Tensor  # (target, layers, batch, 4 * hidden): input, forget, new, output
    cells: Tensor  # (target + 1, layers, batch, hidden), before the first step and after each
    queries: Tensor  # (target, batch, hidden)
    focus: Tensor  # (target, batch, source): the attention's weights
    joined: Tensor  # (target, batch, 2 * hidden): the context, and the top state
    outputs: Tensor  # (target, batch, hidden), before their dropout


def room_for(gates: Tensor, memory: Tensor, size: int) -> Steps:
    """Empty steps of so many layers, for gates (batch, target, 4 * hidden)."""
    batch, target, four = gates.shape
    hidden, empty = four // 4, gates.new_empty
    exact = torch.promote_types(gates.dtype, torch.float32)  # a cell adds up over all steps
    return Steps(
        inputs=empty(target, size, batch, 2 * hidden),
        gates=empty(target, size, batch, four),
        cells=empty(target + 1, size, batch, hidden, dtype=exact),
        queries=empty(target, batch, hidden),
        focus=empty(target, batch, memory.size(1)),
        joined=empty(target, batch, 2 * hidden),
        outputs=empty(target, batch, hidden),
    )


def go_through(
    gates: Tensor,
    hidden: Tensor,
    cell: Tensor,
    below: Tensor,
    memory: Tensor,
    masked: Tensor,
    keep: Tensor | None,
    weights: Weights,
    steps: Steps,
) -> Tensor:
    """Fill in the steps; return the hidden state (layers, batch, hidden) after the last."""
    steps.cells[0] = cell
    hiddens, last = list(hidden), len(weights.layers) - 1
    for step in range(gates.size(1)):
        for layer, weight in enumerate(weights.layers):
            read = torch.cat([below, hiddens[layer]], -1, out=steps.inputs[step, layer])
            added = weights.biases[layer - 1] if layer else gates[:, step]
            torch.addmm(added, read, weight.t(), out=steps.gates[step, layer])
            below = hiddens[layer] = _cell(steps, step, layer)
            if layer < last and keep is not None:
                below = below * keep[step, layer]
        below = _attend(below, memory, masked, weights, steps, step)
        if keep is not None:
            below = below * keep[step, -1]
    return torch.stack(hiddens)


def _cell(steps: Steps, step: int, layer: int) -> Tensor:
    """The hidden state; the gates go through their functions in place."""
    inputs, forget, new, output = gates = steps.gates[step, layer].chunk(4, -1)
    for gate in gates:
        gate.tanh_() if gate is new else gate.sigmoid_()
    cell = steps.cells[step + 1, layer]
    torch.mul(forget, steps.cells[step, layer], out=cell).add_(inputs * new)
    return output * torch.tanh(cell).to(output.dtype)


def _attend(
    top: Tensor, memory: Tensor, masked: Tensor, weights: Weights, steps: Steps, step: int
) -> Tensor:
    query = torch.mm(top, weights.score.t(), out=steps.queries[step]).unsqueeze(1)
    scores = torch.bmm(query, memory.transpose(1, 2))  # (batch, 1, source)
    scores = scores.masked_fill(masked, torch.finfo(scores.dtype).min)
    focus = torch.softmax(scores, -1)
    steps.focus[step] = focus.squeeze(1)
    context = torch.bmm(focus, memory).squeeze(1)
    joined = torch.cat([context, top], -1, out=steps.joined[step])
    return torch.mm(joined, weights.combine.t(), out=steps.outputs[step]).tanh_()
