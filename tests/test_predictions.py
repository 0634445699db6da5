from __future__ import annotations

import json
from pathlib import Path

import pytest
from datasets import Dataset, IterableDataset

from nl2code.errors import UserError
from nl2code.predictions import answers_to, columns_of, references


def test_answers_come_in_the_order_of_the_split(tmp_path: Path) -> None:
    lines = [{"id": name, "prediction": name.upper()} for name in ("a", "b", "c")]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    answers, missing = answers_to(("c", "a", "b"), tmp_path / "p.jsonl")
    assert ([one.prediction for one in answers], missing) == (["C", "A", "B"], [])


def test_ids_of_the_split_may_be_answered_without_being_asked_for(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(
        '{"id": "b", "prediction": "B"}\n{"id": "a", "prediction": ""}'
    )
    answers, _ = answers_to(("a",), tmp_path / "p.jsonl", known=("a", "b"))
    assert [one.id for one in answers] == ["a"]
    with pytest.raises(UserError, match="line 1: the id 'b' is not in the split"):
        answers_to(("a",), tmp_path / "p.jsonl")


def test_references_keep_the_order_of_the_split() -> None:
    rows = Dataset.from_dict({"id": ["b", "a"], "code_tokens_clean": [["x", "=", "1"], None]})
    assert list(references(rows, "code", "juice").items()) == [("b", "x = 1"), ("a", "")]


def test_a_split_that_repeats_an_id_is_refused() -> None:
    rows = Dataset.from_dict({"id": ["a", "b", "a"], "api_sequence": [["f"], ["g"], ["f"]]})
    with pytest.raises(UserError, match="--data juice: 1 rows repeat an id"):
        references(rows, "api", "juice")


def test_streamed_rows_that_do_not_know_their_columns_are_looked_at() -> None:
    rows = IterableDataset.from_generator(lambda: iter([{"id": "a", "code": "x"}]))
    assert list(columns_of(rows, ["id"], "juice")) == [{"id": "a"}]
    with pytest.raises(UserError, match="the split has no column 'context'"):
        columns_of(rows, ["id", "context"], "juice")


BASH = Dataset.from_dict({"id": ["a"], "nl": ["x"], "command": ["ls"]})
JUICE = Dataset.from_dict({"id": ["a"], "nl": [["x"]], "context": [[]]})


@pytest.mark.parametrize(
    ("rows", "lacking", "said"),
    [
        (BASH, ["context", "nl_original"], "; it holds Bash commands: --task bash"),
        (BASH, ["api_sequence"], "; it holds Bash commands: --task bash"),
        (BASH, ["template"], ""),  # an old build, or somebody else's
        (JUICE, ["command", "nl_tokens"], "; it holds cells of notebooks: --task code"),
        (JUICE, ["boilerplate_code"], ""),
        (Dataset.from_dict({"id": ["a"]}), ["context"], ""),
    ],
)
def test_the_task_is_said_that_a_dataset_without_the_columns_is_for(rows, lacking, said) -> None:
    with pytest.raises(UserError) as caught:
        columns_of(rows, ["id", *lacking], "d")
    names = ", ".join(map(repr, lacking))
    assert str(caught.value) == f"--data d: the split has no column {names}{said}"


def test_the_option_of_the_task_is_called_as_the_program_calls_it() -> None:
    for option, said in (("format.task", "commands: format.task bash"), (None, "commands")):
        with pytest.raises(UserError, match=rf"Bash {said}$"):
            references(BASH, "code", "d", task_option=option)
