from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch
from accelerate import Accelerator
from accelerate.commands.config.config_args import load_config_from_file
from accelerate.utils import set_seed
from safetensors.torch import load_file
from small_bash import pair, write_bash
from small_juice import fails, write_juice
from small_runs import (
    ROOT,
    SMALL_LSTM,
    limits,
    log,
    rows,
    settings,
    train,
    weights,
)
from transformers import AutoModelForSeq2SeqLM

from nl2code.dataset import read_split
from nl2code.encoding import encode
from nl2code.errors import UserError
from nl2code.linearisation import load_input_format
from nl2code.models import build_model
from nl2code.tokenization import load_tokenizer, train_tokenizer
from nl2code.training import TokenLoss, token_loss
from nl2code.training_config import DataConfig, EvalConfig, LimitsConfig, OptimConfig


def test_a_finished_run_may_go_on_with_wider_limits(here: Path, tmp_path: Path) -> None:
    train.train(settings(here, tmp_path / "whole", limits=limits(9)))
    for steps in (4, 9):
        train.train(settings(here, tmp_path / "parts", limits=limits(steps)))
    assert weights(tmp_path / "parts") == weights(tmp_path / "whole")


BEYOND = "limits.max_steps 3: the run ended at 4 before, beyond it; it stays so"


def test_the_same_command_after_the_end_trains_no_more_nor_does_a_lower_limit(
    here: Path, tmp_path: Path
) -> None:
    config = settings(here, tmp_path / "run", limits=limits(4))
    first, before = train.train(config), weights(config.out)
    assert train.train(config) == first
    assert weights(config.out) == before
    lower = dataclasses.replace(config, limits=limits(3))
    assert train.train(lower) == f"{first}. {BEYOND}"
    assert weights(config.out) == before
    assert BEYOND in (config.out / "report.md").read_text()


def test_best_is_the_model_with_the_lowest_dev_loss(here: Path, tmp_path: Path) -> None:
    # Dev asks for what train never answers, so the better train is learnt the worse is dev.
    other = [one | {"code_tokens_clean": ["load", "load"]} for one in rows("dev", 12)]
    (tmp_path / "juice").mkdir()
    write_juice(tmp_path / "juice", {"train": rows("train", 40), "dev": other})
    config = settings(
        here,
        tmp_path / "run",
        data=DataConfig(path=str(tmp_path / "juice")),
        optim=OptimConfig(batch_tokens=150, lr=0.1),
        eval=EvalConfig(steps=2, examples=2, max_new_tokens=2),
        limits=limits(12),
    )
    train.train(config)
    losses = [r["dev_loss"] for r in log(config.out) if "dev_loss" in r]
    assert min(losses) < losses[-1]
    best = config.out / "best"
    tokenizer, fmt = load_tokenizer(best), load_input_format(best)
    model = TokenLoss(AutoModelForSeq2SeqLM.from_pretrained(best))
    pairs, _ = encode(read_split(config.data.path, "dev"), tokenizer, fmt, (250, 250))
    assert token_loss(Accelerator(), model, pairs, 150) == pytest.approx(min(losses), abs=1e-6)


