import math
from types import SimpleNamespace

import pytest
import yaml
from huggingface_hub import ModelCard

from nl2code.errors import UserError
from nl2code.hub import (
    JUICE,
    NL2BASH,
    Submission,
    benchmark_yaml,
    check_scores,
    differences,
    model_card,
    push,
    read_results,
    results_yaml,
    tasks_of,
)
from nl2code.metrics.bleu import bleu_nltk3, bleu_sacre
from nl2code.metrics.exact_match import exact_match

GOOD = """
- dataset: {id: org/juice, task_id: code_exact_match_test}
  value: 1.33
  date: "2026-01-31"
"""


SCORERS = {"exact_match": exact_match, "bleu_nltk3": bleu_nltk3, "bleu_sacre": bleu_sacre}
SIGNATURES = {
    name: f"{scorer(['a b'], ['a c']).signature}|task:code|split:test|rows:1981|data:abc"
    for name, scorer in SCORERS.items()
}


def report(**changes):
    scores = {
        name: {"value": value, "signature": SIGNATURES[name]}
        for name, value in (("exact_match", 0.01333), ("bleu_nltk3", 0.25), ("bleu_sacre", 0.26))
    }
    whole = {"task": "code", "split": "test", "rows": 1981, "missing": 0, "dataset_digest": "abc"}
    return whole | {"scores": scores} | changes


def submission(**changes):
    lstm = {"model_type": "juice-lstm", "embedding_size": 1024, "hidden_size": 1024, "layers": 2}
    parts = {
        "name": "m",
        "dataset_id": "org/juice",
        "report": report(),
        "model": lstm | {"dropout": 0.5, "vocab_size": 10_262},
        "input_format": {"context_cells": 3, "context_tokens": 75, "cut_target_nl": False},
        "run": {"data": {"train_examples": 100_000}},
    }
    return Submission(**parts | changes)


def test_results_are_percentages_with_their_signatures():
    entries = read_results(results_yaml(report(), "org/juice", "2026-01-31"), "text")
    assert [(entry.task_id, entry.value) for entry in entries] == [
        ("code_exact_match_test", 1.33),
        ("code_bleu_nltk3_test", 25.0),
        ("code_bleu_sacre_test", 26.0),
    ]
    assert entries[0].notes == SIGNATURES["exact_match"]
    assert {entry.date for entry in entries} == {"2026-01-31"}


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("1.33", '"1.33"', "value is '1.33', no percentage"),
        ("1.33", ".nan", "value is nan"),
        ("1.33", "101", "value is 101"),
        ("1.33", "true", "value is True"),
        ('"2026-01-31"', "2026-01-31", "no quoted ISO 8601 date"),
        ('"2026-01-31"', '"last week"', "date is 'last week'"),
        ("code_exact_match_test", "default", "task_id is 'default'"),
        ("org/juice", "juice", "dataset.id is 'juice', not ORGANISATION/NAME"),
        ("task_id:", "task:", "no list of results"),
        ("- dataset", "- [", "no list of results"),
    ],
)
def test_results_that_the_hub_would_misread_are_refused(old, new, sentence):
    assert read_results(GOOD, "file")[0].value == 1.33
    with pytest.raises(UserError, match="file") as error:
        read_results(GOOD.replace(old, new), "file")
    assert sentence in str(error.value)


def test_a_source_is_an_https_address():
    text = results_yaml(report(), "org/juice", "2026-01-31", "https://example.org/runs")
    assert read_results(text, "text")[0].source_url == "https://example.org/runs"
    with pytest.raises(UserError, match=r"source\.url"):
        results_yaml(report(), "org/juice", "2026-01-31", "file:///home")


@pytest.mark.parametrize("value", [math.nan, -0.1, 1.5, "0.5", None, True])
def test_scores_that_are_no_fractions_are_refused(value):
    scores = report()["scores"] | {"bleu_nltk3": {"value": value, "signature": "s"}}
    with pytest.raises(UserError, match=r"scores\.bleu_nltk3\.value"):
        check_scores(report(scores=scores), "scores.json", "code", "test")


