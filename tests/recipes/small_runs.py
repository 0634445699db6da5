"""Training runs of seconds: their data, their settings, and what they leave."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_juice import recipe, row

from nl2code import optimisation
from nl2code.jsonl import read_jsonl
from nl2code.models import ModelConfig
from nl2code.training_config import DataConfig, EvalConfig, LimitsConfig, OptimConfig, TrainConfig

ROOT = Path(__file__).parents[2]
train = recipe("train")

WORDS = ["load", "plot", "sum", "drop", "data", "frame", "model", "fit"]
SMALL_LSTM = ModelConfig(
    embedding_size=16, hidden_size=16, layers=2, dropout=0.5, input_feeding=False
)
SMALL_TRANSFORMER = ModelConfig(
    type="transformer", hidden_size=16, layers=1, heads=2, feed_forward=16, dropout=0.5
)


def rows(split: str, number: int) -> list[dict[str, object]]:
    """Each asks for one word after the other, at lengths that differ."""
    made = []
    for i in range(number):
        words = [WORDS[(i * step) % 8] for step in range(1, 2 + i % 5)]
        code = " NEWLINE ".join(f"{word} ( x )" for word in words)
        made.append(row(f"{split}/{i}", " ".join(words), code, words, [("code", "x = 1")]))
    return made


def settings(here: Path, out: Path, **changes: object) -> object:
    """A run of two epochs of some ten updates, saved after every third."""
    config = TrainConfig(
        out=out,
        tokenizer=str(here / "tokenizer"),
        data=DataConfig(path=str(here / "juice")),
        model=SMALL_LSTM,
        optim=OptimConfig(batch_tokens=150),
        eval=EvalConfig(examples=4, max_new_tokens=5),
        limits=LimitsConfig(max_epochs=2),
        save_steps=3,
        log_steps=2,
        num_threads=1,
    )
    return dataclasses.replace(config, **changes)


def limits(steps: int) -> object:
    return LimitsConfig(max_steps=steps)


def weights(out: Path, name: str = "last") -> bytes:
    return (out / name / "model.safetensors").read_bytes()


def log(out: Path) -> list[dict[str, float]]:
    return list(read_jsonl(out / "log.jsonl"))


def train_and_die(config: object, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train, and die while making a batch, counted from 0."""
    calls = iter(range(1000))

    def dying(*arguments: object) -> object:
        if next(calls) == batch:
            raise KeyboardInterrupt
        return collate(*arguments)

    collate = optimisation.collate
    with monkeypatch.context() as patch:
        patch.setattr(optimisation, "collate", dying)
        with pytest.raises(KeyboardInterrupt):
            train.train(config)


def command(here: Path, out: Path, *more: str) -> list[str]:
    options = {
        "out": out,
        "tokenizer": here / "tokenizer",
        "data.path": here / "juice",
        "model.embedding_size": 16,
        "model.hidden_size": 16,
        "model.input_feeding": "false",
        "optim.batch_tokens": 150,
        "eval.examples": 4,
        "eval.max_new_tokens": 5,
        "log_steps": 2,
        "num_threads": 1,
    }
    words = [f"--{name}={value}" for name, value in options.items()]
    return [str(ROOT / "recipes" / "train.py"), *words, *more]


def start(arguments: list[str], processes: int = 1) -> subprocess.Popen[str]:
    """Start the recipe, with several processes by `accelerate launch`."""
    words, environment = [sys.executable], dict(os.environ)
    if processes > 1:
        config = ROOT / "recipes" / "accelerate" / "cpu-2.yaml"
        words += [
            "-m",
            "accelerate.commands.accelerate_cli",
            "launch",
            "--config_file",
            str(config),
        ]
        words += ["--main_process_port=0"]
        environment["ACCELERATE_USE_CPU"] = "true"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*words, *arguments], env=environment, text=True, **pipes)


def finished(arguments: list[str], processes: int = 1) -> str:
    """Run the recipe to its end and return what it printed."""
    running = start(arguments, processes)
    said, complaints = running.communicate()
    assert running.returncode == 0, complaints[-3000:]
    return said
