"""The way back through the steps of input feeding: every gradient, from the equations."""

from __future__ import annotations

import torch
from torch import Tensor

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .lstm_steps import Steps, Weights


class Gradients:
    """The gradients found on the way back; what a step must not wait for is made at the end."""

    def __init__(self, steps: Steps, d_hidden: Tensor, d_cell: Tensor) -> None:
        self.steps = steps
        self.hidden, self.cell = list(d_hidden), list(d_cell)
        self.feed = torch.zeros_like(steps.outputs[0])
        self.gates = torch.empty_like(steps.gates)
        self.queries, self.contexts, self.combined = (
            torch.empty_like(steps.outputs) for _ in range(3)
        )
        self.scores = torch.empty_like(steps.focus)

    def go_back(
        self, d_outputs: Tensor, memory: Tensor, keep: Tensor | None, weights: Weights
    ) -> None:
        """Fill in all gradients from d_outputs (target, batch, hidden)."""
        last = len(weights.layers) - 1
        for step in reversed(range(len(d_outputs))):
            below = d_outputs[step] + self.feed
            below = below if keep is None else below * keep[step, -1]
            below = self._attention(step, below, memory, weights)
            for layer in range(last, -1, -1):
                if layer < last and keep is not None:
                    below = below * keep[step, layer]
                self._cell(step, layer, below + self.hidden[layer])
                read = self.gates[step, layer] @ weights.layers[layer]  # (batch, 2 * hidden)
                below, self.hidden[layer] = read.chunk(2, -1)
            self.feed = below

    def _attention(self, step: int, below: Tensor, memory: Tensor, weights: Weights) -> Tensor:
        """The gradient of the top state, but for what comes from the next step."""
        steps, focus = self.steps, self.steps.focus[step]
        torch.mul(below, 1 - steps.outputs[step] ** 2, out=self.combined[step])
        context, top = (self.combined[step] @ weights.combine).chunk(2, -1)
        self.contexts[step] = context
        d_focus = torch.bmm(context.unsqueeze(1), memory.transpose(1, 2)).squeeze(1)
        total = (focus * d_focus).sum(-1, keepdim=True)
        scores = torch.mul(focus, d_focus - total, out=self.scores[step])
        query = torch.bmm(scores.unsqueeze(1), memory).squeeze(1)
        self.queries[step] = query
        return torch.addmm(top, query, weights.score)

    def _cell(self, step: int, layer: int, hidden: Tensor) -> None:
        steps = self.steps
        inputs, forget, new, output = steps.gates[step, layer].chunk(4, -1)
        squashed = torch.tanh(steps.cells[step + 1, layer])
        cell = self.cell[layer] + hidden * output * (1 - squashed**2)
        before = steps.cells[step, layer]
        gates = self.gates[step, layer].chunk(4, -1)
        gates[0].copy_(cell * new * inputs * (1 - inputs))
        gates[1].copy_(cell * before * forget * (1 - forget))
        gates[2].copy_(cell * inputs * (1 - new**2))
        gates[3].copy_(hidden * squashed * output * (1 - output))
        self.cell[layer] = cell * forget

    def memory(self) -> Tensor:
        """(batch, source, hidden), as the contexts' values and as what the queries meet."""
        steps = self.steps
        values = torch.bmm(steps.focus.permute(1, 2, 0), self.contexts.transpose(0, 1))
        return values.baddbmm_(self.scores.permute(1, 2, 0), steps.queries.transpose(0, 1))

    def weights(self) -> list[Tensor]:
        """In the order of `Weights`."""
        steps, layers = self.steps, range(self.gates.size(1))
        found = [_product(self.gates[:, layer], steps.inputs[:, layer]) for layer in layers]
        found += [self.gates[:, layer].sum((0, 1)) for layer in layers[1:]]
        tops = steps.joined.chunk(2, -1)[1]
        return [*found, _product(self.queries, tops), _product(self.combined, steps.joined)]


def _product(left: Tensor, right: Tensor) -> Tensor:
    """Summed over steps and rows: (left, right) of (target, batch, …) each."""
    return left.flatten(0, 1).t() @ right.flatten(0, 1)
