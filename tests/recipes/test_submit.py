import json

import pytest
import yaml
from huggingface_hub import ModelCard
from small_juice import fails, recipe, run, write_lines

from nl2code.hub import JUICE
from nl2code.metrics.bleu import bleu_nltk3, bleu_sacre
from nl2code.metrics.exact_match import exact_match


@pytest.fixture(scope="module")
def submit():
    return recipe("submit")


@pytest.fixture
def api(submit, monkeypatch):
    """The uploads that would have been made."""
    calls = []

    class FakeApi:
        def upload_folder(self, **options):
            calls.append(options)
            if options["repo_id"] == "org/forbidden":
                raise ValueError("403 Forbidden\nmore")
            return type("Commit", (), {"pr_url": "https://hub/pr/1"})

    monkeypatch.setattr(submit, "HfApi", FakeApi)
    return calls


@pytest.fixture
def options(tmp_path):
    made = [score(["x"], ["x"]) for score in (exact_match, bleu_nltk3, bleu_sacre)]
    facts = "task:code|split:test|rows:3|data:0123456789abcdef"
    scores = {one.name: {"value": 0.125, "signature": f"{one.signature}|{facts}"} for one in made}
    report = {"task": "code", "split": "test", "rows": 3, "missing": 0, "scores": scores}
    report |= {"dataset_digest": "0123456789abcdef", "data": str(tmp_path / "juice")}
    report["predictions"] = str(tmp_path / "test.jsonl")
    (tmp_path / "scores.json").write_text(json.dumps(report))
    best = tmp_path / "run" / "best"
    best.mkdir(parents=True)
    (best / "config.json").write_text('{"model_type": "juice-lstm", "layers": 1}')
    (best / "juice_input.json").write_text('{"task": "code", "context_cells": 1}')
    (tmp_path / "run" / "config.yaml").write_text("data: {train_examples: 500}\n")
    return {
        "scores": tmp_path / "scores.json",
        "checkpoint": best,
        "dataset_id": "org/juice",
        "out": tmp_path / "submission",
    }


def test_a_submission_is_results_and_card_and_stays_here(submit, api, options, monkeypatch):
    run(submit, monkeypatch, date="2026-01-31", **options)
    results = yaml.safe_load((options["out"] / JUICE.results_file).read_text())
    assert [result["value"] for result in results] == [12.5, 12.5, 12.5]
    assert results[0]["date"] == "2026-01-31"
    card = ModelCard.load(options["out"] / "README.md")
    assert card.data.eval_results[0].metric_value == 12.5
    assert "| training examples | 100,000 or 1,518,049 | 500 |" in card.text
    assert "| layers | 2 | 1 |" in card.text
    assert sorted(path.name for path in options["out"].iterdir()) == [".eval_results", "README.md"]
    assert api == []


def test_a_push_is_made_when_asked_for(submit, api, options, monkeypatch, capsys):
    run(submit, monkeypatch, push="org/m", **options)
    assert [(call["repo_id"], call["create_pr"]) for call in api] == [("org/m", True)]
    assert "https://hub/pr/1" in capsys.readouterr().out


def test_a_refused_push_leaves_the_folder(submit, api, options, monkeypatch, capsys):
    error = fails(submit, monkeypatch, capsys, push="org/forbidden", **options)
    assert "--push org/forbidden: 403 Forbidden;" in error
    assert (options["out"] / JUICE.results_file).is_file()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"split": "dev"}, "the field 'split' is 'test', not 'dev'"),
        ({"task": "api"}, "the field 'task' is 'code', not 'api'"),
        ({"checkpoint": "nowhere"}, "--checkpoint nowhere: no config.json"),
        ({"scores": "nowhere.json"}, "nowhere.json: no such file"),
        ({"dataset_id": "juice"}, "not ORGANISATION/NAME"),
        ({"date": "yesterday"}, "date is 'yesterday'"),
        ({"out": "."}, "--out .: exists already"),
    ],
)
def test_bad_input_writes_nothing(submit, api, options, monkeypatch, capsys, changes, sentence):
    assert sentence in fails(submit, monkeypatch, capsys, push="org/m", **options | changes)
    assert not options["out"].exists()
    assert api == []


