from pathlib import Path

import pytest

from nl2code.errors import UserError
from nl2code.metrics.judgements import (
    Judgement,
    judged_accuracy,
    manual_accuracy,
    read_judgements,
)

HEADER = "description,prediction,template,correct template,correct command,correct template A\n"
JUDGED = [
    Judgement("List a", "ls b", "ls File", True, False),
    Judgement("List a", "ls -l a", "ls -l File", False, False),
    Judgement("Where am I", "pwd -P", "pwd -P", False, False),
    Judgement("Where am I", "pwd", "pwd", True, True),
]


def written(folder: Path, text: str) -> Path:
    file = folder / "judged.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_is_read_in_its_order(tmp_path):
    file = written(tmp_path, HEADER + 'List a,"ls ""b""",ls File,y,n,y\nHere,pwd,pwd,y,y,y\n')
    assert read_judgements(file) == [
        Judgement("List a", 'ls "b"', "ls File", True, False),
        Judgement("Here", "pwd", "pwd", True, True),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("description,prediction\nx,y\n", "has no column 'template'"),
        (HEADER + "x,ls,ls,y,maybe,y\n", "line 2: 'correct command' is 'maybe'"),
        (HEADER + "x,ls\n", "line 2: 'correct template' is ''"),
        ("", "has no column 'description'"),
    ],
)
def test_a_file_of_another_kind_is_the_users_mistake(tmp_path, text, message):
    file = written(tmp_path, text)
    with pytest.raises(UserError, match=message) as caught:
        read_judgements(file)
    assert str(file) in str(caught.value)


def test_bytes_that_are_no_utf_8_are_the_users_mistake(tmp_path):
    file = tmp_path / "judged.csv"
    file.write_bytes(HEADER.encode() + b"\xff,ls,ls,y,y,y\n")
    with pytest.raises(UserError, match=r"judged\.csv is no CSV in UTF-8"):
        read_judgements(file)


@pytest.mark.parametrize(("k", "full", "kind"), [(1, 0, 1 / 2), (2, 1 / 2, 1)])
def test_manual_accuracy_is_of_the_first_k_of_each_sentence(k, full, kind):
    scores = manual_accuracy(JUDGED, k)
    assert (scores.full.value, scores.template.value) == (full, kind)
    assert scores.full.signature == f"acc_f|k:{k}|judged:manual"


def test_a_look_up_finds_other_spellings_and_counts_what_nobody_judged():
    predictions = [["ls   c", "ls -l  a"], ["pwd", "frobnicate"]]
    scores = judged_accuracy(predictions, ["list  a", "Where am I"], JUDGED, k=2)
    assert (scores.full.value, scores.template.value) == (1 / 2, 1)
    assert scores.full.counts["unjudged"] == 2  # `ls c` and `frobnicate`
    assert scores.template.counts["unjudged_share"] == 1 / 4  # `ls File` was judged


def test_one_yes_is_enough_where_files_differ():
    again = Judgement("List a", "ls -l a", "ls -l File", True, True)
    assert judged_accuracy(["ls -l a"], ["List a"], [again, *JUDGED]).full.value == 1


def test_another_sentence_has_other_judgements():
    scores = judged_accuracy(["pwd"], ["List a"], JUDGED)
    assert (scores.full.value, scores.full.counts["unjudged"]) == (0, 1)


def test_nothing_judged_is_refused():
    with pytest.raises(ValueError, match="no judgements"):
        manual_accuracy([])
