"""A submission of NL2Bash: what its scores must hold, its leaderboards, its card."""

import pytest
import yaml
from huggingface_hub import ModelCard

from nl2code.errors import UserError
from nl2code.hub import (
    NL2BASH,
    Submission,
    benchmark_yaml,
    check_scores,
    differences,
    model_card,
    read_results,
    results_yaml,
)
from nl2code.metrics import bash

NAMES = [
    f"{name}@{k}"
    for name in ("command_match", "template_match", "char_bleu", "tm", "nlc2cmd")
    for k in (1, 3)
]


def signature(name, facts="rows:547|data:abc"):
    metric, k = name.split("@")
    head = getattr(bash, metric)([["ls"], ["ls"]], [["ls"], ["ls", "pwd"]], int(k)).signature
    return f"{head}|task:bash|split:test|{facts}"


SIGNATURES = {name: signature(name) for name in NAMES}
FIRM = {name: signature(name, "rows:524|leaks:without|data:abc") for name in NAMES}


def figures(value=0.25, signatures=SIGNATURES, **changes):
    found = {name: {"value": value, "signature": signatures[name]} for name in NAMES}
    return found | {name.replace("_at_", "@"): figure for name, figure in changes.items()}


def report(**changes):
    whole = {"task": "bash", "split": "test", "rows": 547, "pairs": 606, "missing": 0}
    firm = {"rows": 524, "pairs": 581, "scores": figures(0.2, FIRM)}
    return whole | {"dataset_digest": "abc", "scores": figures(), "without_leaks": firm} | changes


def submission(**changes):
    parts = {
        "name": "m",
        "dataset_id": "org/nl2bash",
        "report": report(),
        "model": {"model_type": "juice-gru", "hidden_size": 400, "vocab_size": 900},
        "input_format": {"task": "bash", "context_cells": 9},
        "run": {"data": {"train_examples": None}},
    }
    return Submission(**parts | changes)


def check(**changes):
    check_scores(report(**changes), "scores.json", "bash", "test")


def test_each_metric_at_each_k_is_a_result_with_its_signature():
    check()
    entries = read_results(results_yaml(report(), "org/nl2bash", "2026-01-31"), "text")
    assert len(entries) == len(NAMES)
    first = entries[0]
    assert (first.task_id, first.value) == ("bash_command_match_at_1_test", 25.0)
    assert first.notes == SIGNATURES["command_match@1"]
    assert "|nrefs:var|k:1|" in first.notes
    ids = {task["id"] for task in yaml.safe_load(benchmark_yaml(NL2BASH))["tasks"]}
    assert {entry.task_id for entry in entries} < ids


def test_the_leaderboards_are_of_the_published_split():
    (config,) = {task["config"] for task in yaml.safe_load(benchmark_yaml(NL2BASH))["tasks"]}
    assert config == "published"


def test_only_nlc2cmd_may_be_below_zero():
    lowest = {"value": -0.5, "signature": SIGNATURES["nlc2cmd@1"]}
    low = report(scores=figures(nlc2cmd_at_1=lowest))
    check_scores(low, "scores.json", "bash", "test")
    entries = read_results(results_yaml(low, "org/nl2bash", "2026-01-31"), "text")
    assert -50.0 in {entry.value for entry in entries}
    for name, value in (("nlc2cmd_at_1", -1.5), ("tm_at_1", -0.5), ("tm_at_3", None)):
        with pytest.raises(UserError, match=name.replace("_at_", "@")):
            check(scores=figures(**{name: {"value": value, "signature": "s"}}))
    text = yaml.safe_dump([{"dataset": {"id": "o/n", "task_id": "bash_tm_at_1_dev"}, "value": -1}])
    with pytest.raises(UserError, match="value is -1, no percentage"):
        read_results(text, "file")


