"""Who decodes: our own search where it serves, else `generate`, with the same answers."""

import pytest
import torch
from tiny_models import KINDS, SOURCES, make
from transformers import T5Config, T5ForConditionalGeneration

from nl2code.decoding import Search, decode, has_steps
from nl2code.decoding.decode import generate

END = 2


def to_end(texts: list[list[int]]) -> list[list[int]]:
    return [ids[: ids.index(END) + 1] if END in ids else ids for ids in texts]


@pytest.mark.parametrize("kind", KINDS)
def test_a_wish_that_changes_nothing_gives_the_same_by_generate(kind: str) -> None:
    model = make(kind)
    assert has_steps(model)
    ours = decode(model, SOURCES, Search(beams=3, longest=12))
    model.generation_config.no_repeat_ngram_size = 50  # longer than any text
    assert not has_steps(model)
    theirs = decode(model, SOURCES, Search(beams=3, longest=12))
    assert [to_end(texts) for texts in theirs] == ours


@pytest.mark.parametrize("no_repeat", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_begun_goes_on_as_by_generate(kind: str, no_repeat: int) -> None:
    model, how = make(kind), Search(beams=3, longest=9, no_repeat=no_repeat)
    begun = [[9, 4, 7], [8, 8, 3], [6, 5, 6], [13, 6, 13], [4, 4, 4]]
    ours = decode(model, SOURCES, how, begun)
    theirs = generate(model, SOURCES, how, begun)
    assert [to_end(texts) for texts in theirs] == ours
    assert ours != decode(model, SOURCES, how)


def test_a_wish_that_changes_something_is_heeded() -> None:
    model = make("marian")
    plain = decode(model, SOURCES, Search(beams=2, longest=6))
    banned = max(token for texts in plain for ids in texts for token in ids)
    assert banned > END
    model.generation_config.bad_words_ids = [[banned]]
    found = decode(model, SOURCES, Search(beams=2, longest=6))
    assert all(banned not in ids for texts in found for ids in texts)


@pytest.mark.parametrize(
    "changes", [{"num_beams": 4}, {"length_penalty": 2.0}, {"eos_token_id": [2, 3]}]
)
def test_what_our_search_does_not_know_is_left_to_generate(changes: dict[str, object]) -> None:
    model = make("marian")
    model.generation_config.update(**changes)
    assert not has_steps(model)


def test_a_model_of_another_class_is_decoded_by_generate() -> None:
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=23, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, pad_token_id=0,
        eos_token_id=2, decoder_start_token_id=1,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config).eval()
    assert not has_steps(model)
    found = decode(model, SOURCES, Search(beams=2, longest=5))
    ids = torch.tensor([SOURCES[0]])
    theirs = model.generate(ids, num_beams=2, num_return_sequences=2, max_new_tokens=5)
    assert found[0] == theirs[:, 1:].tolist()
