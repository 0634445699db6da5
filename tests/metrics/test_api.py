import pytest

from nl2code.metrics.api import api_sequence_scores


@pytest.mark.parametrize(
    ("prediction", "reference", "precision", "recall"),
    [
        ("fit", "DecisionTreeClassifier fit", 1, 1 / 2),
        ("fit predict score", "DecisionTreeClassifier fit", 1 / 3, 1 / 2),
        ("fit fit fit plot", "plot fit plot", 1, 1),  # sets: neither order nor repetition counts
        ("a b", "c d", 0, 0),
        ("", "fit", 0, 0),
        ("fit", "", 0, 0),
        ("", "", 0, 0),
        ("NO_API_SEQUENCE", "NO_API_SEQUENCE", 1, 1),
        ("fit", "NO_API_SEQUENCE", 0, 0),
        ("", "NO_API_SEQUENCE", 0, 0),
        ("a b", ["a b c d", "a b x"], 1, 2 / 3),  # the reference with the better F1
    ],
)
def test_one_example(prediction, reference, precision, recall):
    scores = api_sequence_scores([prediction], [reference])
    assert (scores.precision.value, scores.recall.value) == pytest.approx((precision, recall))


def test_the_average_is_over_examples_not_over_calls():
    # Over calls it would be 10 of 11. Here one example is all right, the other all wrong.
    long = "a b c d e f g h i j"
    scores = api_sequence_scores([long, "x"], [long, "y"])
    assert (scores.precision.value, scores.recall.value) == (0.5, 0.5)


def test_the_signature_says_set_and_macro():
    scores = api_sequence_scores(["a", ""], ["a", "b"])
    assert scores.precision.signature.startswith("api_precision|nrefs:1|calls:set|average:macro")
    assert scores.recall.signature.startswith("api_recall|")
    assert scores.recall.counts == {"pairs": 2, "empty_predictions": 1}
