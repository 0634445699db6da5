"""A step of training and a step of decoding are those of the equations, to 1e-10 in float64."""

from itertools import islice, takewhile
from typing import Any

import numpy as np
import pytest
import torch
from lstm_equations import greedy, loss

from nl2code.batches import Pairs, Sequences, collate
from nl2code.models import LSTMForConditionalGeneration
from nl2code.training import TokenLoss

BOTH = pytest.mark.parametrize("feeding", [False, True], ids=["plain", "input-feeding"])
NEAR: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10}
START, END = 1, 2

# Sources of 7, 4 and 1 tokens, targets of 2, 5 and 3: each batch has padding on both sides.
PAIRS = [
    ([5, 9, 4, 4, 17, 3, 2], [8, 2]),
    ([11, 6, 7, 2], [12, 3, 3, 19, 2]),
    ([2], [21, 5, 2]),
]


def batch(model: LSTMForConditionalGeneration) -> dict[str, torch.Tensor]:
    sources, targets = zip(*PAIRS, strict=True)
    pairs = Pairs(Sequences.of(sources), Sequences.of(targets))
    return collate(pairs, np.arange(3), model.config)


def weights_of(model: LSTMForConditionalGeneration) -> dict[str, torch.Tensor]:
    """A copy that the equations can be derived by."""
    return {
        name: value.detach().clone().requires_grad_() for name, value in model.named_parameters()
    }


@BOTH
@pytest.mark.parametrize("layers", [1, 2])
def test_the_loss_and_every_gradient_are_those_of_the_equations(make_lstm, feeding, layers) -> None:
    model = make_lstm(input_feeding=feeding, layers=layers, dropout=0.0).double().train()
    weights = weights_of(model)
    expected = loss(weights, PAIRS, layers=layers, feeding=feeding, start=START)
    ours = TokenLoss(model)(**batch(model))
    torch.testing.assert_close(ours, expected, **NEAR)
    ours.backward()
    expected.backward()
    for name, value in model.named_parameters():
        # torch leaves the padding's row alone; no real token reads it, so its gradient is zero.
        torch.testing.assert_close(value.grad, weights[name].grad, **NEAR, msg=name)
        assert value.grad.any(), name


@BOTH
def test_a_step_of_adam_ends_in_the_weights_of_the_equations(make_lstm, feeding) -> None:
    model = make_lstm(input_feeding=feeding, dropout=0.0).double().train()
    weights = weights_of(model)
    settings: dict[str, Any] = {"lr": 1e-3, "betas": (0.9, 0.98)}
    tokens = sum(len(target) for _, target in PAIRS)
    for leaves, total in (
        (list(model.parameters()), TokenLoss(model)(**batch(model))),
        (
            list(weights.values()),
            loss(weights, PAIRS, layers=2, feeding=feeding, start=START),
        ),
    ):
        (total / tokens).backward()
        torch.nn.utils.clip_grad_norm_(leaves, 5.0)
        torch.optim.Adam(leaves, **settings).step()
    for name, value in model.named_parameters():
        torch.testing.assert_close(value, weights[name], **NEAR, msg=name)


@BOTH
def test_each_decoding_step_is_that_of_the_equations(make_lstm, feeding) -> None:
    model = make_lstm(input_feeding=feeding).double().eval()
    weights, one = weights_of(model), batch(model)
    told = [greedy(weights, source, layers=2, feeding=feeding, start=START) for source, _ in PAIRS]
    mask = one["attention_mask"]
    encoded, cache = model.encoder(one["input_ids"], mask), None
    tokens = torch.full((3, 1), START)
    for _ in range(6):
        output = model(
            encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=tokens, cache=cache,
            use_cache=True,
        )  # fmt: skip
        cache, log_p = output.cache, output.logits[:, 0].log_softmax(-1)
        steps = [next(row) for row in told]
        torch.testing.assert_close(log_p, torch.stack([step[1] for step in steps]), **NEAR)
        tokens = log_p.argmax(-1, keepdim=True)
        assert tokens.flatten().tolist() == [step[0] for step in steps]


@BOTH
def test_greedy_text_is_that_of_the_equations(make_lstm, feeding) -> None:
    model = make_lstm(input_feeding=feeding).double().eval()
    weights, one = weights_of(model), batch(model)
    output = model.generate(
        one["input_ids"], attention_mask=one["attention_mask"], max_new_tokens=6, do_sample=False
    )
    for row, (source, _) in enumerate(PAIRS):
        steps = islice(greedy(weights, source, layers=2, feeding=feeding, start=START), 6)
        told = [token for token, _ in takewhile(lambda step: step[0] != END, steps)]
        assert output[row].tolist()[1 : len(told) + 1] == told
