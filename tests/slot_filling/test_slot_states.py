"""The states of any encoder-decoder, at the tokens of a sentence and of a template."""

from itertools import chain

import numpy as np
import pytest
import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    T5Config,
    T5ForConditionalGeneration,
)

from nl2code.models import LSTMForConditionalGeneration, LSTMSeq2SeqConfig
from nl2code.slot_filling import token_states
from nl2code.tokenization import train_tokenizer

SOURCE = ["find", "Regex", "in", "Directory"]
TARGET = ["find", "Path", "-name", "Regex"]


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(["find Path -name Regex"], merges=8)


def bart(size, **ids):
    layers = {"encoder_layers": 1, "decoder_layers": 1}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    wide = {"encoder_ffn_dim": 8, "decoder_ffn_dim": 8, "max_position_embeddings": 128}
    return BartForConditionalGeneration(
        BartConfig(d_model=8, vocab_size=size, init_std=1.0, **layers, **heads, **wide, **ids)
    )


def t5(size, **ids):
    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
    return T5ForConditionalGeneration(T5Config(vocab_size=size, **sizes, **ids))


def lstm(size, **ids):
    sizes = {"embedding_size": 6, "hidden_size": 8, "init_range": 1.0}
    return LSTMForConditionalGeneration(LSTMSeq2SeqConfig(vocab_size=size, **sizes, **ids))


@pytest.fixture(params=[bart, t5, lstm], ids=lambda make: make.__name__)
def model(request, tokenizer):
    torch.manual_seed(2)
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    return request.param(len(tokenizer), **ids).eval()


def test_each_token_has_one_state_and_no_two_the_same(model, tokenizer):
    encoder, decoder = token_states(model, tokenizer, SOURCE, TARGET)
    assert len(encoder) == len(SOURCE)
    assert len(decoder) == len(TARGET)
    assert len({tuple(row) for row in np.vstack([decoder])}) == len(TARGET)
    assert len({tuple(row) for row in encoder}) == len(SOURCE)


def test_the_decoders_state_is_the_one_that_wrote_the_token(model, tokenizer):
    """It does not know the token itself, and knows the one before."""
    _, decoder = token_states(model, tokenizer, SOURCE, TARGET)
    _, other = token_states(model, tokenizer, SOURCE, ["find", "Path", "-name", "Xegex"])
    assert np.allclose(decoder, other, atol=1e-6)
    _, other = token_states(model, tokenizer, SOURCE, ["find", "Xath", "-name", "Regex"])
    assert np.allclose(decoder[:2], other[:2], atol=1e-6)
    assert not np.allclose(decoder[2:], other[2:], atol=1e-6)


def test_what_was_read_decides_the_states_of_both(model, tokenizer):
    encoder, decoder = token_states(model, tokenizer, SOURCE, TARGET)
    others = token_states(model, tokenizer, ["find", "Regex", "in", "File"], TARGET)
    assert not np.allclose(encoder[3], others[0][3], atol=1e-6)
    assert not np.allclose(decoder[0], others[1][0], atol=1e-6)


def symbols(tokenizer, words):
    """The ids of all words, and where each word begins, counted one word after the other."""
    texts = [" " * bool(place) + word for place, word in enumerate(words)]
    parts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    assert max(map(len, parts)) > 1
    return [*chain.from_iterable(parts), 2], np.cumsum([0, *map(len, parts)])[:-1]


@pytest.mark.parametrize("make", [bart, lstm])
def test_the_states_are_those_at_the_tokens_first_symbols(make, tokenizer):
    torch.manual_seed(2)
    special = {"pad_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 1}
    model = make(len(tokenizer), **special).eval()
    encoder, decoder = token_states(model, tokenizer, SOURCE, TARGET)
    source, source_places = symbols(tokenizer, SOURCE)
    target, target_places = symbols(tokenizer, TARGET)
    with torch.inference_mode():
        outputs = model(torch.tensor([source]), decoder_input_ids=torch.tensor([[1, *target[:-1]]]))
        written = model.get_output_embeddings()(torch.from_numpy(decoder))
    memory = outputs.encoder_last_hidden_state[0]
    assert np.allclose(encoder, memory[source_places], atol=1e-5)
    assert np.allclose(written, outputs.logits[0, target_places], atol=1e-4)
