"""The steps of input feeding know their own gradient: it is that of small differences."""

from typing import Any

import pytest
import torch
from torch import Tensor

from nl2code.models.lstm_feeding import run_steps
from nl2code.models.lstm_steps import Weights

LAYERS, BATCH, SOURCE, TARGET, HIDDEN = 2, 3, 4, 3, 2


def some(*shape: int, **kind: Any) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True, **kind)


@pytest.fixture
def leaves() -> list[Tensor]:
    torch.manual_seed(0)
    states = (some(LAYERS, BATCH, HIDDEN), some(LAYERS, BATCH, HIDDEN), some(BATCH, HIDDEN))
    layers = [some(4 * HIDDEN, 2 * HIDDEN) for _ in range(LAYERS)]
    attention = (some(4 * HIDDEN), some(HIDDEN, HIDDEN), some(HIDDEN, 2 * HIDDEN))
    gates, memory = some(BATCH, TARGET, 4 * HIDDEN), some(BATCH, SOURCE, HIDDEN)
    return [gates, *states, memory, *layers, *attention]


def run(
    gates: Tensor, hidden: Tensor, cell: Tensor, feed: Tensor, memory: Tensor, *rest: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    masked = torch.arange(SOURCE) >= torch.tensor([4, 2, 1])[:, None, None]
    keep = torch.tensor([0.0, 2.0], dtype=torch.float64)[
        torch.randint(
            2, (TARGET, LAYERS, BATCH, HIDDEN), generator=torch.Generator().manual_seed(7)
        )
    ]
    weights = Weights(rest[:LAYERS], (rest[LAYERS],), *rest[LAYERS + 1 :])
    return run_steps(gates, hidden, cell, feed, memory, masked, keep, weights)


def test_every_gradient_is_that_of_small_differences(leaves) -> None:
    assert torch.autograd.gradcheck(run, leaves)


def test_two_halves_of_a_target_go_on_from_each_other(leaves) -> None:
    gates, *states, memory = leaves[:5]
    weights = Weights(tuple(leaves[5:7]), (leaves[7],), *leaves[8:])
    masked = torch.zeros(BATCH, 1, SOURCE, dtype=torch.bool)
    whole, *last = run_steps(gates, *states, memory, masked, None, weights)
    first, *after = run_steps(gates[:, :1], *states, memory, masked, None, weights)
    rest = run_steps(gates[:, 1:], *after, first[:, -1], memory, masked, None, weights)
    torch.testing.assert_close(torch.cat([first, rest[0]], 1), whole)
    torch.testing.assert_close(rest[1:], tuple(last))


def test_what_is_masked_gets_no_gradient(leaves) -> None:
    outputs, _, _ = run(*leaves)
    outputs.sum().backward()
    assert not leaves[4].grad[1, 2:].any()
    assert leaves[4].grad[1, :2].all()