def test_scores_of_another_task_or_split_are_refused():
    check_scores(report(), "scores.json", "code", "test")
    with pytest.raises(UserError, match="the field 'split' is 'test', not 'dev'"):
        check_scores(report(), "scores.json", "code", "dev")
    with pytest.raises(UserError, match="the field 'task' is 'code', not 'api'"):
        check_scores(report(), "scores.json", "api", "test")
    with pytest.raises(UserError, match="must hold exact_match, precision, recall"):
        check_scores(report(task="api"), "scores.json", "api", "test")


def test_the_card_carries_a_model_index_that_reads_back():
    card = ModelCard(model_card(submission()))
    assert card.data.model_name == "m"
    figures = {result.metric_type: result.metric_value for result in card.data.eval_results}
    assert figures == {"exact_match": 1.33, "bleu": 25.0, "sacrebleu": 26.0}
    assert {result.dataset_split for result in card.data.eval_results} == {"test"}
    assert card.data.datasets == ["org/juice"]
    assert SIGNATURES["exact_match"].replace("|", "\\|") in card.text


def test_the_papers_setup_differs_in_nothing_but_the_data():
    assert [name for name, _, _ in differences(submission())] == ["data"]


def test_each_departure_from_the_paper_is_listed():
    small = submission(
        report=report(rows=50),
        model={"model_type": "juice-lstm", "embedding_size": 64, "hidden_size": 1024, "layers": 1}
        | {"dropout": 0.5, "input_feeding": False, "vocab_size": 900},
        input_format={"context_cells": 8, "target_comments_in_input": True},
        run={"data": {"train_examples": None}},
    )
    assert list(differences(small))[1:] == [
        ("examples in test", "1,981", "50"),
        ("training examples", "100,000 or 1,518,049", "all there are"),
        ("context cells (K)", "1 or 3", "8"),
        ("the target's own comments in the input", "False", "True"),
        ("embedding size", "1024", "64"),
        ("layers", "2", "1"),
        ("input feeding", "True", "False"),
        ("vocabulary", "10,000 BPE merges", "900 symbols"),
    ]


def test_a_foreign_model_is_named_as_what_it_is():
    rows = differences(submission(model={"model_type": "t5"}, input_format={}, run={}))
    assert ("model", "LSTM or Transformer from scratch", "t5") in list(rows)


def test_missing_predictions_stand_in_the_card():
    text = model_card(submission(report=report(missing=7)))
    assert "7 examples had no prediction" in text
    assert "no prediction" not in model_card(submission())


@pytest.mark.parametrize("benchmark", [JUICE, NL2BASH], ids=lambda one: one.name)
def test_the_benchmark_has_every_task_of_the_results(benchmark):
    made = yaml.safe_load(benchmark_yaml(benchmark))
    assert [task["id"] for task in made["tasks"]] == [task.id for task in tasks_of(benchmark)]
    assert {task["split"] for task in made["tasks"]} == {"dev", "test"}
    assert made["name"] == benchmark.name
    assert made["evaluation_framework"] == "inspect-ai"
    assert all({"field_spec", "solvers", "scorers"} <= set(task) for task in made["tasks"])


