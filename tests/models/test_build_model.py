"""`build_model`: the right model from a config and a tokenizer, and clear words for a wrong one."""

import pytest
import torch
from transformers import MarianMTModel

from nl2code.config import read_config
from nl2code.errors import UserError
from nl2code.models import (
    CopyTransformerForConditionalGeneration,
    LSTMForConditionalGeneration,
    ModelConfig,
    build_model,
)

TINY = {
    "lstm": ModelConfig(embedding_size=32, hidden_size=32, layers=1, dropout=0.0),
    "transformer": ModelConfig(
        type="transformer", hidden_size=32, layers=1, heads=2, feed_forward=32, dropout=0.0,
        max_positions=16,
    ),
    "copy_transformer": ModelConfig(
        type="copy_transformer", hidden_size=32, layers=1, heads=2, feed_forward=32, dropout=0.0
    ),
}  # fmt: skip
CLASSES = {
    "lstm": LSTMForConditionalGeneration,
    "transformer": MarianMTModel,
    "copy_transformer": CopyTransformerForConditionalGeneration,
}


@pytest.mark.parametrize("kind", TINY)
def test_size_and_special_ids_come_from_the_tokenizer(make_tokenizer, kind) -> None:
    tokenizer = make_tokenizer("a b", eos="</s>", unk="<unk>", bos="<s>", pad="<pad>")
    model = build_model(TINY[kind], tokenizer)
    assert isinstance(model, CLASSES[kind])
    for config in (model.config, model.generation_config):
        assert (config.eos_token_id, config.bos_token_id, config.pad_token_id) == (0, 2, 3)
        assert config.decoder_start_token_id == 2
    assert model.get_input_embeddings().weight.shape == (6, 32)
    assert getattr(model.generation_config, "forced_eos_token_id", None) is None


@pytest.mark.parametrize("kind", TINY)
def test_four_examples_are_overfitted_to_exact_match_100(make_tokenizer, kind) -> None:
    tokenizer = make_tokenizer("sort the list reverse it sum max x = ( ) sorted .")
    nl = ["sort the list", "reverse it", "sum", "max the list x"]
    code = ["x = sorted ( x )", "x . reverse ( )", "sum ( x )", "x = max ( x ) ."]
    torch.manual_seed(1)
    model = build_model(TINY[kind], tokenizer).train()
    source = tokenizer(nl, padding=True, return_tensors="pt", return_token_type_ids=False)
    target = tokenizer([f"{text} </s>" for text in code], padding=True, return_tensors="pt")
    labels = target.input_ids.masked_fill(target.attention_mask == 0, -100)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(100):
        optimizer.zero_grad()
        model(**source, labels=labels).loss.backward()
        optimizer.step()
    for beams in (1, 5):
        generated = model.eval().generate(**source, num_beams=beams, max_new_tokens=9)
        assert tokenizer.batch_decode(generated, skip_special_tokens=True) == code


@pytest.mark.parametrize("kind", TINY)
def test_the_seed_decides_the_weights(make_tokenizer, kind) -> None:
    states = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        states.append(
            torch.cat([p.flatten() for p in build_model(TINY[kind], make_tokenizer()).parameters()])
        )
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])


def test_a_config_is_read_from_options() -> None:
    options = ["--type", "transformer", "--layers", "2", "--dropout", "0.1"]
    assert read_config(ModelConfig, options) == ModelConfig("transformer", layers=2, dropout=0.1)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (ModelConfig(heads=4), "model.heads: 4 means nothing to the type lstm"),
        (ModelConfig("transformer", input_feeding=False), "model.input_feeding: False means"),
        (ModelConfig(name_or_path="x"), "model.name_or_path: x means nothing to the type lstm"),
        (ModelConfig(layers=0), "model.layers: 0 is less than 1"),
        (ModelConfig(dropout=1.5), r"model.dropout: 1.5 is not in \[0, 1\)"),
        (ModelConfig(hidden_size=7), "hidden_size must be even, for two directions: 7"),
        (
            ModelConfig(embedding_size=4, hidden_size=8, tie_word_embeddings=True),
            "tied embeddings need embedding_size 4 to equal hidden_size 8",
        ),
        (ModelConfig("transformer", hidden_size=10, heads=4), "hidden_size 10 .* heads 4"),
        (ModelConfig("pretrained"), "model.name_or_path: the type pretrained needs one"),
        (ModelConfig(lora_rank=8), "model.lora_rank: 8 means nothing to the type lstm"),
        (ModelConfig("pretrained", "x", lora_rank=0), "model.lora_rank: 0 is less than 1"),
        (ModelConfig("pretrained", "x", lora_alpha=8), "lora_alpha: 8 means nothing without"),
        (
            ModelConfig("pretrained", "x", lora_rank=8, lora_dropout=1.0),
            r"model.lora_dropout: 1.0 is not in \[0, 1\)",
        ),
    ],
)
def test_sizes_that_cannot_be_are_refused(make_tokenizer, config, message) -> None:
    with pytest.raises(UserError, match=message):
        build_model(config, make_tokenizer())


def test_a_tokenizer_without_a_special_token_is_refused(make_tokenizer) -> None:
    with pytest.raises(UserError, match="the tokenizer has no bos token"):
        build_model(ModelConfig(), make_tokenizer("a", pad="<pad>", eos="</s>", unk="<unk>"))
