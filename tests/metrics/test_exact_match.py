import pytest

from nl2code.metrics.exact_match import exact_match


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("x = 1", "x = 1", 1),
        ("x  =\t1 ", "x = 1", 1),
        ("x=1", "x = 1", 0),
        ("X = 1", "x = 1", 0),
        ("x =", "x = 1", 0),
        ("", "", 1),
        ("", "x", 0),
        ("x = 1", ["y", "x = 1"], 1),
        ("x = 1", ["y", "z"], 0),
    ],
)
def test_a_match_is_equality_of_token_lists(prediction, reference, expected):
    assert exact_match([prediction], [reference]).value == expected


def test_the_score_is_a_fraction_with_its_counts():
    score = exact_match(["a", "b", "c", "d"], ["a", "b", "c", "x"])
    assert (score.value, score.counts) == (0.75, {"matches": 3, "pairs": 4})
    assert score.signature.startswith("exact_match|nrefs:1|tok:whitespace|version:nl2code-")


def test_tokens_in_place_of_strings_are_refused():
    with pytest.raises(TypeError, match="joined by blanks"):
        exact_match([["a"]], ["a"])
