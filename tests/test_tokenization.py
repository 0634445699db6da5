"""Examples become texts, and texts become ids and come back."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nl2code.errors import UserError
from nl2code.linearisation import (
    InputFormat,
    in_normal_form,
    linearise,
    load_input_format,
    read_prediction,
    save_input_format,
    target_text,
)
from nl2code.tokenization import check_tokenizer, load_tokenizer, tokenizer_digest, train_tokenizer

LINES = [
    "<markdown> plot the mean <code> import numpy as np NEWLINE x = np . mean ( y )",
    "for i in x : NEWLINE INDENT print ( 'jupyter_string' ) NEWLINE DEDENT plot ( mean )",
] * 3


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return train_tokenizer(iter(LINES), merges=60)


def markdown(text: str, distance: int) -> dict[str, Any]:
    return {
        "cell_type": "markdown", "distance_target": distance, "nl_original": text, "code": None,
    }  # fmt: skip


def code(text: str, distance: int, cell_type: str = "code") -> dict[str, Any]:
    return {
        "cell_type": cell_type, "distance_target": distance, "nl_original": None, "code": text,
    }  # fmt: skip


def row(*context: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "context": list(context),
        "code": "print('a b')\n",
        "code_tokens_clean": ["print", "(", "'jupyter_string'", ")"],
        "api_sequence": ["NO_API_SEQUENCE"],
        "comments": ["the", "answer"],
        **fields,
    }


def test_the_nearest_cell_comes_first_and_each_has_its_type_before_it() -> None:
    above = row(markdown("Now *b*.", 1), code("x=1\ny=2", 2), code("a  b", 3, "raw"))
    assert linearise(above, InputFormat()) == (
        "<markdown> Now b . <code> x = 1 NEWLINE y = 2 <raw> a b"
    )


def test_no_cell_beyond_k_is_read() -> None:
    above = row(markdown("b", 1), code("x", 2), code("y", 3))
    assert linearise(above, InputFormat(context_cells=1)) == "<markdown> b"
    assert linearise(above, InputFormat(context_cells=2)) == "<markdown> b <code> x"


def test_code_keeps_its_first_tokens_and_nl_its_last() -> None:
    above = row(markdown("a b c d", 1), code("x = y + z", 2), markdown("e f g h", 3))
    text = linearise(above, InputFormat(context_tokens=2))
    assert text == "<markdown> a b c d <code> x = <markdown> g h"


def test_the_target_nl_is_cut_only_on_request() -> None:
    above = row(markdown("a b c d", 1))
    assert linearise(above, InputFormat(context_tokens=2)) == "<markdown> a b c d"
    assert linearise(above, InputFormat(context_tokens=2, cut_target_nl=True)) == "<markdown> c d"
    assert linearise(above, InputFormat(context_tokens=0, cut_target_nl=True)) == "<markdown>"


def test_code_that_is_no_python_keeps_its_words_and_line_ends() -> None:
    text = linearise(row(code("def f(:\n  a_b", 1)), InputFormat())
    assert text == "<code> def f ( : NEWLINE a_b"


def test_a_context_cell_that_the_interpreter_chokes_on_keeps_its_words() -> None:
    huge = "0x" + "f" * 6000  # Python writes out no int of more than 4,300 digits
    text = linearise(row(markdown("b", 1), code(f"x = {huge}", 2), code("y=1", 3)), InputFormat())
    assert text == f"<markdown> b <code> x = {huge} <code> y = 1"


def test_the_input_holds_nothing_of_the_target_unless_asked() -> None:
    above = row(markdown("b", 1))
    assert linearise(above, InputFormat()) == "<markdown> b"
    leak = InputFormat(target_comments_in_input=True)
    assert linearise(above, leak) == "<comments> the answer <markdown> b"


def test_the_target_is_the_normal_form_or_the_api_sequence() -> None:
    assert target_text(row(), InputFormat()) == "print ( 'jupyter_string' )"
    assert target_text(row(), InputFormat(task="api")) == "NO_API_SEQUENCE"
    lossless = target_text(row(), InputFormat(scheme="lossless"))
    assert lossless.split()[:2] == ["print", "("]
    assert "jupyter_string" not in lossless


def test_a_prediction_is_read_as_whitespace_joined_tokens() -> None:
    assert read_prediction("  x =\n1  ") == "x = 1"


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(ANY_TEXT)
@example("x </s> <s> <pad> y")
@example(" two  blanks \t\n NEWLINE NEWLINES <markdown><code>")
@settings(max_examples=100, deadline=None)
def test_any_text_comes_back(tokenizer: Any, text: str) -> None:
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


@given(
    st.lists(st.sampled_from(["x", "NEWLINE", "INDENT", "DEDENT", ".", "n't", "''", "é", "</s>"]))
)
@settings(max_examples=50, deadline=None)
def test_tokens_joined_by_blanks_come_back(tokenizer: Any, tokens: list[str]) -> None:
    ids = tokenizer(" ".join(tokens))["input_ids"]
    assert tokenizer.decode(ids, skip_special_tokens=True).split() == tokens


def test_an_encoded_text_ends_once_and_its_structure_costs_one_symbol_each(tokenizer: Any) -> None:
    ids = tokenizer("<code> NEWLINE INDENT DEDENT </s>")["input_ids"]
    assert len(tokenizer("<code> NEWLINE INDENT DEDENT")["input_ids"]) == 5
    assert ids.count(tokenizer.eos_token_id) == 1
    assert ids[-1] == tokenizer.eos_token_id


def test_a_frequent_token_is_one_symbol_whatever_its_signs() -> None:
    tokenizer = train_tokenizer(LINES, merges=200)
    assert len(tokenizer(" 'jupyter_string'")["input_ids"]) == 2


def test_the_same_text_gives_the_same_bytes(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer.save_pretrained(tmp_path / "a")
    train_tokenizer(iter(LINES), merges=60).save_pretrained(tmp_path / "b")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_saved_tokenizer_is_the_same_when_loaded(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer.save_pretrained(tmp_path)
    loaded = load_tokenizer(tmp_path)
    text = "<markdown> a NEWLINE b </s>"
    assert loaded(text)["input_ids"] == tokenizer(text)["input_ids"]
    assert loaded.decode(loaded(text)["input_ids"], skip_special_tokens=True) == text
    assert loaded.pad_token_id == 0
    assert (loaded.bos_token, loaded.eos_token) == ("<s>", "</s>")
    assert tokenizer_digest(loaded) == tokenizer_digest(tokenizer)


def test_a_missing_or_broken_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere: no such folder"):
        load_tokenizer(tmp_path / "nowhere")
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(UserError, match=f"tokenizer {tmp_path}: cannot be loaded"):
        load_tokenizer(tmp_path)


def fitting(tokenizer: Any, **fields: Any) -> Any:
    return SimpleNamespace(
        **{"vocab_size": len(tokenizer), "pad_token_id": 0, "eos_token_id": 2, **fields}
    )


def test_a_tokenizer_that_fits_the_model_passes(tokenizer: Any) -> None:
    check_tokenizer(tokenizer, fitting(tokenizer))
    check_tokenizer(tokenizer, fitting(tokenizer, tokenizer_digest=tokenizer_digest(tokenizer)))


@pytest.mark.parametrize(
    "fields",
    [{"vocab_size": 100}, {"vocab_size": 999}, {"pad_token_id": 1}, {"eos_token_id": 1},
     {"tokenizer_digest": "0"}],
)  # fmt: skip
def test_a_tokenizer_of_another_model_is_refused(tokenizer: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=next(iter(fields))):
        check_tokenizer(tokenizer, fitting(tokenizer, **fields))


def test_the_input_format_is_kept_beside_the_model(tmp_path: Path) -> None:
    fmt = InputFormat(context_cells=1, task="api")
    save_input_format(fmt, tmp_path)
    assert load_input_format(tmp_path) == fmt


def test_a_missing_or_odd_input_format_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"juice_input\.json: no such file"):
        load_input_format(tmp_path)
    (tmp_path / "juice_input.json").write_text('{"context_cells": "many"}')
    with pytest.raises(UserError, match=r"juice_input\.json.*context_cells.*many"):
        load_input_format(tmp_path)


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        (
            "if x : NEWLINE INDENT y = 'a' NEWLINE DEDENT z",
            "if x : NEWLINE INDENT y = 'jupyter_string' NEWLINE z",
        ),
        ("if x : NEWLINE y", "if x : NEWLINE y"),
        ("DEDENT DEDENT", "DEDENT DEDENT"),
        ("", ""),
    ],
)  # fmt: skip
def test_lossless_predictions_are_scored_in_the_normal_form(prediction: str, expected: str) -> None:
    assert in_normal_form(prediction, InputFormat(scheme="lossless")) == expected
    assert in_normal_form(prediction, InputFormat()) == prediction


def test_the_nl_is_read_first_though_given_code_stands_between_it_and_the_target() -> None:
    above = row(code("def f(x):", 1), markdown("Add " + "one " * 80, 2), code("y=1", 3))
    text = linearise(above, InputFormat(context_tokens=3))
    assert text == "<markdown> Add " + "one " * 80 + "<code> def f ( <code> y = 1"
    assert linearise(above, InputFormat(context_cells=1)).startswith("<markdown> Add one")


def test_a_students_markdown_below_the_prompt_is_not_the_nl() -> None:
    above = row(markdown("I think so.", 1), code("y", 2), markdown("Add.", 3), nl_original="Add.")
    assert linearise(above, InputFormat(context_cells=1)) == "<markdown> Add ."
    assert linearise(above, InputFormat(context_cells=2)).endswith("<markdown> I think so .")
