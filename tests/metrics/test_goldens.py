"""The figures that the authors' own scripts give for 150 pairs (NLTK 3.2.5, CPython 3.6)."""

import json
from pathlib import Path

import pytest

from nl2code.metrics.api import api_sequence_scores
from nl2code.metrics.bleu import bleu_nltk3
from nl2code.metrics.exact_match import exact_match

GOLDENS = Path(__file__).parents[2].parent / "shared" / "data" / "goldens" / "scores"

pytestmark = pytest.mark.skipif(
    not GOLDENS.is_dir(), reason="the goldens are not there: ../shared/data/goldens/scores"
)


@pytest.fixture(scope="module")
def pairs():
    return [json.loads(line) for line in (GOLDENS / "pairs.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def figures():
    return json.loads((GOLDENS / "scores.json").read_text())


def test_code_scores_are_the_authors(pairs, figures):
    predictions = [pair["prediction"] for pair in pairs]
    references = [pair["reference"] for pair in pairs]
    bleu, match = bleu_nltk3(predictions, references), exact_match(predictions, references)
    assert 100 * bleu.value == pytest.approx(figures["bleu"], abs=1e-9)
    assert 100 * match.value == pytest.approx(figures["em"], abs=1e-9)
    assert match.counts["pairs"] == figures["n"]


def test_api_scores_are_the_authors(pairs, figures):
    scores = api_sequence_scores(
        [pair["prediction_api"] for pair in pairs], [pair["reference_api"] for pair in pairs]
    )
    assert 100 * scores.precision.value == pytest.approx(figures["api_precision"], abs=1e-9)
    assert 100 * scores.recall.value == pytest.approx(figures["api_recall"], abs=1e-9)
