"""A pretrained model is trained, goes on after a stop, answers a split and is scored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_juice import cache_in, fails, recipe, row, run, write_juice
from tiny_pretrained import KINDS, make_pretrained
from transformers import AutoModelForSeq2SeqLM, T5ForConditionalGeneration

from nl2code.jsonl import read_jsonl
from nl2code.tokenization import load_tokenizer

ROOT = Path(__file__).parents[2]
train, predict, score = recipe("train"), recipe("predict"), recipe("score")

LORA = {"model.lora_rank": 2, "model.lora_dropout": 0.5}
LENGTHS = pytest.mark.parametrize("more", [{}, LORA], ids=["whole", "lora"])


@pytest.fixture
def here(tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    (tmp_path / "juice").mkdir()
    code = ["plot ( x )", "if x : NEWLINE INDENT y = 'jupyter_string'", "fit ( x )", "x = y"]
    rows = [
        row(f"{i}", f"Fit the mean {'x ' * i}", code[i % 4], ["fit"], [("code", "x = 'a'\ny=x")])
        for i in range(8)
    ]
    write_juice(tmp_path / "juice", {"train": rows, "dev": rows[:4]})
    return tmp_path


def options(here, kind, out, steps, **more):
    if not (here / kind).exists():
        make_pretrained(kind, here / kind)
    return {
        "out": here / out,
        "data.path": here / "juice",
        "model.type": "pretrained",
        "model.name_or_path": here / kind,
        "optim.batch_tokens": 150,
        "optim.lr": 0.01,
        "optim.schedule": "constant",
        "eval.max_new_tokens": 8,
        "limits.max_steps": steps,
        "num_threads": 1,
        **more,
    }


@LENGTHS
@pytest.mark.parametrize("kind", KINDS)
def test_a_trained_model_answers_each_example_and_is_scored(here, monkeypatch, kind, more):
    run(train, monkeypatch, **options(here, kind, "run", 2, **more))
    best = here / "run" / "best"
    assert type(AutoModelForSeq2SeqLM.from_pretrained(best)) is type(
        AutoModelForSeq2SeqLM.from_pretrained(here / kind)
    )
    answers = here / "dev.jsonl"
    asked = {"checkpoint": best, "data": here / "juice", "split": "dev", "num_beams": 2}
    run(predict, monkeypatch, **asked, out=answers, max_new_tokens=8)
    assert [line["id"] for line in read_jsonl(answers)] == ["0", "1", "2", "3"]
    scores = here / "scores.json"
    run(
        score, monkeypatch, predictions=answers, data=here / "juice", split="dev", out=scores
    )  # fmt: skip
    assert scores.is_file()


def test_a_model_learns_to_write_layout_and_strings(here, monkeypatch):
    rows = [
        row("a", "plot", "if x : NEWLINE INDENT y = 'jupyter_string'"),
        row("b", "fit", "fit ( x ) NEWLINE x"),
    ]
    write_juice(here / "juice", {"train": rows, "dev": rows})
    often = {"optim.lr": 0.03, "eval.max_new_tokens": 40, "eval.epochs": 80, "log_steps": 80}
    run(
        train,
        monkeypatch,
        **options(here, "codet5", "run", 80, **often, **{"limits.max_epochs": 80}),
    )
    answers = here / "dev.jsonl"
    asked = {"checkpoint": here / "run" / "best", "data": here / "juice", "split": "dev"}
    run(predict, monkeypatch, **asked, out=answers)
    assert [line["prediction"] for line in read_jsonl(answers)] == [
        "if x : NEWLINE INDENT y = 'jupyter_string'",
        "fit ( x ) NEWLINE x",
    ]


@LENGTHS
def test_a_run_that_stopped_ends_in_the_same_weights(here, monkeypatch, more):
    run(train, monkeypatch, **options(here, "codet5", "whole", 4, **more))
    for steps in (2, 4):
        run(train, monkeypatch, **options(here, "codet5", "parts", steps, **more))
    names = ["model.safetensors", *(["lora.safetensors"] if more else [])]
    for name in names:
        parts = [(here / out / "last" / name).read_bytes() for out in ("whole", "parts")]
        assert parts[0] == parts[1]


def test_the_models_own_tokenizer_is_taken_unless_one_is_named(here, monkeypatch, capsys):
    given = options(here, "codet5", "run", 1)
    other = make_pretrained("plbart", here / "other")
    assert "does not match the model" in fails(train, monkeypatch, capsys, **given, tokenizer=other)
    run(train, monkeypatch, **given)
    ours = load_tokenizer(here / "run" / "best").get_vocab()
    assert load_tokenizer(here / "codet5").get_vocab().items() < ours.items()
    del given["model.name_or_path"]
    given["out"] = here / "another"
    assert "model.name_or_path: the type pretrained needs one" in fails(
        train, monkeypatch, capsys, **given
    )


@pytest.mark.parametrize(
    ("kind", "cause"), [("codet5", "does not match"), ("t5", "does not know 'print ( x )'")]
)
def test_a_folder_without_a_tokenizer_is_refused(here, monkeypatch, capsys, kind, cause):
    given = options(here, kind, "run", 1)
    for path in (here / kind).glob("*token*"):
        path.unlink()
    assert cause in fails(train, monkeypatch, capsys, **given)


@pytest.mark.slow  # it builds the embedded dataset and runs the recipes as programs
def test_a_pretrained_model_runs_on_the_embedded_dataset(tmp_path):
    make_pretrained("codet5", tmp_path / "codet5")
    environment = os.environ | {
        "PYTHONPATH": str(ROOT), "HF_DATASETS_CACHE": str(tmp_path / "cache"),
        "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
    }  # fmt: skip

    def program(*words: object) -> str:
        return subprocess.run(
            [sys.executable, *map(str, words)], cwd=ROOT, env=environment, check=True, text=True,
            stdout=subprocess.PIPE,
        ).stdout  # fmt: skip

    juice, best = tmp_path / "tiny", tmp_path / "run" / "best"
    program("juice.py", "build", "examples/notebooks", "--out", juice, "--no-install")
    config = ROOT / "recipes" / "configs" / "codet5-lora.yaml"
    program(
        "recipes/train.py", "--config", config, "--out", tmp_path / "run", "--data.path", juice,
        "--model.name_or_path", tmp_path / "codet5", "--limits.max_steps", 3, "--num_threads", 1,
        "--optim.batch_tokens", 2000, "--eval.max_new_tokens", 5, "--eval.examples", 4,
    )  # fmt: skip
    asked = ("--data", juice, "--split", "test")
    program(
        "recipes/predict.py", "--checkpoint", best, *asked, "--out", tmp_path / "a.jsonl",
        "--max_new_tokens", 10,
    )  # fmt: skip
    out = tmp_path / "scores.json"
    program("recipes/score.py", "--predictions", tmp_path / "a.jsonl", *asked, "--out", out)
    assert json.loads(out.read_text())
    assert isinstance(AutoModelForSeq2SeqLM.from_pretrained(best), T5ForConditionalGeneration)
