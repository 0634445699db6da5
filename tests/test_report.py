from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nl2code.curves import draw_curves
from nl2code.evaluation import write_examples
from nl2code.report import write_report
from nl2code.training_data import Watched

ROWS = [
    {"step": 2, "epoch": 0, "seconds": 30.0, "train_loss": 5.0, "lr": 0.1},
    {"step": 2, "epoch": 1, "seconds": 30.0, "dev_loss": 4.5, "exact_match": 0.25},
    {"step": 4, "epoch": 1, "seconds": 90.0, "train_loss": 4.0, "lr": 0.05},
    {"step": 4, "epoch": 2, "seconds": 90.0, "dev_loss": 4.75, "exact_match": 0.5},
]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "lstm"
    folder.mkdir()
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (folder / "run.json").write_text('{"dataset": "0123abcd", "processes": 2}')
    (folder / "config.yaml").write_text("seed: 7\n")
    (folder / "environment.json").write_text('{"torch": "2.13.0"}')
    return folder


def test_the_report_tells_what_the_run_was_and_how_it_went(out: Path) -> None:
    write_report(out, "lstm: update 4")
    report = (out / "report.md").read_text()
    for said in (
        "# lstm\n\nlstm: update 4\n",
        "](curves.png)",
        "| update | epoch | minutes | dev_loss | exact_match |",
        "| **2** | **1** | **0.5** | **4.5000** | **0.2500** |",  # the lowest dev loss
        "| 4 | 2 | 1.5 | 4.7500 | 0.5000 |",
        "| dataset | 0123abcd |",
        "| torch | 2.13.0 |",
        "```yaml\nseed: 7\n```",
    ):
        assert said in report
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "examples.md" not in report


def test_the_best_model_is_marked_by_what_has_decided(out: Path) -> None:
    write_report(out, "lstm: update 4", "exact_match")
    report = (out / "report.md").read_text()
    assert "| 2 | 1 | 0.5 | 4.5000 | 0.2500 |" in report
    assert "| **4** | **2** | **1.5** | **4.7500** | **0.5000** |" in report


def test_the_report_links_the_answers_where_there_are_some(out: Path) -> None:
    (out / "examples.md").touch()
    write_report(out, "lstm: update 4")
    assert "(examples.md)" in (out / "report.md").read_text()


def test_the_curves_follow_from_the_rows(tmp_path: Path) -> None:
    for name, rows in (("a", ROWS), ("b", ROWS), ("c", ROWS[:2]), ("d", [])):
        draw_curves(tmp_path / name, rows)
    pictures = [(tmp_path / name).read_bytes() for name in "abcd"]
    assert pictures[0] == pictures[1]
    assert len(set(pictures)) == 3


def test_the_answers_stand_beside_what_was_asked(tmp_path: Path) -> None:
    asked = Watched("nb/1", "Fit *it*.\n```\nx\n```", "<markdown> Fit it . <code> x < 1", "f ( )")
    write_examples(tmp_path / "examples.md", 7, [asked], ["x = 1 NEWLINE NEWLINE y = 2 NEWLINE"])
    assert (tmp_path / "examples.md").read_text() == (
        "# Answers after update 7\n\nGreedy; the input is shown before it is cut.\n"
        "\n## `nb/1`\n"
        "\nNL:\n\n    Fit *it*.\n    ```\n    x\n    ```\n"
        "\nInput:\n\n    <markdown> Fit it .\n    <code> x < 1\n"
        "\nReference:\n\n    f ( )\n"
        "\nPrediction:\n\n    x = 1\n    y = 2\n"
    )


def test_only_a_handful_of_answers_is_shown(tmp_path: Path) -> None:
    asked = [Watched(f"nb/{number}", "", "", "") for number in range(50)]
    write_examples(tmp_path / "examples.md", 7, asked, [""] * 50)
    text = (tmp_path / "examples.md").read_text()
    assert re.findall(r"## `nb/(\d+)`", text) == ["0", "10", "20", "30", "40"]
    assert "    (nothing)\n" in text
