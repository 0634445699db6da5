"""The fast way to tokenize gives the ids of the slow one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nl2code.encoding import _fast_tokenizer, tokenize
from nl2code.tokenization import train_tokenizer

TEXTS = [
    "x = f ( 'jupyter_string' ) NEWLINE  INDENT y",
    "<markdown> a é 中 </s> <pad> </s>",
    "",
    " \t",
]
TOKENIZER = train_tokenizer(["x = f ( x ) NEWLINE y = x", "a line of text"] * 3, merges=40)


def slow(texts: list[str]) -> list[list[int]]:
    return TOKENIZER(texts, verbose=False)["input_ids"]


@pytest.fixture(autouse=True)
def fast() -> None:
    pytest.importorskip("fastokens")
    assert _fast_tokenizer(TOKENIZER.backend_tokenizer.to_str()) is not None


def test_texts_with_markers_and_what_looks_special_have_the_same_ids() -> None:
    assert tokenize(TEXTS, TOKENIZER) == slow(TEXTS)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text() | st.sampled_from(["</s>", " NEWLINE", "<code>", "x"])))
def test_any_text_has_the_same_ids(pieces: list[str]) -> None:
    text = "".join(pieces)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        return  # no tokenizer takes a lone surrogate
    assert tokenize([text], TOKENIZER) == slow([text])


def test_what_an_earlier_call_cut_and_padded_to_is_forgotten() -> None:
    TOKENIZER(TEXTS, truncation=True, max_length=3, padding="max_length")
    assert tokenize(TEXTS, TOKENIZER) == slow(TEXTS)


def test_a_definition_it_cannot_read_is_left_to_the_slow_way() -> None:
    definition = TOKENIZER.backend_tokenizer.to_str().replace('"Split"', '"Other"')
    assert _fast_tokenizer(definition) is None
