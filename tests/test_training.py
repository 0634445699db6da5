from __future__ import annotations

import numpy as np
import pytest
import torch
from accelerate import Accelerator
from datasets import Dataset
from torch import nn
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from nl2code.batches import Pairs, Sequences, collate
from nl2code.encoding import encode
from nl2code.evaluation import dev_scores, greedy_answers
from nl2code.linearisation import InputFormat
from nl2code.models import ModelConfig, build_model
from nl2code.tokenization import train_tokenizer
from nl2code.training import TokenLoss, token_loss
from nl2code.training_config import dev_score_names

TOKENIZER: PreTrainedTokenizerFast = train_tokenizer(["x = 1"], merges=2)
PAIRS = Pairs(
    Sequences.of([[9, 8, 2], [7, 2], [9, 9, 9, 9, 2]]),
    Sequences.of([[20, 2], [21, 22, 23, 2], [24, 25, 2]]),
)
SMALL = {
    "lstm": ModelConfig(embedding_size=8, hidden_size=8, dropout=0.0, input_feeding=False),
    "lstm fed": ModelConfig(embedding_size=8, hidden_size=8, dropout=0.0, input_feeding=True),
    "transformer": ModelConfig(
        type="transformer", hidden_size=8, layers=1, heads=2, feed_forward=8, dropout=0.0
    ),
    "copy transformer": ModelConfig(
        type="copy_transformer", hidden_size=8, layers=1, heads=2, feed_forward=8, dropout=0.0
    ),
}


def build(kind: str) -> PreTrainedModel:
    torch.manual_seed(0)
    if kind != "t5":
        return build_model(SMALL[kind], TOKENIZER)
    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
    ids = {"decoder_start_token_id": 1, "pad_token_id": 0, "eos_token_id": 2}
    return T5ForConditionalGeneration(
        T5Config(vocab_size=len(TOKENIZER), dropout_rate=0.0, **sizes, **ids)
    )


def summed(module: TokenLoss, *rows: int) -> torch.Tensor:
    return module(**collate(PAIRS, np.array(rows), module.model.config))


@pytest.mark.parametrize("kind", [*SMALL, "t5"])
def test_the_loss_is_the_models_own_mean_times_the_tokens(kind: str) -> None:
    model = build(kind)
    batch = collate(PAIRS, np.arange(3), model.config)
    labels, real = PAIRS.targets.padded(np.arange(3), 0)
    labels[~real] = -100
    own = model(
        input_ids=batch["input_ids"],
        attention_mask=batch["attention_mask"],
        decoder_input_ids=batch["decoder_input_ids"],
        labels=torch.from_numpy(labels),
    ).loss
    assert summed(TokenLoss(model), 0, 1, 2).item() == pytest.approx(9 * own.item(), rel=1e-5)


def test_padding_never_reaches_the_output_layer() -> None:
    model, seen = build("lstm"), []
    model.lm_head.register_forward_hook(lambda head, inputs, logits: seen.append(logits.shape))
    summed(TokenLoss(model), 0, 1, 2)
    assert seen == [(9, len(TOKENIZER))]


def test_the_output_layer_is_as_before_for_generation() -> None:
    model = build("lstm")
    summed(TokenLoss(model), 0, 1)
    source, target = torch.tensor([[9, 2]]), torch.tensor([[1, 20]])
    logits = model(input_ids=source, decoder_input_ids=target).logits
    assert logits.shape == (1, 2, len(TOKENIZER))


@pytest.mark.parametrize("kind", [*SMALL, "t5"])
def test_the_parts_of_an_update_add_up_to_its_gradient(kind: str) -> None:
    def gradient(*parts: tuple[int, ...]) -> torch.Tensor:
        module = TokenLoss(build(kind))
        for rows in parts:
            (summed(module, *rows) / 9).backward()
        return nn.utils.parameters_to_vector(
            p.grad for p in module.parameters() if p.grad is not None
        )

    assert torch.allclose(gradient((0, 1, 2)), gradient((0,), (1, 2)), atol=1e-6)


def test_label_smoothing_is_for_learning_only() -> None:
    plain, smooth = TokenLoss(build("lstm")), TokenLoss(build("lstm"), label_smoothing=0.5)
    assert summed(plain, 0).item() != summed(smooth, 0).item()
    assert summed(plain.eval(), 0).item() == summed(smooth.eval(), 0).item()


@pytest.mark.parametrize("batch_tokens", [1, 1000])
def test_the_dev_loss_is_a_mean_over_tokens_however_they_are_batched(batch_tokens: int) -> None:
    module = TokenLoss(build("lstm"))
    parts = [summed(module.eval(), row).item() for row in range(3)]
    mean = token_loss(Accelerator(), module, PAIRS, batch_tokens)
    assert mean == pytest.approx(sum(parts) / 9, rel=1e-5)


def test_answers_come_in_the_order_of_the_pairs() -> None:
    model = build("transformer")
    answers = [
        greedy_answers(
            Accelerator(),
            model,
            TOKENIZER,
            pairs,
            batch_tokens=batch_tokens,
            longest=6,
        )
        for pairs, batch_tokens in ((PAIRS, 8), (PAIRS.select(np.array([2, 0, 1])), 1000))
    ]
    assert len(set(answers[0])) > 1
    assert [answers[0][i] for i in (2, 0, 1)] == answers[1]


def test_the_watched_figures_belong_to_the_task() -> None:
    code = dev_scores(["x = 1", "f ( x )"], ["x = 1", "g ( x )"], InputFormat())
    assert code["exact_match"] == 0.5
    assert 0.5 < code["bleu_nltk3"] < 1
    api = dev_scores(["fit plot"], ["fit"], InputFormat(task="api"))
    assert api == {"precision": 0.5, "recall": 1.0}
    bash = dev_scores(["ls /tmp"], ["ls /usr"], InputFormat(task="bash"))
    assert (bash["command_match"], bash["template_match"]) == (0.0, 1.0)
    assert 0.25 < bash["char_bleu"] < 1


@pytest.mark.parametrize(
    "fmt",
    [
        InputFormat(),
        InputFormat(task="api"),
        InputFormat(task="bash"),
        InputFormat(task="bash", level="template"),
    ],
)
def test_the_figures_that_may_decide_are_those_of_an_evaluation(fmt: InputFormat) -> None:
    assert tuple(dev_scores(["ls"], ["ls"], fmt)) == dev_score_names(fmt)


@pytest.mark.parametrize("workers", [1, 2])
def test_encoding_cuts_the_far_end_and_keeps_the_last_token(workers: int) -> None:
    def example(nl: str, code: str) -> dict[str, object]:
        cell = {"cell_type": "markdown", "distance_target": 1, "nl_original": nl, "code": None}
        return {"id": nl, "context": [cell], "code_tokens_clean": code.split()}

    rows = Dataset.from_list([example("abcdefgh", "x = 1"), example("a", "y")])
    pairs, lengths = encode(rows, TOKENIZER, InputFormat(), (5, 3), workers)
    whole = TOKENIZER("<markdown> abcdefgh")["input_ids"]
    assert pairs.sources.padded(np.array([0]), 0)[0].tolist() == [[*whole[:4], 2]]
    assert lengths.tolist()[0] == [len(whole), len(TOKENIZER("x = 1")["input_ids"])]
    assert pairs.targets.lengths.tolist() == [3, 2]
    same = TOKENIZER("<markdown> abcdefgh", truncation=True, max_length=5)["input_ids"]
    assert same == [*whole[:4], 2]  # what predict.py does
