"""The bi-GRU: the equations, padding, dropout, saving, and copying of what it never saw."""

from typing import Any

import numpy as np
import pytest
import torch
from gru_equations import likelihoods, loss
from transformers import AutoModelForSeq2SeqLM

from nl2code.batches import Pairs, Sequences, collate
from nl2code.errors import UserError
from nl2code.models import (
    GRUForConditionalGeneration,
    GRUSeq2SeqConfig,
    ModelConfig,
    build_model,
)
from nl2code.training import TokenLoss

BOTH = pytest.mark.parametrize("copying", [False, True], ids=["plain", "copying"])
NEAR: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10}

# Padding on both sides; targets that stand once, twice and nowhere in their sources.
PAIRS = [([5, 9, 4, 4, 17, 3, 2], [4, 9, 4, 2]), ([11, 6, 7, 2], [12, 6, 2]), ([2], [21, 2])]


def make(copying: bool, **changes: Any) -> GRUForConditionalGeneration:
    """Weights so wide that all that is read matters."""
    torch.manual_seed(3)
    sizes = {"vocab_size": 23, "embedding_size": 5, "hidden_size": 6, "dropout": 0.0}
    model = GRUForConditionalGeneration(GRUSeq2SeqConfig(copying=copying, **sizes | changes))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return model.double().eval()


def batch(model: GRUForConditionalGeneration) -> dict[str, torch.Tensor]:
    sources, targets = zip(*PAIRS, strict=True)
    return collate(Pairs(Sequences.of(sources), Sequences.of(targets)), np.arange(3), model.config)


@BOTH
def test_the_loss_and_every_gradient_are_those_of_the_equations(copying) -> None:
    model = make(copying).train()
    w = {name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()}
    expected, ours = loss(w, PAIRS, copying, start=1), TokenLoss(model)(**batch(model))
    torch.testing.assert_close(ours, expected, **NEAR)
    ours.backward()
    expected.backward()
    for name, value in model.named_parameters():
        wanted = w[name].grad if "embedding" not in name else w[name].grad.clone()
        torch.testing.assert_close(value.grad, wanted, **NEAR, msg=name)
        assert value.grad.any(), name


@BOTH
def test_each_decoding_step_is_that_of_the_equations(copying) -> None:
    model = make(copying)
    w, one = dict(model.named_parameters()), batch(model)
    given = torch.tensor([[1, 4, 9, 4], [1, 6, 6, 8], [1, 2, 2, 3]])
    cache, encoded = None, model.encoder(one["input_ids"], one["attention_mask"])
    with torch.no_grad():
        told = [
            likelihoods(w, source, row.tolist(), copying)
            for (source, _), row in zip(PAIRS, given, strict=True)
        ]
        for step in range(4):
            output = model(
                encoder_outputs=encoded, attention_mask=one["attention_mask"], cache=cache,
                decoder_input_ids=given[:, step : step + 1], use_cache=True,
            )  # fmt: skip
            cache, p = output.cache, output.logits[:, 0].softmax(-1)
            torch.testing.assert_close(p, torch.stack([row[step] for row in told]), **NEAR)


@BOTH
def test_the_loss_of_labels_is_the_mean_over_real_tokens(copying) -> None:
    model = make(copying)
    one = batch(model)
    labels = torch.full(one["decoder_input_ids"].shape, -100)
    labels.view(-1)[one["positions"]] = one["labels"]
    output = model(one["input_ids"], one["attention_mask"], labels=labels)
    summed = output.loss.double() * len(one["labels"])  # `forward` computes it in float32
    torch.testing.assert_close(summed, TokenLoss(model)(**one), rtol=1e-5, atol=0)


@BOTH
def test_dropout_is_the_same_at_all_steps_and_only_in_training(copying) -> None:
    model = make(copying, dropout=0.5, hidden_size=64, embedding_size=64)
    ids = torch.tensor([[5, 9, 4, 7]])
    read = model.train().encoder.embed(ids)
    kept = read != 0
    assert (kept == kept[:, :1]).all()
    assert 0.2 < kept[0, 0].double().mean() < 0.8
    outputs = []
    model.lm_head.register_forward_pre_hook(lambda _, inputs: outputs.append(inputs[0]))
    for training in (True, False):
        model.train(training)(ids, decoder_input_ids=ids)
    dropped = outputs[0] == 0
    assert dropped.any()
    assert (dropped == dropped[:, :1]).all()
    assert not (outputs[1] == 0).any()


@BOTH
def test_a_saved_model_comes_back_through_the_auto_classes(copying, tmp_path) -> None:
    model = make(copying)
    model.save_pretrained(tmp_path)
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path).eval()
    ids = torch.tensor([[5, 9, 4, 2]])
    wishes = {"num_beams": 3, "max_new_tokens": 6}
    assert torch.equal(loaded.generate(ids, **wishes), model.generate(ids, **wishes))


@BOTH
def test_autocast_to_bfloat16_stays_near_the_float_loss(copying) -> None:
    model = make(copying).float()
    one = batch(model)
    exact = TokenLoss(model)(**one)
    with torch.autocast("cpu", torch.bfloat16):
        near = TokenLoss(model)(**one)
    near.backward()
    assert near.dtype == torch.float32
    torch.testing.assert_close(near, exact, rtol=0.03, atol=0)
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_copying_learns_to_write_words_that_it_was_never_shown() -> None:
    """Targets repeat their sources, of the words 10 to 29; then come others."""
    torch.manual_seed(1)
    sizes = {"vocab_size": 40, "embedding_size": 16, "hidden_size": 32, "dropout": 0.0}
    model = GRUForConditionalGeneration(GRUSeq2SeqConfig(copying=True, **sizes)).train()
    torch.nn.init.normal_(model.encoder.embedding.weight)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(40):
        words = torch.randint(10, 30, (64, 4))
        source = torch.cat([words, torch.full((64, 1), 2)], 1)
        optimizer.zero_grad()
        model(source, labels=source).loss.backward()
        optimizer.step()
    new = torch.tensor([[33, 36, 31, 38, 2]])
    p = model.eval()(new, labels=new).logits[0].softmax(-1)
    assert p.gather(-1, new.T).min() > 0.8


@BOTH
def test_build_model_makes_it_as_the_paper_has_it(copying, make_tokenizer) -> None:
    model = build_model(ModelConfig(type="gru", copying=copying), make_tokenizer())
    assert isinstance(model, GRUForConditionalGeneration)
    assert model.config.copying == copying
    assert model.encoder.forwards.hidden_size == model.encoder.backwards.hidden_size == 200
    assert (model.config.hidden_size, model.config.dropout) == (400, 0.4)


def test_sizes_that_do_not_fit_are_one_sentence(make_tokenizer) -> None:
    with pytest.raises(UserError, match="hidden_size must be even, for two directions: 5"):
        build_model(ModelConfig(type="gru", hidden_size=5), make_tokenizer())
    with pytest.raises(UserError, match=r"model\.copying: True means nothing to the type lstm"):
        build_model(ModelConfig(copying=True), make_tokenizer())
