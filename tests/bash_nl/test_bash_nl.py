"""Sentences of NL2Bash in their normal form, and the constants in them."""

import pytest

from nl2code.bash_nl.constants import typed_words
from nl2code.bash_nl.words import cluster, nl_tokens, sub_tokens


@pytest.mark.parametrize(
    ("nl", "words"),
    [
        ("Find all the files (case insensitive) there", "find all file"),
        ("How do I list my directories?", "list directori"),
        ("a file is not in an archive", "a file is not in an archiv"),
        ("Print ten lines, then twenty", "print 10 line 20"),
        ("print lines.", "print line"),
        ("search files/directories and/or folders", "search file directori and or folder"),
        ("Remove *.tar.gz from /usr/Local/.", "remov *.tar.gz from /usr/Local/"),
        ("look into .svn...", "look into .svn"),
        ("the user's home", "user home"),
        ("", ""),
    ],
)
def test_words_are_lowered_stemmed_and_freed_of_stop_words(nl, words):
    assert nl_tokens(nl) == words.split()


@pytest.mark.parametrize(
    "quoted", ["'My Files'", '"My Files"', "`My Files'", "“My Files”", "`My Files`"]
)
def test_a_quoted_span_is_one_token_as_it_is_written_whatever_its_quotes(quoted):
    assert nl_tokens(f"delete {quoted}.") == ["delet", '"My Files"']


def test_what_is_quoted_keeps_its_parentheses_and_its_apostrophe():
    assert nl_tokens("""run "f(x)" and "it's" """) == ["run", '"f(x)"', "and", '"it\'s"']


def test_a_lone_quote_or_parenthesis_is_no_span():
    assert nl_tokens("""don't print ' or "half of (it""") == [
        "don't",
        "print",
        "'",
        "or",
        "half",
        "of",
    ]


def test_sentences_that_say_the_same_are_one_cluster():
    one, other = "Find the 'x' file (quickly)", 'find "x" files.'
    assert cluster(nl_tokens(one)) == cluster(nl_tokens(other))


def test_sub_tokens_are_runs_of_letters_runs_of_digits_and_single_characters():
    assert sub_tokens(["copi", "a1_b.GZ", '"x y"']) == [
        *("copi", "a", "1", "_", "b", ".", "GZ", '"', "x", "y", '"')
    ]


@pytest.mark.parametrize(
    ("nl", "constant"),
    [
        ("larger than 10 MB", ("10 MB", "Size")),
        ("of 50k", ("50k", "Size")),
        ("in the last 7 days", ("7 days", "Timespan")),
        ("for two hours", ("2 hours", "Timespan")),
        ("since May 3rd 2013", ("May 3rd 2013", "DateTime")),
        ("since 10 October", ("10 October", "DateTime")),
        ("of 3 octets", ("3", "Number")),
        ("since 2013-05-03", ("2013-05-03", "DateTime")),
        ("set u+x,g-w", ("u+x,g-w", "Permission")),
        ("with permission 644", ("644", "Permission")),
        ("print line 644", ("644", "Number")),
        ("first eleven", ("11", "Number")),
        ("in '/usr/local'", ('"/usr/local"', "Directory")),
        ("in 'a.txt'", ('"a.txt"', "File")),
        ("like 'ab c'", ('"ab c"', "Regex")),
        ("below /usr/local", ("/usr/local", "Directory")),
        ("of /etc/fstab.conf", ("/etc/fstab.conf", "File")),
        ("of a.txt", ("a.txt", "File")),
        ("like '*.txt'", ('"*.txt"', "Regex")),
        ("named my_file", ("my_file", "Regex")),
        ("all PDF files", ("PDF", "File")),
        ("all mp3 files", ("mp3", "File")),
    ],
)
def test_a_constant_has_the_first_type_that_fits(nl, constant):
    (found,) = [word for word in typed_words(nl) if word.type]
    assert (found.text, found.type) == constant


def test_words_that_are_not_english_are_patterns_where_english_is_known():
    english = {"delete", "file"}
    types = [word.type for word in typed_words("Delete file foobar", english)]
    assert types == ["", "", "Regex"]


def test_an_extension_is_a_constant_only_before_the_word_file():
    assert [word.type for word in typed_words("tar a log")] == ["", "", ""]