def test_a_model_for_another_task_is_refused(submit, options, monkeypatch, capsys):
    (options["checkpoint"] / "juice_input.json").write_text('{"task": "api"}')
    error = fails(submit, monkeypatch, capsys, **options)
    assert "juice_input.json: the field 'task' is 'api', not 'code'" in error


@pytest.mark.parametrize(
    ("config", "maker"),
    [
        ("checkpoint: runs/other/best\nsplit: test\n", "runs/other/best"),
        ("method: ret-train\nsplit: test\n", "ret-train"),
    ],
)
def test_scores_of_another_model_are_refused(
    submit, options, monkeypatch, capsys, tmp_path, config, maker
):
    (tmp_path / "test.jsonl.config.yaml").write_text(config)
    error = fails(submit, monkeypatch, capsys, **options)
    assert f"test.jsonl.config.yaml says that {maker} made the predictions" in error
    assert not options["out"].exists()


def test_the_card_says_when_nothing_ties_scores_to_the_model(
    submit, options, monkeypatch, tmp_path
):
    word = "Nothing but the submitter's word ties"
    run(submit, monkeypatch, **options)
    text = (options["out"] / "README.md").read_text()
    assert word in text
    assert "no config lies beside the predictions" in text
    assert "name: juice-model" in text
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.jsonl.config.yaml").write_text("checkpoint: run/../run/best\nfill_in: true\n")
    run(submit, monkeypatch, **options | {"out": tmp_path / "tied"})
    text = (tmp_path / "tied" / "README.md").read_text()
    assert word not in text
    assert "--data org/juice --fill_in true" in text


@pytest.mark.parametrize("name", ["test.jsonl.config.yaml", "run/config.yaml"])
def test_a_config_that_cannot_be_read_is_named(
    submit, options, monkeypatch, capsys, tmp_path, name
):
    (tmp_path / name).write_text("data: [\n")
    assert f"{name}: no config can be read" in fails(submit, monkeypatch, capsys, **options)


def card(folder, digest="0123456789abcdef", test=3):
    """A built folder, as far as its card tells of it."""
    folder.mkdir()
    configs = [{"config_name": "default", "description": f"sha256:{digest}{'0' * 48}"}]
    info = {"splits": [{"name": "test", "num_examples": test}]}
    head = yaml.safe_dump({"configs": configs, "dataset_info": info})
    (folder / "README.md").write_text(f"---\n{head}---\n")


@pytest.mark.parametrize(
    ("built", "said"),
    [
        ({"digest": "fedcba9876543210"}, "dataset_digest is '0123456789abcdef', but that of"),
        ({"test": 4}, "rows is 3, but test of"),
    ],
)
def test_scores_on_another_dataset_are_refused(
    submit, options, monkeypatch, capsys, tmp_path, built, said
):
    card(tmp_path / "juice", **built)
    assert said in fails(submit, monkeypatch, capsys, **options)
    assert not options["out"].exists()


def test_scores_of_other_predictions_are_refused(submit, options, monkeypatch, capsys, tmp_path):
    write_lines(tmp_path / "test.jsonl", [{"id": "a", "prediction": "x"}])
    error = fails(submit, monkeypatch, capsys, **options)
    assert f"3 of 3 rows were answered, but {tmp_path / 'test.jsonl'} holds 1 predictions" in error
    assert not options["out"].exists()


def test_what_was_not_checked_is_said(submit, options, monkeypatch, capsys, tmp_path):
    run(submit, monkeypatch, **options)
    said = f"predictions {tmp_path / 'test.jsonl'}, data {tmp_path / 'juice'}"
    assert f"not here: {said}\n" in capsys.readouterr().out
    write_lines(tmp_path / "test.jsonl", [{"id": name, "prediction": "x"} for name in "abc"])
    card(tmp_path / "juice")
    run(submit, monkeypatch, **options | {"out": tmp_path / "checked"})
    assert "not here" not in capsys.readouterr().out
