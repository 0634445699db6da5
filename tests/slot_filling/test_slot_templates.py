"""Templates: their slots, and the commands that they become."""

import pytest

from nl2code.bash_code import NotBash, canonical, template
from nl2code.slot_filling import read_template, take_apart


def kinds(text):
    return [(slot.utility, slot.flag, slot.sign + slot.type) for slot in read_template(text).slots]


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("ls -l File", [("ls", "", "File")]),
        ("find Path -size +Size", [("find", "", "Path"), ("find", "-size", "+Size")]),
        ("head - Quantity File", [("head", "-", "Quantity"), ("head", "", "File")]),
        ("find Path -type f -printf '%p'", [("find", "", "Path")]),
        (
            r"find Path -exec grep Regex {} \; | wc -l",
            [("find", "", "Path"), ("grep", "", "Regex")],
        ),
        ('ssh Regex " ls File "', [("ssh", "", "Regex"), ("ls", "", "File")]),
        ("cd $( dirname File )", [("dirname", "", "File")]),
        ("ls > File", [("ls", "", "File")]),
        ("chmod -Permission File", [("chmod", "", "-Permission"), ("chmod", "", "File")]),
        ("Variable= Regex", [("", "", "Regex")]),
        ("echo hello", []),
    ],
)
def test_a_slot_knows_its_utility_its_flag_and_its_sign(text, slots):
    assert kinds(text) == slots


def test_a_slots_place_is_its_token():
    found = read_template("find Path -size +Size | head - Quantity")
    assert [found.tokens[slot.place] for slot in found.slots] == ["Path", "+Size", "Quantity"]


@pytest.mark.parametrize(
    ("text", "values", "command"),
    [
        ("find Path -mtime -Timespan", [".", "7"], "find . -mtime -7"),
        ("head - Quantity File", ["5", "a"], "head -5 a"),
        ("head --lines Quantity File", ["5", "a"], "head --lines 5 a"),
        ('ssh Regex " cat File "', ["h", '"a b"'], 'ssh h "cat \\"a b\\""'),
        ("Variable= Regex", ["5"], "Variable=5"),
        ("wc -l $( ls File )", ["x"], "wc -l $(ls x)"),
    ],
)
def test_values_stand_where_the_types_stood(text, values, command):
    assert read_template(text).filled(values) == command


@pytest.mark.parametrize("text", ["ls (", "", "nosuch Regex", "find Path -nosuch Regex"])
def test_what_is_no_template_is_refused(text):
    with pytest.raises(NotBash):
        read_template(text)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("find /a -name '*.c' -size +10M -type f", ["/a", "'*.c'", "10M"]),
        ("find . -mtime +7 -exec grep -l x {} +", [".", "7", "x"]),
        ("echo File", ["File"]),
        ("echo Regex", ["Regex"]),
        ('cat "$(date).log" a', ['"$(date).log"', "a"]),
        ("tail -n -5 | tee >(wc -c) b", ["5", "b"]),
        ("x=5", ["5"]),
        ("sh -c 'ls /a'", ["/a"]),
    ],
)
def test_a_command_taken_apart_can_be_put_together(command, arguments):
    found, values = take_apart(command)
    assert values == arguments
    assert found.filled(values) == canonical(command)
    assert " ".join(found.tokens) == template(command)
