"""What the beams of a model answer."""

import pytest

from nl2code.answers import answer, write_answers
from nl2code.given_code import Given
from nl2code.jsonl import read_jsonl
from nl2code.linearisation import InputFormat
from nl2code.questions import Question

NOTHING_GIVEN = Question([], [], Given(), {})
CODE, BASH = InputFormat(), InputFormat(task="bash")
TEMPLATES = InputFormat(task="bash", level="template")
COMMANDS = ["ls (", "ls -a", "ls -a", "nosuch x", "pwd", "wc f", "ls"]


@pytest.mark.parametrize(
    ("parsing", "asked", "wanted"),
    [
        (False, 0, ["ls (", "ls -a", "nosuch x"]),
        (True, 0, ["ls -a", "pwd", "wc f"]),
        (True, 4, ["ls -a", "pwd", "wc f", "ls"]),
    ],
)
def test_the_best_distinct_commands_answer(parsing, asked, wanted) -> None:
    line = answer(COMMANDS, NOTHING_GIVEN, BASH, asked, parsing)
    assert line == {"prediction": wanted[0], "unparsed": False, "candidates": wanted}
    assert answer(["ls ("], NOTHING_GIVEN, BASH, asked, parsing)["unparsed"] == parsing


def test_the_filled_commands_answer_and_nothing_where_there_are_none() -> None:
    asked = []

    def fill(nl, templates):
        asked.append((nl, templates))
        return ["ls a", "ls b"] if nl == "List a" else []

    question = Question([], [], Given(), {}, "List a")
    line = answer(["ls  File", "ls"], question, TEMPLATES, fill=fill)
    assert line == {"prediction": "ls a", "unparsed": False, "candidates": ["ls a", "ls b"]}
    assert asked == [("List a", ["ls File", "ls"])]
    other = Question([], [], Given(), {}, "List b")
    line = answer(["ls"], other, TEMPLATES, fill=fill)
    assert line == {"prediction": "", "unparsed": True, "candidates": []}


def test_the_best_beam_answers_and_the_next_are_candidates() -> None:
    beams = ["f (", "f ( x )", "g"]
    assert answer(beams, NOTHING_GIVEN, CODE) == {"prediction": "f (", "unparsed": False}
    line = answer(beams, NOTHING_GIVEN, CODE, candidates=2, only_parsing=True)
    assert (line["prediction"], line["candidates"]) == ("f ( x )", ["f ( x )", "g"])


def test_a_beam_that_only_repeats_what_is_given_comes_last() -> None:
    given = Question([], [], Given(after=("NEWLINE", "return", "x")), {})
    beams = ["return x", "x = 1 NEWLINE return x", "x = 2"]
    line = answer(beams, given, CODE, candidates=3)
    assert line["candidates"] == ["x = 1", "x = 2", ""]


def test_answers_stand_in_the_order_of_the_ids_without_what_is_only_counted(tmp_path) -> None:
    answers = {1: {"prediction": "b", "unparsed": True}, 0: {"prediction": "a", "unparsed": False}}
    assert write_answers(tmp_path / "o.jsonl", ["i", "j"], answers) == 1
    lines = list(read_jsonl(tmp_path / "o.jsonl"))
    assert lines == [{"id": "i", "prediction": "a"}, {"id": "j", "prediction": "b"}]
