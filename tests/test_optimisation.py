from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from nl2code.batches import Pairs, Sequences
from nl2code.models import ModelConfig, build_model
from nl2code.optimisation import accumulate_gradient, cut_batch, make_optimizer, make_schedule
from nl2code.tokenization import train_tokenizer
from nl2code.training import TokenLoss
from nl2code.training_config import OptimConfig

TOKENIZER = train_tokenizer(["x = 1"], merges=2)
SIZES = ModelConfig(embedding_size=8, hidden_size=8, dropout=0.0, input_feeding=False)
PAIRS = Pairs(
    Sequences.of([[9] * length + [2] for length in range(1, 8)]),
    Sequences.of([[20 + length] * (1 + length % 3) + [2] for length in range(1, 8)]),
)
UPDATE = [np.array([0, 3, 1]), np.array([6]), np.array([2, 4, 5])]


def gradient(parts: int) -> tuple[torch.Tensor, list[Any]]:
    torch.manual_seed(0)
    model = TokenLoss(build_model(SIZES, TOKENIZER))
    losses = accumulate_gradient(Accelerator(), model, PAIRS, UPDATE, parts)
    grads = [parameter.grad for parameter in model.parameters()]
    return torch.nn.utils.parameters_to_vector(grads), losses


@pytest.mark.parametrize("parts", [2, 4])
def test_batches_in_parts_give_the_gradient_of_whole_ones(parts: int) -> None:
    whole, losses = gradient(1)
    cut, more = gradient(parts)
    assert torch.allclose(cut, whole, rtol=1e-5, atol=1e-7)
    assert len(losses) == 3
    assert len(more) == (5 if parts == 2 else 7)
    for part in (losses, more):
        assert sum(one.tokens for one in part) == PAIRS.targets.lengths.sum()
        assert sorted(row for one in part for row in one.rows) == list(range(7))
    total = [sum(one.loss.item() for one in part) for part in (losses, more)]
    assert total[0] == pytest.approx(total[1], rel=1e-5)


def test_a_batch_is_never_cut_into_more_parts_than_it_has_examples() -> None:
    assert [part.tolist() for part in cut_batch(np.array([7, 8]), 5)] == [[7], [8]]


@pytest.mark.parametrize(
    ("config", "rates"),
    [
        (OptimConfig(lr=1.0, schedule="constant", warmup_steps=2), [0.0, 0.5, 1.0, 1.0]),
        (OptimConfig(lr=1.0, schedule="inverse_sqrt", warmup_steps=2), [0.0, 0.5, 1.0, 0.8165]),
        (
            OptimConfig(lr=1.0, schedule="constant", warmup_steps=2, cooldown_steps=4),
            [0.0, 0.5, 1.0, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0],
        ),
        (
            OptimConfig(lr=1.0, schedule="inverse_sqrt", cooldown_steps=2),
            [0.0, 1.0, 0.7071, 0.5774, 0.5, 0.4472, 0.4082, 0.378 / 2, 0.0],
        ),
    ],
)
def test_the_rate_warms_up_then_decays_or_stays_and_may_cool_down(
    config: OptimConfig, rates: list[float]
) -> None:
    optimizer = make_optimizer(TokenLoss(build_model(SIZES, TOKENIZER)), config)
    schedule, seen = make_schedule(optimizer, config, max_steps=8), []
    for _ in rates:
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    assert seen == pytest.approx(rates, abs=1e-4)
