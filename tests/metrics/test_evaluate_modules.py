"""The evaluate modules load from the repository's root and give what the pure functions give."""

from pathlib import Path

import evaluate
import pytest

from nl2code.metrics.api import api_sequence_scores
from nl2code.metrics.bleu import bleu_nltk3, bleu_sacre
from nl2code.metrics.exact_match import exact_match

ROOT = Path(__file__).parents[2]
PREDICTIONS = ["a b c d x", "f ( x )", ""]
SINGLE = ["a b c d e", "f ( x )", "g"]
RAGGED = [["q", "a b c d e"], ["f ( x )"], ["g", "h", "i j"]]


@pytest.fixture
def load(monkeypatch):
    monkeypatch.chdir(ROOT)
    return lambda name: evaluate.load(f"./metrics/{name}", keep_in_memory=True)


@pytest.mark.parametrize("references", [SINGLE, RAGGED], ids=["single", "ragged"])
def test_exact_match_code_is_the_pure_function(load, references):
    got = load("exact_match_code").compute(predictions=PREDICTIONS, references=references)
    assert got == {"exact_match": exact_match(PREDICTIONS, references).value}
    assert got["exact_match"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("references", [SINGLE, RAGGED], ids=["single", "ragged"])
def test_bleu_tokens_is_the_pure_functions(load, references):
    got = load("bleu_tokens").compute(predictions=PREDICTIONS, references=references)
    scores = bleu_nltk3(PREDICTIONS, references), bleu_sacre(PREDICTIONS, references)
    assert got == {
        "bleu_nltk3": scores[0].value,
        "bleu_sacre": scores[1].value,
        "signature": f"{scores[0].signature} {scores[1].signature}",
    }
    assert 0 < got["bleu_nltk3"] < 1


@pytest.mark.parametrize("references", [SINGLE, RAGGED], ids=["single", "ragged"])
def test_api_sequence_is_the_pure_function(load, references):
    got = load("api_sequence").compute(predictions=PREDICTIONS, references=references)
    scores = api_sequence_scores(PREDICTIONS, references)
    assert got == {"precision": scores.precision.value, "recall": scores.recall.value}
    assert got["precision"] == pytest.approx((4 / 5 + 1 + 0) / 3)


def test_examples_may_come_in_batches(load):
    metric = load("exact_match_code")
    metric.add_batch(predictions=["a"], references=["a"])
    metric.add_batch(predictions=["b", "c"], references=["x", "c"])
    assert metric.compute() == {"exact_match": pytest.approx(2 / 3)}


def test_token_lists_are_refused(load):
    with pytest.raises(ValueError, match="expected format"):
        load("bleu_tokens").compute(predictions=[["a", "b"]], references=["a b"])


@pytest.mark.parametrize("name", ["exact_match_code", "bleu_tokens", "api_sequence"])
def test_each_module_has_a_card(name):
    card = (ROOT / "metrics" / name / "README.md").read_text()
    assert f'evaluate.load("./metrics/{name}")' in card
