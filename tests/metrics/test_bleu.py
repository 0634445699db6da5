import math

import nltk
import pytest
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

from nl2code.metrics.bleu import bleu_nltk3, bleu_sacre

# Three toy pairs, worked by hand. Matches / totals for each order:
#   predictions of 4, 4 and 2 tokens (10), references of 4, 5 and 2 tokens (11)
#   1-grams 3 + 3 + 2 = 8 of 10    2-grams 2 + 1 + 1 = 4 of 3 + 3 + 1 = 7
#   3-grams 1 + 0 + 0 = 1 of 4     4-grams 0 of 2
TOY_PREDICTIONS = ["a b c x", "p q z r", "u v"]
TOY_REFERENCES = ["a b c d", "p q r s t", "u v"]
BREVITY = math.exp(1 - 11 / 10)


def test_toy_pairs_by_hand_with_nltk():
    # The third prediction is under 3 tokens: NLTK counts one more 3-gram and one more 4-gram.
    # Smoothing 3 makes the 0 of 4-grams 1 / (2 * 3).
    expected = BREVITY * (8 / 10 * 4 / 7 * 1 / 5 * 1 / 6) ** (1 / 4)
    assert bleu_nltk3(TOY_PREDICTIONS, TOY_REFERENCES).value == pytest.approx(expected)


def test_toy_pairs_by_hand_with_sacrebleu():
    # Smoothing exp makes the 0 of 4-grams 1 / (2 * 2): a total is what is really there.
    score = bleu_sacre(TOY_PREDICTIONS, TOY_REFERENCES)
    assert score.value == pytest.approx(BREVITY * (8 / 10 * 4 / 7 * 1 / 4 * 1 / 4) ** (1 / 4))
    names = [f"{kind}_{order}" for kind in ("matches", "total") for order in (1, 2, 3, 4)]
    assert [score.counts[name] for name in names] == [8, 4, 1, 0, 10, 7, 4, 2]
    assert (score.counts["prediction_tokens"], score.counts["reference_tokens"]) == (10, 11)


def test_strings_are_split_into_tokens_not_letters():
    letters = corpus_bleu(
        [[reference] for reference in TOY_REFERENCES],
        TOY_PREDICTIONS,
        smoothing_function=SmoothingFunction().method3,
    )
    ours = bleu_nltk3(TOY_PREDICTIONS, TOY_REFERENCES).value
    assert abs(letters - ours) > 0.05  # the trap is real: NLTK takes strings without a word


@pytest.mark.parametrize("metric", [bleu_nltk3, bleu_sacre])
def test_token_lists_in_place_of_strings_are_refused(metric):
    with pytest.raises(TypeError, match="joined by blanks, not as list"):
        metric([["a", "b"]], ["a b"])
    with pytest.raises(TypeError, match="not one string"):
        metric("a b", "a b")


def test_short_exact_predictions_score_under_one_with_nltk_only():
    # 39 pairs of 6 tokens and one of 2: the short one adds 1 to the totals of orders 3 and 4.
    texts = ["a b c d e f"] * 39 + ["x y"]
    totals = [(236, 236), (196, 196), (156, 157), (117, 118)]
    expected = math.prod(matches / total for matches, total in totals) ** (1 / 4)
    assert bleu_nltk3(texts, texts).value == pytest.approx(expected)
    assert bleu_nltk3(texts, texts).value < 1
    assert bleu_sacre(texts, texts).value == 1


@pytest.mark.parametrize("metric", [bleu_nltk3, bleu_sacre])
def test_empty_predictions_score_zero(metric):
    assert metric(["", ""], ["a b", "c"]).value == 0
    assert metric([""], [""]).value == 0


@pytest.mark.parametrize("metric", [bleu_nltk3, bleu_sacre])
def test_several_references_may_differ_in_number(metric):
    score = metric(["a b c d", "e f g h"], [["x y", "a b c d"], ["e f g h"]])
    assert score.value == 1
    assert "nrefs:var" in score.signature


@pytest.mark.parametrize("metric", [bleu_nltk3, bleu_sacre])
def test_the_order_of_the_pairs_changes_nothing(metric):
    there = metric(TOY_PREDICTIONS, TOY_REFERENCES)
    back = metric(TOY_PREDICTIONS[::-1], TOY_REFERENCES[::-1])
    assert there == back


def test_signatures_name_scorer_tokenizer_smoothing_and_version():
    signature = bleu_nltk3(["a"], ["a"]).signature
    version = f"version:{nltk.__version__}"
    assert signature == f"nltk.corpus_bleu|nrefs:1|tok:whitespace|smooth:method3|{version}"
    assert "tok:none|smooth:exp|version:2" in bleu_sacre(["a"], ["a"]).signature


def test_white_space_is_only_a_separator():
    assert bleu_sacre(["  a b\tc   d "], ["a b c d"]).value == 1
    assert bleu_nltk3(["  a b\tc   d "], ["a b c d"]).value == 1


@pytest.mark.parametrize("metric", [bleu_nltk3, bleu_sacre])
def test_nothing_to_score_is_an_error(metric):
    with pytest.raises(ValueError, match="nothing to score"):
        metric([], [])
    with pytest.raises(ValueError, match="2 predictions, but 1 references"):
        metric(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="empty list of references"):
        metric(["a"], [[]])
