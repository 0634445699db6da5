"""A sheet from predictions, and scores from three filled ones."""

import csv
import json
from pathlib import Path

import pytest
from small_bash import pair, write_bash
from small_juice import cache_in, recipe, write_lines

from nl2code.errors import run_program

TEST = [
    pair("3", "List all", "ls -a"),
    pair("4", "list ALL", "ls -A", cluster="list all"),
    pair("7", "Where am I", "pwd"),
]
ANSWERS = [
    {"id": "3", "prediction": "ls -a", "candidates": ["ls -a", "=ls", "ls", "unseen"]},
    {"id": "7", "prediction": "whoami"},
]


@pytest.fixture
def judge(tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_bash(tmp_path / "nl2bash", {"test": TEST})
    write_lines(tmp_path / "one.jsonl", ANSWERS)
    module = recipe("judge")

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["judge.py", *arguments])
        run_program(module.main)

    return call


def fill(annotator, verdicts):
    with open("sheet.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(f"{annotator}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow([*list(row.values())[:4], *verdicts[row["prediction"]]])


def test_from_predictions_to_manual_accuracy(judge, capsys):
    judge("sheet", "--predictions", "[one.jsonl]")
    text = Path("sheet.csv").read_text(encoding="utf-8")
    assert text[0] == "\ufeff"  # or spreadsheets take it for another encoding
    assert "4 predictions for 2 sentences" in capsys.readouterr().out
    assert "'=ls" in text
    assert "unseen" not in text
    fill("ada", {"ls -a": "nn", "'=ls": "nn", "ls": "yn", "whoami": "yy"})
    fill("bo", {"ls -a": "yn", "'=ls": "nn", "ls": "yy", "whoami": "nn"})
    fill("cy", {"ls -a": "nn", "'=ls": "nn", "ls": "yy", "whoami": "yn"})
    judge("read", "--key", "sheet.csv.key.json", "--sheets", "[ada.csv, bo.csv, cy.csv]")
    report = json.loads(Path("judged/scores.json").read_text())
    values = {name: figure["value"] for name, figure in report["scores"]["one"].items()}
    # `ls` is right, third of its sentence; of whoami, the template is.
    assert values == {"acc_f@1": 0, "acc_t@1": 1 / 2, "acc_f@3": 1 / 2, "acc_t@3": 1}
    signature = report["scores"]["one"]["acc_f@3"]["signature"]
    assert signature.startswith("acc_f|k:3|judged:manual|annotators:3|split:test|rows:2|data:")
    bo_and_cy = report["agreement"]["correct command"][2]
    assert (bo_and_cy["items"], bo_and_cy["raw"], bo_and_cy["kappa"]) == (4, 1.0, 1.0)
    shown = capsys.readouterr().out
    assert "B, C" in shown
    assert "Not everyone" not in shown
    assert f"acc_f@3: {signature}" in shown
    judged = Path("judged/manual.evaluations.one.csv").read_text()
    assert "List all,=ls,,n,n,n,n,n,n,n,n\n" in judged


def test_who_was_asked_less_is_told_and_what_is_missing_is_wrong(judge, tmp_path, capsys):
    write_lines(tmp_path / "one.jsonl", ANSWERS[1:])
    judge("sheet", "--predictions", "[one.jsonl]", "--allow_missing", "true")
    for annotator, letters in (("a", "yy"), ("b", "yy"), ("c", ["", ""])):
        fill(annotator, {"whoami": letters})
    judge("read", "--key", "sheet.csv.key.json", "--sheets", "[a.csv,b.csv,c.csv]")
    assert "Not everyone answered everything" in capsys.readouterr().out
    scores = json.loads(Path("judged/scores.json").read_text())["scores"]["one"]
    assert scores["acc_f@3"]["value"] == 1 / 2


def test_a_sheet_of_one_candidate_has_no_figure_for_three(judge):
    judge("sheet", "--predictions", "[one.jsonl]", "--k", "1", "--sentences", "1")
    verdicts = dict.fromkeys(("ls -a", "whoami"), "yy")
    for annotator in "abc":
        fill(annotator, verdicts)
    judge("read", "--key", "sheet.csv.key.json", "--sheets", "[a.csv,b.csv,c.csv]")
    (scores,) = json.loads(Path("judged/scores.json").read_text())["scores"].values()
    assert list(scores) == ["acc_f@1", "acc_t@1"]
    assert "|rows:1|" in scores["acc_f@1"]["signature"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "'' is no command; take one of sheet, read"),
        (["sheet", "--predictions", "[]"], "give at least one file, and each its own name"),
        (["sheet", "--predictions", "[one.jsonl, x/one.jsonl]"], "each its own name"),
        (["sheet", "--predictions", "[one.jsonl]", "--k", "0"], "--k 0: at least 1 is needed"),
        (["sheet", "--predictions", "[none.jsonl]"], "none.jsonl: no such file"),
        (["sheet", "--predictions", "[one.jsonl]", "--out", "one.jsonl"], "is the file that"),
        (["read", "--key", "k", "--sheets", "[a,a,b]"], "a, a, b: three different files are"),
        (["read", "--key", "k", "--sheets", "[a,b,c]"], "k: no such file"),
        (["read", "--key", "k", "--sheets", "[a,b,c]", "--out", "nl2bash"], "exists and is not"),
    ],
)
def test_a_mistake_is_one_sentence_and_writes_nothing(judge, tmp_path, capsys, arguments, sentence):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SystemExit) as exit_:
        judge(*arguments)
    assert exit_.value.code == 2
    assert sentence in capsys.readouterr().err
    assert sorted(set(tmp_path.iterdir()) - {tmp_path / "cache"}) == before


def test_an_old_sheet_stays_unless_told_otherwise(judge, tmp_path, capsys):
    (tmp_path / "sheet.csv.key.json").write_text("precious")
    with pytest.raises(SystemExit):
        judge("sheet", "--predictions", "[one.jsonl]")
    assert "sheet.csv.key.json: exists" in capsys.readouterr().err
    judge("sheet", "--predictions", "[one.jsonl]", "--overwrite")
    assert "precious" not in (tmp_path / "sheet.csv.key.json").read_text()
