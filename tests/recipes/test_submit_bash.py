"""From predictions of Bash commands to a submission."""

import json

import pytest
import yaml
from small_bash import pair, write_bash
from small_juice import cache_in, fails, recipe, run, write_lines

from nl2code.hub import NL2BASH

TEST = [pair("3", "List all", "ls -a /tmp"), pair("7", "Where am I", "pwd -P", leaks=True)]


@pytest.fixture
def options(tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    write_lines(tmp_path / "p.jsonl", [{"id": row["id"], "prediction": "pwd -P"} for row in TEST])
    data = write_bash(tmp_path / "nl2bash", {"test": TEST})
    scores = {"data": data, "out": tmp_path / "scores.json", "predictions": tmp_path / "p.jsonl"}
    run(recipe("score"), monkeypatch, task="bash", split="test", **scores)
    best = tmp_path / "run" / "best"
    best.mkdir(parents=True)
    (best / "config.json").write_text('{"model_type": "t5"}')
    return {
        "scores": tmp_path / "scores.json",
        "checkpoint": best,
        "dataset_id": "org/nl2bash",
        "task": "bash",
        "out": tmp_path / "submission",
    }


def test_what_score_writes_is_what_submit_takes(options, monkeypatch):
    run(recipe("submit"), monkeypatch, **options)
    results = yaml.safe_load((options["out"] / NL2BASH.results_file).read_text())
    found = {result["dataset"]["task_id"]: result for result in results}
    exact = found["bash_command_match_at_1_test"]
    assert exact["value"] == 50.0
    written = json.loads(options["scores"].read_text())["scores"]["command_match@1"]
    assert exact["notes"] == written["signature"]
    card = (options["out"] / "README.md").read_text()
    assert "| pairs in test | 606 | 2 |" in card
    assert "# nl2bash-model\n" in card


def test_scores_of_bash_are_not_a_submission_for_juice(options, monkeypatch, capsys):
    error = fails(recipe("submit"), monkeypatch, capsys, **options | {"task": "code"})
    assert "scores.json: the field 'task' is 'bash', not 'code'" in error
    assert not options["out"].exists()
