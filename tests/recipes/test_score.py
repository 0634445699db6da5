import json

import pytest
from small_juice import cache_in, fails, recipe, row, run, write_juice, write_lines

DEV = [
    row("a", "load", "x = f ( )", api=["f"]),
    row("b", "plot", "y = g ( 1 )", api=["g", "h"]),
    row("c", "none", "import os", api=[]),
]
ANSWERS = {"a": "x = f ( )", "b": "y = g ( 2 )", "c": "import os"}


@pytest.fixture(scope="module")
def score():
    return recipe("score")


@pytest.fixture
def juice(tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    (tmp_path / "juice").mkdir()
    return write_juice(tmp_path / "juice", {"dev": DEV})


@pytest.fixture
def options(juice):
    return {
        "predictions": juice.parent / "p.jsonl",
        "data": juice,
        "out": juice.parent / "scores.json",
    }


def lines(answers):
    return [{"id": name, "prediction": text} for name, text in answers.items()]


def test_code_scores_by_hand_whatever_the_order(score, options, monkeypatch, tmp_path):
    write_lines(options["predictions"], reversed(lines(ANSWERS)))
    monkeypatch.chdir(tmp_path)  # the metrics are found from any folder
    run(score, monkeypatch, **options)
    report = json.loads(options["out"].read_text())
    values = {name: figure["value"] for name, figure in report["scores"].items()}
    # Of 5 + 6 + 2 tokens: 1-grams 12 of 13, 2-grams 8 of 10, 3-grams 5 of 7, 4-grams 3 of 5;
    # NLTK counts one more 3-gram and one more 4-gram for "import os".
    assert values["exact_match"] == pytest.approx(2 / 3)
    assert values["bleu_nltk3"] == pytest.approx((12 / 13 * 8 / 10 * 5 / 8 * 3 / 6) ** (1 / 4))
    assert values["bleu_sacre"] == pytest.approx((12 / 13 * 8 / 10 * 5 / 7 * 3 / 5) ** (1 / 4))
    assert (report["task"], report["split"], report["rows"], report["missing"]) == (
        "code",
        "dev",
        3,
        0,
    )


def test_api_scores_by_hand(score, options, monkeypatch):
    write_lines(options["predictions"], lines({"a": "f f", "b": "h k", "c": ""}))
    run(score, monkeypatch, task="api", **options)
    scores = json.loads(options["out"].read_text())["scores"]
    assert scores["precision"]["value"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert scores["recall"]["value"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert scores["exact_match"]["value"] == pytest.approx(1 / 3)  # empty against empty


def test_every_figure_has_the_signature_of_its_scorer_and_data(score, options, monkeypatch):
    write_lines(options["predictions"], lines(ANSWERS))
    run(score, monkeypatch, **options)
    signatures = {
        name: figure["signature"]
        for name, figure in json.loads(options["out"].read_text())["scores"].items()
    }
    begins = {"exact_match": "exact_match|", "bleu_nltk3": "nltk.", "bleu_sacre": "sacrebleu|"}
    for name, begin in begins.items():
        assert signatures[name].startswith(begin)
        assert "|task:code|split:dev|rows:3|data:references-" in signatures[name]


def test_percentages_and_whole_signatures_are_shown(score, options, monkeypatch, capsys):
    write_lines(options["predictions"], lines(ANSWERS))
    run(score, monkeypatch, **options)
    shown = capsys.readouterr().out
    assert "66.67" in shown
    assert "scores.json" in shown
    for name, figure in json.loads(options["out"].read_text())["scores"].items():
        assert f"{name}: {figure['signature']}\n" in shown  # not cut at the terminal's width


def test_the_built_folders_digest_is_taken_from_its_card(score, options, juice, monkeypatch):
    write_juice(juice, {"dev": DEV}, digest="digest 0123456789abcdef0123456789")
    write_lines(options["predictions"], lines(ANSWERS))
    run(score, monkeypatch, **options)
    assert json.loads(options["out"].read_text())["dataset_digest"] == "0123456789abcdef"


def test_another_reference_is_another_digest(score):
    digests = {
        score.digest_of("no folder", gold)
        for gold in ({"a": "x"}, {"a": "y"}, {"b": "x"}, {"a": "x"})
    }
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            lines(ANSWERS | {"z": "q", "y": "q"}),
            "line 4: the id 'z' is not in the split (and 1 more)",
        ),
        (lines({"b": "q"}), "no prediction for the id 'a' of the split (and 1 more)"),
        (lines({"a": "q"}) + lines({"a": "q"}), "line 2: the id 'a' stands on line 1 already"),
        ([{"id": 3, "prediction": "x"}], "line 1: the field 'id' is 3; it must be a string"),
        ([{"id": "a"}], "line 1: the field 'prediction' is missing"),
        ([{"id": "a", "prediction": ["x", "y"]}], "the field 'prediction' is ['x', 'y']"),
        ([{"id": "a", "prediction": None}], "the field 'prediction' is None"),
        ([{"id": "a", "prediction": "x", "candidates": "x"}], "'candidates' must be a list"),
        ([["a", "x"]], "line 1: a JSON object is expected"),
        ([], "no prediction for the id 'a' of the split (and 2 more)"),
    ],
)
def test_predictions_that_cannot_be_scored(score, options, monkeypatch, capsys, rows, sentence):
    write_lines(options["predictions"], rows)
    error = fails(score, monkeypatch, capsys, **options)
    assert f"{options['predictions']}" in error
    assert sentence in error
    assert not options["out"].exists()


