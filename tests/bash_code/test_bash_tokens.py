import pytest

from nl2code.bash_code import canonical, command_tokens, restore_command

COMMANDS = [
    "find . -name '*.c' -exec head -5 {} \\;",
    "ls --color=auto \"a b\" | xargs -I{} sh -c 'wc {}'",
    "x=$(tail -n +2 log2.txt)",
    'cd "$(dirname $0)"',
    "env A=1 sort -k2,2n",
    "diff <(od -w16 a) b &",
]


@pytest.mark.parametrize("level", ["token", "sub-token", "char"])
@pytest.mark.parametrize("command", COMMANDS)
def test_tokens_give_the_command_back(command, level):
    tokens = command_tokens(command, level)
    assert not any(" " in token for token in tokens) or level == "token"
    assert canonical(restore_command(tokens, level)) == canonical(command)


def test_a_token_is_a_word():
    tokens = ["head", "-=", "5", "'a b'", "|", "wc", "-l"]
    assert command_tokens("head -5 'a b' | wc -l", "token") == tokens


def test_only_arguments_are_split_and_marked():
    assert command_tokens("find . -newermt 2018-01", "sub-token") == [
        *["find", ".", "-newermt", "<arg>", "2018", "-", "01", "</arg>"]
    ]


def test_characters_have_a_visible_blank():
    assert command_tokens("ls -a", "char") == list("ls▁-a")


def test_any_tokens_restore_to_some_string():
    assert restore_command(["ls", "</arg>", "<arg>", "a", "b"], "sub-token") == "ls  ab"


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match="'word'"):
        command_tokens("ls", "word")
