"""What the template model reads."""

import pytest

from nl2code.bash_nl.sentences import read_sentence


@pytest.mark.parametrize(
    ("nl", "tokens"),
    [
        ("Find files larger than 10 MB in /usr", "find file larger than Size in Directory"),
        ("show the ten lines with 'A b' of a.txt", "show Number line with Regex of File"),
        ("all PDF files changed 2 weeks ago", "all File file chang Timespan ago"),
        ("list directories", "list directori"),
        ("", ""),
    ],
)
def test_constants_are_their_types_and_other_words_are_normalised(nl, tokens):
    assert " ".join(read_sentence(nl).tokens) == tokens


def test_a_constant_has_its_own_text_and_the_place_of_its_type():
    sentence = read_sentence("Delete the 'old \"x\" one' and /tmp")
    assert [constant.text for constant in sentence.constants] == ['old "x" one', "/tmp"]
    assert [sentence.tokens[constant.place] for constant in sentence.constants] == [
        "Regex",
        "Directory",
    ]


def test_words_that_are_not_english_are_constants_where_english_is_known():
    assert read_sentence("delete foo").constants == ()
    (found,) = read_sentence("delete foo", {"delete"}).constants
    assert (found.text, found.type) == ("foo", "Regex")
