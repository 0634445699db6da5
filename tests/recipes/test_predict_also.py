"""With --also another system answers where the model finds its answer likelier."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from test_predict import checkpoint, data, load_program, predict  # noqa: F401  (fixtures)

from nl2code import other_answers
from nl2code.decoding import Search
from nl2code.errors import UserError
from nl2code.given_code import Given
from nl2code.jsonl import write_jsonl
from nl2code.linearisation import InputFormat
from nl2code.other_answers import is_likelier
from nl2code.questions import Question
from nl2code.tokenization import load_tokenizer

LONG = "f ( x ) f ( x ) f ( x ) f ( x ) f ( x )"


def answers(checkpoint, data, out, *options):  # noqa: F811
    return [line["prediction"] for line in predict(checkpoint, data, out, "--overwrite", *options)]


def test_the_likelier_answer_is_taken_whole(checkpoint, data, tmp_path) -> None:  # noqa: F811
    out, also = tmp_path / "out.jsonl", tmp_path / "also.jsonl"
    own = answers(checkpoint, data, out)
    write_jsonl(also, [{"id": "r1", "prediction": LONG}])
    prefer_long = answers(checkpoint, data, out, "--also", str(also), "--length_penalty", "9")
    assert prefer_long[1] == LONG
    assert LONG not in (prefer_long[0], own[1])
    prefer_short = answers(checkpoint, data, out, "--also", str(also), "--length_penalty", "-9")
    assert LONG not in prefer_short


def test_an_answer_to_no_row_of_the_split_is_refused(checkpoint, data, tmp_path) -> None:  # noqa: F811
    write_jsonl(tmp_path / "also.jsonl", [{"id": "other", "prediction": "f"}])
    with pytest.raises(UserError, match=r"also\.jsonl, line 1: the id 'other' is not in the split"):
        predict(checkpoint, data, tmp_path / "out.jsonl", "--also", str(tmp_path / "also.jsonl"))


@pytest.mark.parametrize("fmt", [InputFormat(scheme="lossless"), InputFormat(task="bash")])
def test_a_model_that_writes_in_another_form_is_refused(fmt, tmp_path) -> None:
    program = load_program("recipes/predict.py")
    config = program.PredictConfig(Path("c"), "d", Path("o"), also=Path("p"))
    with pytest.raises(UserError, match="--also: c does not write in the form of predictions"):
        program.check_checkpoint(config, fmt, SimpleNamespace(config=SimpleNamespace()))


@pytest.fixture
def likelier(checkpoint, monkeypatch):  # noqa: F811
    """Whether `other` is, of which a model with few positions finds every token as likely."""
    tokenizer = load_tokenizer(str(checkpoint))
    given = Given(after=("NEWLINE", "return", "x"))

    def scores(model, source, begun, texts):
        written = tokenizer.batch_decode(texts, skip_special_tokens=True)
        assert all(text.endswith("NEWLINE return x") for text in written)
        return [-1.0 for _ in texts]

    def ask(other: str, own: str, positions: int = 99) -> bool:
        model = SimpleNamespace(config=SimpleNamespace(max_position_embeddings=positions))
        question = Question([], [], given, {})
        return is_likelier(model, tokenizer, question, other, own, Search(beams=1, longest=9))

    monkeypatch.setattr(other_answers, "log_probabilities", scores)
    return ask


def test_both_are_read_with_what_is_given_below_them(likelier) -> None:
    assert likelier(LONG, "f")
    assert likelier(LONG, "f NEWLINE return x")
    assert not likelier("f", LONG)


def test_no_answer_the_same_answer_and_one_too_long_are_never_likelier(likelier) -> None:
    assert not likelier("", "f")
    assert not likelier(LONG, f"{LONG} NEWLINE return x")
    assert not likelier(LONG, "f", positions=20)
