"""A vocabulary of whole words: what it holds, and how unknown words get through a model."""

import pytest

from nl2code.encoding import encode
from nl2code.errors import UserError
from nl2code.linearisation import InputFormat
from nl2code.tokenization import load_tokenizer
from nl2code.vocabulary import (
    PLACEHOLDERS,
    check_placeholders,
    put_back,
    train_words,
    unknown_words,
    with_placeholders,
)

TEXTS = ["show a.c", "cat a.c", "show b.c", "cat b.c cat"]


def test_words_too_rare_are_unknown_and_the_frequent_come_first(tmp_path) -> None:
    train_words(iter(TEXTS), min_count=2).save_pretrained(tmp_path)
    tokenizer = load_tokenizer(tmp_path)
    ids = tokenizer("show a.c new cat")["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids) == ["show", "a.c", "<unk>", "cat", "</s>"]
    assert tokenizer.decode(ids, skip_special_tokens=True) == "show a.c <unk> cat"
    assert ids[3] == min(set(ids) - {tokenizer.eos_token_id, ids[2]})
    assert (tokenizer.pad_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id) == (0, 1, 2)
    rare = load_tokenizer(tmp_path).get_vocab().keys() - train_words(TEXTS, 3).get_vocab().keys()
    assert rare == {"show", "a.c", "b.c"}


def test_each_distinct_unknown_word_has_a_placeholder_of_its_own() -> None:
    unknown = unknown_words("copy x y x copy z", {"copy"})
    text = with_placeholders("cp x y z w copy", unknown)
    assert text == f"cp {PLACEHOLDERS[0]} {PLACEHOLDERS[1]} {PLACEHOLDERS[2]} w copy"
    assert put_back(text, unknown) == "cp x y z w copy"
    assert put_back(f"cp {PLACEHOLDERS[5]}", unknown) == f"cp {PLACEHOLDERS[5]}"


def test_more_unknown_words_than_placeholders_stay_unknown() -> None:
    many = [f"w{number}" for number in range(len(PLACEHOLDERS) + 2)]
    unknown = unknown_words(" ".join(many), {"x"})
    assert list(unknown) == many[: len(PLACEHOLDERS)]


@pytest.mark.parametrize("copying", [False, True])
def test_source_and_target_share_their_placeholders_where_asked(copying) -> None:
    from datasets import Dataset

    row = {"nl_tokens": ["show", "new.c"], "command_tokens": ["cat", "new.c", "other.c"]}
    fmt = InputFormat(task="bash", normalised_nl=True, copy_unknown=copying)
    tokenizer = train_words(TEXTS, 2)
    pairs, _ = encode(Dataset.from_list([row]), tokenizer, fmt, (9, 9))
    word = PLACEHOLDERS[0] if copying else "<unk>"
    texts = [
        tokenizer.convert_ids_to_tokens(side.values) for side in (pairs.sources, pairs.targets)
    ]
    assert texts == [["show", word, "</s>"], ["cat", word, "<unk>", "</s>"]]


def test_a_tokenizer_without_placeholders_is_refused() -> None:
    with pytest.raises(UserError, match=r"format\.copy_unknown: the tokenizer bpe has no <unk_0>"):
        check_placeholders("bpe", {"a"})
    check_placeholders("words", train_words(TEXTS).get_vocab())