def test_a_push_is_a_pull_request_of_the_checked_folder(tmp_path):
    calls = []

    def upload_folder(**options):
        calls.append(options)
        return SimpleNamespace(pr_url="https://huggingface.co/org/m/discussions/1")

    api = SimpleNamespace(upload_folder=upload_folder)
    (tmp_path / JUICE.results_file).parent.mkdir()
    (tmp_path / JUICE.results_file).write_text(GOOD)
    assert push(api, tmp_path, "org/m", JUICE) == "https://huggingface.co/org/m/discussions/1"
    assert calls[0]["create_pr"] is True
    assert (calls[0]["repo_id"], calls[0]["folder_path"]) == ("org/m", tmp_path)
    (tmp_path / JUICE.results_file).write_text(GOOD.replace("1.33", ".nan"))
    with pytest.raises(UserError, match="nan"):
        push(api, tmp_path, "org/m", JUICE)
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rows:1981", "rows:50", "says 'rows:50' in the place of 'rows:1981'"),
        ("split:test", "split:dev", "says 'split:dev' in the place of 'split:test'"),
        ("data:abc", "data:abd", "says 'data:abd' in the place of 'data:abc'"),
        ("task:code", "task:api", "says 'task:api' in the place of 'task:code'"),
        ("smooth:method3", "smooth:method4", "says 'smooth:method4' in the place of"),
        ("|data:abc", "", "says 'nothing' in the place of 'data:abc'"),
        ("data:abc", "data:abc|best", "says 'best' in the place of 'nothing'"),
    ],
)
def test_an_edited_signature_is_refused(old, new, said):
    bleu = report()["scores"]["bleu_nltk3"]
    edited = bleu | {"signature": bleu["signature"].replace(old, new)}
    scores = report()["scores"] | {"bleu_nltk3": edited}
    with pytest.raises(UserError, match=r"^scores\.json: scores\.bleu_nltk3\.signature ") as error:
        check_scores(report(scores=scores), "scores.json", "code", "test")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rows": 50}, "says 'rows:1981' in the place of 'rows:50'"),
        ({"dataset_digest": "abd"}, "says 'data:abc' in the place of 'data:abd'"),
        ({"dataset_digest": None}, "the field 'dataset_digest' is None, no string"),
        ({"missing": "2"}, "the field 'missing' is '2', no number"),
    ],
)
def test_an_edited_field_is_refused(changes, said):
    with pytest.raises(UserError, match=r"^scores\.json: ") as error:
        check_scores(report(**changes), "scores.json", "code", "test")
    assert said in str(error.value)


def test_the_card_has_the_command_that_answers_again():
    answered = {
        "checkpoint": "/home/me/best", "data": "/home/me/juice", "out": "a.jsonl", "split": "test",
        "num_beams": 3, "length_penalty": 1.1, "no_repeat_ngram_size": 8, "only_parsing": True,
        "fill_in": True,
        "also": "/home/me/ret.jsonl", "limit": 7, "longest_source": None, "overwrite": True,
    }  # fmt: skip
    said = submission(answered=answered, name="my model")
    text = model_card(said)
    command = text.partition("```bash\n")[2].partition("```")[0].replace(" \\\n    ", " ")
    assert command == (
        "python recipes/predict.py --checkpoint 'my model' --data org/juice --split test"
        " --num_beams 3 --length_penalty 1.1 --no_repeat_ngram_size 8 --only_parsing true"
        " --fill_in true --also ret.jsonl --limit 7 --out predictions.jsonl\n"
    )
    assert "Those in `ret.jsonl` answer where the model finds them likelier" in text
    assert "go on in the code that a problem gives, which the paper's systems do not" in text
    assert "for the first 7 examples of the split only" in text
    assert list(differences(said))[1:] == [
        ("beams", "5", "3"),
        ("answers go on in the given code", "False", "True"),
        ("answers that parse come first", "False", "True"),
        ("symbols in a run that is not written twice", "0", "8"),
    ]


def test_answers_as_the_paper_makes_them_are_no_difference():
    plain = {"num_beams": 5, "fill_in": False, "limit": None, "no_repeat_ngram_size": 0}
    text = model_card(submission(answered=plain))
    assert "--num_beams 5" in text
    assert "given code" not in text
    assert "first" not in text.partition("How the answers")[2]
    assert [name for name, _, _ in differences(submission(answered=plain))] == ["data"]