def test_what_was_looked_up_in_judgements_is_not_ranked():
    judged = figures(judged_f_at_1={"value": 0.5, "signature": "j", "unjudged_share": 0.4})
    check(scores=judged)
    assert "judged" not in results_yaml(report(scores=judged), "org/nl2bash", "2026-01-31")
    assert "judged_f" not in model_card(submission(report=report(scores=judged)))
    assert len(judged) == len(NAMES) + 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pairs": None}, "the field 'pairs' is None, no number"),
        ({"without_leaks": None}, "the field 'without_leaks.rows' is None"),
        ({"scores": {}}, "the field 'scores' must hold command_match@1, command_match@3"),
        ({"scores": figures(other_at_1={"value": 0, "signature": "s"})}, "must hold"),
        ({"scores": figures(tm_at_1=0.5)}, "scores.tm@1.signature is missing"),
        (
            {"without_leaks": {"rows": 1, "pairs": 1, "scores": figures(2)}},
            "without_leaks.scores.command_match@1.value is 2, no fraction from 0 to 1",
        ),
    ],
)
def test_scores_that_lack_something_are_refused(changes, said):
    with pytest.raises(UserError) as caught:
        check(**changes)
    assert str(caught.value).startswith("scores.json: ")
    assert said in str(caught.value)


def test_the_card_tells_of_bash_with_and_without_leaks():
    card = ModelCard(model_card(submission()))
    results = {result.metric_type: result for result in card.data.eval_results}
    assert list(results) == NAMES
    assert {result.dataset_name for result in results.values()} == {"NL2Bash"}
    assert results["tm@3"].metric_name == "TM, best of 3"
    assert "| metric | score | the 524 without leaks | signature |" in card.text
    shown = SIGNATURES["tm@3"].replace("|", "\\|")
    assert f"| TM, best of 3 | 25.00 | 20.00 | `{shown}` |" in card.text
    assert "23 examples share their normalised NL with train: they leak." in card.text
    assert "for NL2Bash ([Lin et al., 2018]" in card.text
    assert "notebook" not in card.text
    assert "without leaks" not in model_card(submission(report=report() | {"without_leaks": None}))


ALWAYS = [
    ("normalised words", "spelling corrected", "spelling as it is"),
    ("types of arguments", "by the authors' grammar", "by our table of flags (man pages)"),
]
OURS = [
    ("vocabulary", "one of sentences, one of commands", "one of both"),
    ("batches", "128 pairs", "by their tokens"),
]
WORDS = {"task": "bash", "level": "sub-token", "normalised_nl": True}


def test_what_differs_from_the_paper_is_of_this_paper():
    theirs = submission(input_format=WORDS, dataset_config="published", run={})
    data = ("data", "the published pairs", "the published pairs in their split, digest abc")
    assert list(differences(theirs)) == [data, *ALWAYS]
    small = {"model_type": "juice-gru", "hidden_size": 100}
    run = {"data": {"train_examples": 100}, "optim": {"lr": 0.001}}
    ours = submission(report=report(pairs=644), run=run, model=small, dataset_config="rebuilt")
    assert list(differences(ours)) == [
        (
            "data",
            "the published pairs",
            "pairs chosen and split by our own filter and rule, digest abc",
        ),
        ("pairs in test", "606", "644"),
        ("training examples", "8,090", "100"),
        *ALWAYS,
        ("sentences", "normalised words", "as written"),
        ("hidden size", "400", "100"),
        ("learning rate", "0.0001", "0.001"),
        *OURS,
    ]
    assert ("model", "Seq2Seq, CopyNet or Tellina, of GRUs from scratch", "t5") in list(
        differences(submission(model={"model_type": "t5"}))
    )


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (
            "sub-token",
            "The model reads the paper's normalised words and writes commands, at the level `s",
        ),
        (
            "template",
            "The model reads normalised words with types for constants and writes templates to",
        ),
    ],
)
def test_the_card_says_what_the_model_reads_and_writes(level, said):
    assert said in model_card(submission(input_format=WORDS | {"level": level}))


def test_a_search_that_is_not_the_papers_is_said():
    answered = {"num_beams": 5, "length_penalty": 1.0, "only_parsing": False}
    fewer = submission(input_format=WORDS, answered=answered)
    assert list(differences(fewer))[-2:] == [
        ("beams", "100", "5"),
        ("commands that do not parse", "dropped", "kept"),
    ]
    filled = submission(input_format=WORDS | {"level": "template"}, answered=answered)
    assert list(differences(filled))[-1] == ("beams", "100", "5")


def test_a_signature_of_the_part_without_leaks_says_so():
    firm = {"rows": 524, "pairs": 581, "scores": figures(0.2)}
    with pytest.raises(UserError, match=r"without_leaks\.scores.* says 'rows:547' in the place of"):
        check(without_leaks=firm)
