"""A sentence and a command become texts at each level, and a text becomes a command again."""

import pytest

from nl2code.bash_code import command_tokens
from nl2code.bash_text import parsing_commands
from nl2code.linearisation import (
    InputFormat,
    in_normal_form,
    linearise,
    read_prediction,
    source_columns,
    target_column,
    target_text,
)

COMMAND = "find /tmp -name 'a  b.txt' | xargs -I {} head -5 {}"
ROW = {
    "nl": "Show  the head of 'a b' in /tmp",
    "nl_tokens": ["show", "head", "of", '"a b"', "in", "/tmp"],
    "nl_sub_tokens": ["show", "head", "of", '"', "a", "b", '"', "in", "/", "tmp"],
    "command_tokens": command_tokens(COMMAND),
    "command_sub_tokens": command_tokens(COMMAND, "sub-token"),
}
LEVELS = ("token", "sub-token", "char")


def bash(level, normalised=False):
    return InputFormat(task="bash", level=level, normalised_nl=normalised)


@pytest.mark.parametrize("level", LEVELS)
def test_the_command_comes_back_with_its_blanks(level) -> None:
    text = target_text({target_column(bash(level)): ROW[target_column(bash(level))]}, bash(level))
    assert in_normal_form(read_prediction(text), bash(level)) == COMMAND


@pytest.mark.parametrize(
    ("level", "normalised", "text"),
    [
        ("token", False, "Show the head of 'a b' in /tmp"),
        ("sub-token", False, "Show the head of ' a b ' in / tmp"),
        ("char", False, " ".join("Show▁the▁head▁of▁'a▁b'▁in▁/tmp")),
        ("token", True, 'show head of "a▁b" in /tmp'),
        ("sub-token", True, 'show head of " a b " in / tmp'),
        ("char", True, " ".join('show▁head▁of▁"a▁b"▁in▁/tmp')),
    ],
)
def test_the_sentence_is_as_written_or_normalised(level, normalised, text) -> None:
    fmt = bash(level, normalised)
    assert linearise({name: ROW[name] for name in source_columns(fmt)}, fmt) == text


def test_an_argument_is_one_word_at_the_level_of_tokens() -> None:
    words = target_text(ROW, bash("token")).split()
    assert "'a▁▁b.txt'" in words
    assert len(words) == len(ROW["command_tokens"])


def test_what_is_no_command_is_still_text() -> None:
    assert in_normal_form("<arg> a </arg> </arg>", bash("sub-token")) == "a"
    assert in_normal_form("", bash("char")) == ""


@pytest.mark.parametrize(
    "text",
    [
        "find<arg> a . c </arg> -print",
        "find <arg>a . c</arg> -print",
        "find <arg> a.c </arg>-print",
        "find<arg>a.c</arg>-print",
    ],
)
def test_a_mark_of_an_argument_glued_to_a_word_is_a_mark(text) -> None:
    read = in_normal_form(read_prediction(text), bash("sub-token"))
    assert read == "find a.c -print"


def test_at_the_other_levels_such_a_mark_is_the_commands_own() -> None:
    assert in_normal_form("echo '<arg>'", bash("token")) == "echo '<arg>'"
    own = {"command_sub_tokens": command_tokens("echo '<arg>'", "sub-token")}
    assert in_normal_form(target_text(own, bash("sub-token")), bash("sub-token")) == "echo '<arg>'"


def test_an_unknown_word_stands_as_an_argument() -> None:
    assert in_normal_form("cat <unk>", bash("token")) == "cat _UNK"


def test_commands_that_do_not_parse_are_dropped_unless_none_does() -> None:
    beams = ["ls (", "nosuch x", "ls -a", "ls -a", "ls", "pwd", "wc f"]
    assert parsing_commands(beams, 3) == (["ls -a", "ls", "pwd"], False)
    assert parsing_commands(beams[:2], 3) == (["ls ("], True)
