"""Scores of Bash commands, against values worked by hand."""

import math

import pytest

from nl2code.metrics.bash import char_bleu, command_match, nlc2cmd, template_match, tm

SCORES = [command_match, template_match, char_bleu, tm, nlc2cmd]


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("ls -la", "ls -l -a", 1),
        ("find -name 'a'", "find . -name 'a'", 1),
        ("ls \u2013l", "ls -l", 1),
        ("ls -l", "ls -a", 0),
        ("ls a", ["pwd", "ls  a"], 1),
        ("no (Bash", "no (Bash ", 1),
        ("no (Bash", "ls", 0),
    ],
)
def test_commands_match_in_their_canonical_form(prediction, reference, expected):
    assert command_match([prediction], [reference]).value == expected


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("ls a", "ls b", 1),
        ("find . -mtime -2", "find /etc -mtime -30", 1),
        ("find . -mtime -2", "find . -mtime +2", 0),
        ("find . -type f", "find . -type d", 0),
        ("no (Bash", "no (Bash", 0),
        ("ls > a", "ls > b", 1),
    ],
)
def test_templates_match_whatever_the_arguments(prediction, reference, expected):
    assert template_match([prediction], [reference]).value == expected


def test_char_bleu_is_of_characters_of_the_best_candidate_and_all_references():
    # "abcd" against "abce": 3/4 · 2/3 · 1/2 and no 4-gram, so next to nothing unsmoothed.
    assert char_bleu(["abcd"], ["abce"]).value == pytest.approx(0, abs=1e-3)
    # "abcde" against "abcdf": (4/5 · 3/4 · 2/3 · 1/2) ** (1/4)
    assert char_bleu(["abcde"], ["abcdf"]).value == pytest.approx(0.2**0.25)
    # Each half of the 4-grams is in another reference: clipped counts are over both.
    assert char_bleu(["abcde"], [["abcdf", "zbcde"]]).value == pytest.approx(1)
    assert char_bleu([["", "abcde"]], ["abcde"], k=2).value == pytest.approx(1)
    assert char_bleu([["", "abcde"]], ["abcde"], k=1).value == 0


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("ls -l a", "ls -l b c", 1),
        ("ls -l", "ls", 1 / math.sqrt(2)),
        ("ls -a", ["wc", "ls -l"], 1 / 2),
        ("find a -type f", "find b -type d", 2 / 3),
        ("ls | ls", "ls", 1 / math.sqrt(3)),  # the second ls meets no partner
        ("no (Bash", "ls", 0),
    ],
)
def test_tm_is_the_cosine_of_the_bags_of_closed_words(prediction, reference, expected):
    assert tm([prediction], [reference]).value == pytest.approx(expected)


def test_char_bleu_of_three_characters_is_0_as_published():
    assert char_bleu(["pwd"], ["pwd"]).value == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize(
    ("predictions", "references", "expected"),
    [
        (["ls"], ["ls"], 1),
        (["ls -l"], ["ls -l -a"], (1 + (2 - 2) / 2) / 2),
        (["ls -l"], ["ls -a"], (1 + (0 - 2) / 1) / 2),
        (["ls | wc"], ["ls"], (1 - 1) / 2),
        (["ls | wc"], ["wc | ls"], -1),
        (["pwd", "ls"], ["ls"], 1),
        (["pwd", "pwd | ls"], ["ls"], -1),
        (["ls -l"], ["ls -a", "ls -l"], 1),
        (["no (Bash"], ["ls"], -1),
        ([], ["ls"], -1),
        (["find . -exec ls -l {} +"], ["find . -exec ls -l {} +"], 1),
    ],
)
def test_nlc2cmd_pairs_utilities_by_position(predictions, references, expected):
    assert nlc2cmd([predictions], [references], k=5).value == pytest.approx(expected)


@pytest.mark.parametrize("score", SCORES)
def test_only_the_first_k_count(score):
    predictions = [["pwd", "ls -l"], ["ls -a", "pwd"]]
    references = [["ls -l"], ["ls -a"]]
    assert score(predictions, references, k=2).value == pytest.approx(1)
    assert score(predictions, references, k=1).value < 0.6


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("prediction", ["", "$(", "a 'b", "<<EOF", "x" * 10_000, "ls | | wc", "\0"])
def test_whatever_is_predicted_scores_low_and_is_counted(score, prediction):
    result = score([prediction], ["find . -name 'a'"])
    assert -1 <= result.value < 0.5
    assert result.counts["no_bash"] == 1


@pytest.mark.parametrize("score", SCORES)
def test_the_signature_names_k_and_the_references(score):
    result = score([["ls", "pwd"], ["wc"]], [["ls"], ["wc", "wc -l"]], k=3)
    assert result.signature.startswith(f"{result.name}|nrefs:var|k:3|")
    assert result.counts["candidates"] == 3


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("predictions", "references", "k", "error"),
    [
        ("ls", ["ls"], 1, TypeError),
        ([["ls", 3]], ["ls"], 1, TypeError),
        (["ls"], ["ls", "wc"], 1, ValueError),
        (["ls"], [[]], 1, ValueError),
        ([], [], 1, ValueError),
        (["ls"], ["ls"], 0, ValueError),
    ],
)
def test_what_cannot_be_scored_is_refused(score, predictions, references, k, error):
    with pytest.raises(error):
        score(predictions, references, k)