def test_lines_are_counted_with_the_blank_ones(score, options, monkeypatch, capsys):
    options["predictions"].write_text('\n\n{"id": "a", "prediction": "x"}\n\n{"id": "a"}\n')
    assert "line 5: the field 'prediction'" in fails(score, monkeypatch, capsys, **options)


def test_missing_ones_may_be_scored_as_empty_and_are_counted(score, options, monkeypatch, capsys):
    write_lines(options["predictions"], lines({"a": ANSWERS["a"]}))
    run(score, monkeypatch, allow_missing="true", **options)
    report = json.loads(options["out"].read_text())
    assert report["missing"] == 2
    assert report["scores"]["exact_match"]["value"] == pytest.approx(1 / 3)
    assert "2 ids had no prediction" in capsys.readouterr().out


def test_a_missing_file_or_split_is_named(score, options, monkeypatch, capsys):
    assert "p.jsonl: no such file" in fails(score, monkeypatch, capsys, **options)
    assert "the split 'test' cannot be read" in fails(
        score, monkeypatch, capsys, split="test", **options
    )
    folder = options | {"out": options["data"]}
    assert "a folder, not a file" in fails(score, monkeypatch, capsys, **folder)
    assert (options["data"] / "README.md").exists()


def test_old_scores_stay_unless_told_otherwise(score, options, monkeypatch, capsys):
    write_lines(options["predictions"], lines(ANSWERS))
    options["out"].write_text("precious")
    assert "scores.json: exists; --overwrite replaces it" in fails(
        score, monkeypatch, capsys, **options
    )
    assert options["out"].read_text() == "precious"
    run(score, monkeypatch, overwrite="true", **options)
    assert json.loads(options["out"].read_text())["rows"] == 3


@pytest.mark.parametrize("name", ["scores.yaml", "scores.json.config.yaml"])
def test_the_users_config_is_never_overwritten(score, options, monkeypatch, capsys, name):
    write_lines(options["predictions"], lines(ANSWERS))
    config = options["out"].with_name(name)
    config.write_text("split: dev\n")
    if name == "scores.yaml":
        run(score, monkeypatch, config=config, **options)
        assert options["out"].with_name("scores.json.config.yaml").is_file()
    else:
        error = fails(score, monkeypatch, capsys, config=config, **options)
        assert f"--config {config}: the config beside" in error
        assert not options["out"].exists()
    assert config.read_text() == "split: dev\n"


def test_predictions_of_another_task_are_refused(score, options, monkeypatch, capsys):
    write_lines(options["predictions"], lines(ANSWERS))
    beside = options["predictions"].with_name("p.jsonl.config.yaml")
    beside.write_text("method: ret-train\ntask: api\n", encoding="utf-8")
    message = fails(score, monkeypatch, capsys, **options)
    assert message.endswith("p.jsonl answers the task api")


def test_the_checkpoint_of_the_predictions_tells_their_task(score, options, monkeypatch, capsys):
    write_lines(options["predictions"], lines(ANSWERS))
    folder = options["predictions"].parent / "best"
    folder.mkdir()
    (folder / "juice_input.json").write_text('{"task": "api"}', encoding="utf-8")
    beside = options["predictions"].with_name("p.jsonl.config.yaml")
    beside.write_text(f"checkpoint: {folder}\n", encoding="utf-8")
    assert "answers the task api" in fails(score, monkeypatch, capsys, **options)
    run(score, monkeypatch, task="api", **options)