def test_best_may_be_the_model_with_the_highest_score_also_over_a_resumption(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The loss is lowest at update 3; what the run knew of BLEU before it ended must still count.
    told = iter([(3.0, 0.1), (2.0, 0.4), (1.0, 0.3), (2.0, 0.4)])

    def figures(*_: object) -> tuple[dict[str, float], list[str]]:
        loss, score = next(told)
        return {"dev_loss": loss, "exact_match": 0.0, "bleu_nltk3": score}, [""] * 2

    monkeypatch.setattr(train, "dev_figures", figures)
    when = EvalConfig(
        epochs=None, steps=1, examples=2, max_new_tokens=2, metric_for_best_model="bleu_nltk3"
    )
    train.train(settings(here, tmp_path / "run", eval=when, limits=limits(2)))
    second = weights(tmp_path / "run", "last")
    said = train.train(settings(here, tmp_path / "run", eval=when, limits=limits(4)))
    assert "best bleu_nltk3 0.4000 at update 2" in said
    assert weights(tmp_path / "run", "best") == second != weights(tmp_path / "run", "last")
    assert "| **2** |" in (tmp_path / "run" / "report.md").read_text()


def test_gradients_are_clipped_and_weights_decay(here: Path, tmp_path: Path) -> None:
    optim = OptimConfig(batch_tokens=150, lr=0.1, clip_norm=1e-12, weight_decay=0.5)
    config = settings(here, tmp_path / "run", optim=optim, limits=limits(1))
    train.train(config)
    set_seed(config.seed)
    first = build_model(config.model, load_tokenizer(here / "tokenizer")).state_dict()
    for name, after in load_file(tmp_path / "run" / "last" / "model.safetensors").items():
        # Adam divides so small a gradient by its epsilon, and decay alone is left.
        assert torch.allclose(after, (1 - 0.1 * 0.5) * first[name], atol=1e-4), name


def test_labels_are_smoothed_in_the_train_loss(here: Path, tmp_path: Path) -> None:
    losses = []
    for smoothing in (0.0, 0.5):
        optim = OptimConfig(batch_tokens=150, label_smoothing=smoothing)
        out = tmp_path / str(smoothing)
        train.train(settings(here, out, optim=optim, limits=limits(1), log_steps=1))
        losses += [r["train_loss"] for r in log(out) if "train_loss" in r]
    assert losses[0] != pytest.approx(losses[1], rel=1e-5)


def test_four_examples_are_learnt_by_heart(here: Path, tmp_path: Path) -> None:
    four = rows("train", 4)
    (tmp_path / "juice").mkdir()
    write_juice(tmp_path / "juice", {"train": four, "dev": four})
    model = dataclasses.replace(SMALL_LSTM, hidden_size=256, embedding_size=256, dropout=0.0)
    config = settings(
        here,
        tmp_path / "run",
        data=DataConfig(path=str(tmp_path / "juice")),
        model=model,
        optim=OptimConfig(lr=3e-3, schedule="constant", batch_tokens=400),
        eval=EvalConfig(epochs=None, examples=4, max_new_tokens=40),
        limits=LimitsConfig(max_steps=120, max_epochs=1000),
        save_steps=None,
    )
    train.train(config)
    assert log(config.out)[-1]["exact_match"] == 1.0


def test_the_clock_stops_a_run_with_an_evaluation(here: Path, tmp_path: Path) -> None:
    config = settings(here, tmp_path / "run", limits=LimitsConfig(max_minutes=1e-6), log_steps=2)
    train.train(config)
    assert [r["step"] for r in log(config.out)] == [2, 2]
    assert "dev_loss" in log(config.out)[-1]


def test_long_targets_leave_train_and_are_counted(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = load_tokenizer(here / "tokenizer")
    targets = [" ".join(one["code_tokens_clean"]) for one in rows("train", 40)]
    long = sum(len(tokenizer(target)["input_ids"]) > 20 for target in targets)
    data = DataConfig(path=str(here / "juice"), max_target_tokens=20)
    train.train(settings(here, tmp_path / "run", data=data, limits=limits(1)))
    said = capsys.readouterr().err
    assert f"train: {40 - long} examples of 40 (all asked for), {long} dropped" in said
    assert 0 < long < 40


def test_another_folder_is_never_written_into(here: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(UserError, match="is no training run"):
        train.train(settings(here, tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_run_is_left_alone_without_resume(here: Path, tmp_path: Path) -> None:
    config = settings(here, tmp_path / "run", limits=limits(1))
    train.train(config)
    with pytest.raises(UserError, match="holds a run already"):
        train.train(dataclasses.replace(config, resume=False))


def test_a_run_with_other_settings_is_not_resumed(here: Path, tmp_path: Path) -> None:
    config = settings(here, tmp_path / "run", limits=limits(1))
    train.train(config)
    with pytest.raises(UserError, match=r"config.yaml.*seed was 1 and is 2"):
        train.train(dataclasses.replace(config, seed=2))


def test_a_run_with_other_rows_or_another_tokenizer_is_not_resumed(
    here: Path, tmp_path: Path
) -> None:
    (tmp_path / "juice").mkdir()
    write_juice(tmp_path / "juice", {"train": rows("train", 9), "dev": rows("dev", 3)})
    train_tokenizer(["load ( x )"], merges=5).save_pretrained(tmp_path / "tokenizer")
    config = settings(
        tmp_path, tmp_path / "run", limits=limits(1), data=DataConfig(f"{tmp_path}/juice")
    )
    train.train(config)
    write_juice(tmp_path / "juice", {"train": rows("train", 9)[1:], "dev": rows("dev", 3)})
    with pytest.raises(
        UserError, match=r"run.json.*: train was 9 examples .* is 8 examples .*\w+$"
    ):
        train.train(config)
    train_tokenizer(["plot ( x )"], merges=6).save_pretrained(tmp_path / "tokenizer")
    with pytest.raises(UserError, match=r"run.json.*; tokenizer was"):
        train.train(config)


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("data.path", "/nowhere/juice", "/nowhere/juice: the split 'train' cannot be read"),
        ("data.dev_split", "validation", "the split 'validation' cannot be read"),
        ("data.max_target_tokens", 2, "no example of train is short enough"),
        ("model.hidden_size", 0, "hidden_size"),
        ("optim.lr", "high", 'key "optim.lr"'),
        ("optim.batch_tokens", 0, "optim.batch_tokens: 0 is too small"),
        ("optim.weight_decay", -0.5, "optim.weight_decay: -0.5 is too small"),
        ("optim.cooldown_steps", -1, "optim.cooldown_steps: -1 is too small"),
        ("optim.cooldown_steps", 5, "optim.cooldown_steps: 5 means nothing with optim.schedule pl"),
        ("eval.metric_for_best_model", "char_bleu", "which are dev_loss, exact_match, bleu_nltk3"),
        ("eval.minutes", 0, "eval.minutes: 0.0 is too small"),
        ("log_steps", 0, "log_steps: 0 is too small"),
        ("seed", -1, "seed: -1 is too small"),
        ("seed", 2**32, "seed: 4294967296 is too large"),
        ("optim.lr", ".nan", "optim.lr: nan is no number"),
        ("limits.max_minutes", ".inf", "limits.max_minutes: inf is no number"),
        ("optim.weight_decay", ".nan", "optim.weight_decay: nan is no number"),
        ("save_minutes", ".nan", "save_minutes: nan is no number"),
        ("optim.betas", "[0.9,1.0]", "optim.betas: 1.0 is too large"),
        ("optim.betas", "[-0.1,0.9]", "optim.betas: -0.1 is too small"),
        ("optim.label_smoothing", 1, "optim.label_smoothing: 1.0 is too large"),
        ("format.context_cells", 0, "format.context_cells: 0 is too small"),
        ("format.context_tokens", 0, "format.context_tokens: 0 is too small"),
        ("data.max_source_tokens", 1, "data.max_source_tokens: 1 is too small"),
        ("data.max_target_tokens", 1, "data.max_target_tokens: 1 is too small"),
        ("data.path", "", "data.path: '' names no dataset"),
        ("format.copy_unknown", "true", "format.copy_unknown: True means nothing with format.task"),
    ],
)
def test_bad_settings_end_in_a_sentence(
    option: str,
    value: object,
    sentence: str,
    here: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = {"data.path": here / "juice", "tokenizer": here / "tokenizer", "out": tmp_path / "o"}
    assert sentence in fails(train, monkeypatch, capsys, **(options | {option: value}))
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("steps", [None, 4])
def test_a_cooldown_needs_as_many_updates(steps: int | None, here: Path, tmp_path: Path) -> None:
    optim = OptimConfig(schedule="constant", cooldown_steps=5)
    config = settings(here, tmp_path / "run", optim=optim, limits=LimitsConfig(max_steps=steps))
    with pytest.raises(UserError, match=f"steps: 5 updates .*; limits.max_steps is {steps}"):
        train.train(config)


def test_a_dataset_that_lacks_a_column_is_refused(here: Path, tmp_path: Path) -> None:
    lacking = [{name: one[name] for name in one if name != "context"} for one in rows("train", 9)]
    (tmp_path / "juice").mkdir()
    write_juice(tmp_path / "juice", {"train": lacking, "dev": lacking})
    data = DataConfig(f"{tmp_path}/juice")
    with pytest.raises(UserError, match=r"data.path .*/juice: the split has no column 'context'"):
        train.train(settings(here, tmp_path / "run", data=data))


def test_a_dataset_of_bash_is_refused_with_the_setting_for_it(here: Path, tmp_path: Path) -> None:
    pairs = write_bash(tmp_path / "nl2bash", {"train": [pair("1", "list", "ls")]})
    with pytest.raises(
        UserError, match=r"'context', .*; it holds Bash commands: format.task bash$"
    ):
        train.train(settings(here, tmp_path / "run", data=DataConfig(str(pairs))))


@pytest.mark.parametrize(
    "path", sorted((ROOT / "recipes" / "accelerate").glob("*.yaml")), ids=lambda path: path.stem
)
def test_every_accelerate_config_loads(path: Path) -> None:
    assert load_config_from_file(str(path)).num_processes == {
        "cpu": 1,
        "cpu-2": 2,
        "one-gpu": 1,
    }.get(path.stem, 4)
