"""What is no Bash, or not the kind that the paper keeps, has a reason; nothing crashes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nl2code.bash_code import NotBash, canonical, parse, template


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "empty"),
        (" \t", "empty"),
        ("ls " + "a" * 10_000, "too_long"),
        ("echo " + "$(echo " * 200 + ")" * 200, "too_deep"),
        ("env " * 900 + "ls", "too_deep"),
        ("find . " + "-exec find . " * 200, "too_deep"),
        ('echo "a', "unparsed"),
        ("echo 'a", "unparsed"),
        ("[file] [regex]", "unparsed"),
        ("ls |", "unparsed"),
        ("cat <<EOF\nx\nEOF", "heredoc"),
        ("ls > f", "redirect"),
        ("ls 2>&1 | wc", "redirect"),
        ("cd $(ls < f)", "redirect"),
        ("ls; pwd", "list"),
        ("ls && pwd", "list"),
        ("ls\npwd", "list"),
        ("for i in *; do ls; done", "compound"),
        ("(ls)", "compound"),
        ("[ -f a ]", "compound"),
        ("export A=b", "no_grammar"),
        ("frobnicate -x", "no_grammar"),
        ("/bin/true", "no_grammar"),
        ("find . -exec frobnicate {} +", "no_grammar"),
        ("ls --frobnicate", "unknown_flag"),
        ("ls -j", "unknown_flag"),
        ("find . -frobnicate", "unknown_flag"),
        ("tar xq f", "unknown_flag"),
        ("find . -name", "missing_argument"),
        ("find . -exec", "missing_argument"),
        ("ls | xargs -I", "missing_argument"),
        ("sh -c 'ls; pwd'", "subcommand"),
    ],
)
def test_a_command_that_is_not_read_has_its_reason(command, reason):
    with pytest.raises(NotBash) as caught:
        parse(command)
    assert caught.value.reason == reason


def test_the_detail_names_what_was_met():
    with pytest.raises(NotBash, match="unknown_flag: ls --frobnicate"):
        parse("ls --frobnicate")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ls find-exec{}\\;+'\"$()<>|&`=~ \n\u201c\u2013a0", max_size=40))
def test_whatever_is_written_gives_a_stable_form_or_a_reason(text):
    try:
        first = canonical(text, redirects=True)
    except NotBash:
        return
    assert template(first, redirects=True)


def test_text_that_utf_8_cannot_hold_is_read():
    assert template("ls \ud800") == "ls File"
