"""What goes wrong in training ends in a sentence, and what was saved stays whole."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from small_juice import fails, write_juice
from small_runs import (
    ROOT,
    SMALL_LSTM,
    SMALL_TRANSFORMER,
    command,
    limits,
    log,
    rows,
    settings,
    train,
    weights,
)

from nl2code import optimisation, training_data
from nl2code.errors import UserError, sentence
from nl2code.linearisation import MARKERS
from nl2code.tokenization import load_tokenizer, train_tokenizer
from nl2code.training import TokenLoss
from nl2code.training_config import DataConfig, LimitsConfig, OptimConfig
from nl2code.training_data import read_training_data


def juice(folder: Path, **splits: list[dict[str, object]]) -> DataConfig:
    folder.mkdir()
    write_juice(folder, splits)
    return DataConfig(path=str(folder))


def losing(monkeypatch: pytest.MonkeyPatch, batch: int, factor: float) -> None:
    """Let the loss of a batch, counted from 0, be wrong by a factor."""
    calls, forward = iter(range(1000)), TokenLoss.forward

    def wrong(module: TokenLoss, **tensors: torch.Tensor) -> torch.Tensor:
        loss = forward(module, **tensors)
        return loss * factor if module.training and next(calls) == batch else loss

    monkeypatch.setattr(TokenLoss, "forward", wrong)


def batches_made(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    made, collate = [], optimisation.collate

    def noted(pairs: object, places: torch.Tensor, *more: object) -> object:
        made.append(places.tolist())
        return collate(pairs, places, *more)

    monkeypatch.setattr(optimisation, "collate", noted)
    return made


@pytest.mark.parametrize(
    ("factor", "said"),
    [(float("nan"), "train loss is nan"), (float("inf"), "train loss is inf"), (1e4, "grown to")],
)
def test_a_run_that_diverges_names_the_update_and_its_examples(
    factor: float, said: str, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = batches_made(monkeypatch)
    losing(monkeypatch, 4, factor)  # update 5; the log is looked at after update 8
    config = settings(here, tmp_path / "run", log_steps=8, save_steps=3)
    with pytest.raises(UserError, match=rf"{said}.* at update 5, of the examples ") as error:
        train.train(config)
    told = json.loads((config.out / "diverged.json").read_text())
    assert told["update"] == 5
    assert told["ids"] == [f"train/{place}" for place in made[4]]
    assert told["ids"][0] in str(error.value)
    state = config.out / "last" / "state" / "custom_checkpoint_1.pkl"
    # Save 6 would have been of broken weights: looked at before it is written, it is not.
    assert torch.load(state, weights_only=False)["step"] == 3
    assert len(made) == 6


def test_examples_are_named_right_where_others_were_dropped(here: Path, tmp_path: Path) -> None:
    data = DataConfig(path=str(here / "juice"), max_target_tokens=20)
    tokenizer = load_tokenizer(here / "tokenizer")
    read = read_training_data(settings(here, tmp_path, data=data), tokenizer, main=False)
    code = {one["id"]: " ".join(one["code_tokens_clean"]) for one in rows("train", 40)}
    assert 0 < len(read.train) < 40
    for place, name in enumerate(read.ids(np.arange(len(read.train)))):
        target = read.train.targets.padded(np.array([place]), 0)[0][0]
        assert target.tolist() == tokenizer(code[name])["input_ids"]


def test_a_rate_far_too_high_is_named(here: Path, tmp_path: Path) -> None:
    config = settings(here, tmp_path / "run", optim=OptimConfig(batch_tokens=150, lr=1e38))
    with pytest.raises(UserError, match=r"loss is nan at update .*optim.lr 1e[+]38 may be too"):
        train.train(config)
    assert not (config.out / "best").exists()


def short_of_memory(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let batches of more than so many examples not fit, half of them on the way back only."""
    forward = TokenLoss.forward

    def greedy(module: TokenLoss, **tensors: torch.Tensor) -> torch.Tensor:
        loss = forward(module, **tensors)
        if module.training and len(tensors["input_ids"]) > most:
            error = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
            if len(tensors["input_ids"]) % 2:
                raise error

            def fail(gradient: torch.Tensor) -> None:
                raise error

            loss.register_hook(fail)
        return loss

    monkeypatch.setattr(TokenLoss, "forward", greedy)


def test_short_of_memory_the_updates_stay_the_same(
    here: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = {
        "model": dataclasses.replace(SMALL_LSTM, dropout=0.0),
        "optim": OptimConfig(batch_tokens=150, accumulate=2),
    }
    train.train(settings(here, tmp_path / "roomy", **options))
    with monkeypatch.context() as patch:
        short_of_memory(patch, most=3)
        train.train(settings(here, tmp_path / "short", **options))
    said = capsys.readouterr().err
    assert "out of memory at update 1: from here on each batch is computed in 2 parts" in said
    roomy, short = log(tmp_path / "roomy"), log(tmp_path / "short")
    losses = [
        [r[k] for r in part for k in ("train_loss", "dev_loss") if k in r]
        for part in (roomy, short)
    ]
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)
    assert {row["split"] for row in short if "train_loss" in row} <= {2, 4, 8}


def test_the_parts_are_remembered_over_a_stop(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        short_of_memory(patch, most=3)
        train.train(settings(here, tmp_path / "whole", limits=limits(6)))
        train.train(settings(here, tmp_path / "parts", limits=limits(4)))
    train.train(settings(here, tmp_path / "parts", limits=limits(6)))  # with room again
    assert weights(tmp_path / "parts") == weights(tmp_path / "whole")


def test_a_run_may_go_on_in_smaller_parts(here: Path, tmp_path: Path) -> None:
    train.train(settings(here, tmp_path / "run", limits=limits(2)))
    optim = OptimConfig(batch_tokens=150, split=2)
    train.train(settings(here, tmp_path / "run", limits=limits(4), optim=optim))
    assert [row.get("split") for row in log(tmp_path / "run") if "train_loss" in row] == [None, 2]


def test_one_example_that_does_not_fit_is_said(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_of_memory(monkeypatch, most=0)
    with pytest.raises(UserError, match="update 1 even with one example at a time"):
        train.train(settings(here, tmp_path / "run"))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes of its own, where this system lets us have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("not run: it takes the right to mount a disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)  # TensorBoard's file is open


@pytest.mark.parametrize("left", [0, 10_000, 60_000, 150_000, 250_000])
def test_a_full_disk_ends_in_a_sentence_and_leaves_the_last_checkpoint(
    left: int, disk: Path, here: Path, tmp_path: Path
) -> None:
    config = settings(here, disk / "run", limits=limits(4))
    further = dataclasses.replace(config, limits=limits(8))
    train.train(config)
    before = weights(config.out)
    (disk / "filler").write_bytes(b"x" * (shutil.disk_usage(disk).free - left))
    with pytest.raises((UserError, OSError)) as error:
        train.train(further)
    assert re.search("No space left on device|is the disk full", sentence(error.value))
    assert str(config.out) in sentence(error.value)
    assert weights(config.out) == before
    (disk / "filler").unlink()
    train.train(further)
    train.train(settings(here, tmp_path / "whole", limits=limits(8)))
    assert weights(config.out) == weights(tmp_path / "whole")


def test_a_dataset_without_dev_is_refused(here: Path, tmp_path: Path) -> None:
    data = juice(tmp_path / "juice", train=rows("train", 9))
    with pytest.raises(UserError, match=r"juice: the split 'dev' cannot be read"):
        train.train(settings(here, tmp_path / "run", data=data))


@pytest.mark.parametrize("split", ["train", "dev"])
def test_an_empty_split_is_refused(
    split: str, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = training_data.read_split

    def read_split(data: str, name: str) -> object:
        read = plain(data, name)
        return read.select([]) if name == split else read

    monkeypatch.setattr(training_data, "read_split", read_split)
    with pytest.raises(UserError, match=f"data.path .*juice: the split '{split}' has no examples"):
        train.train(settings(here, tmp_path / "run"))


def test_examples_without_context_are_learnt_from(here: Path, tmp_path: Path) -> None:
    bare = [one | {"context": [], "nl_original": "", "nl": []} for one in rows("train", 9)]
    data = juice(tmp_path / "juice", train=bare, dev=bare[:3])
    for name, model in (("lstm", SMALL_LSTM), ("transformer", SMALL_TRANSFORMER)):
        config = settings(here, tmp_path / name, data=data, model=model, limits=limits(2))
        assert "update 2" in train.train(config)
        assert "(nothing)" in (config.out / "examples.md").read_text()


def test_more_examples_than_there_are_means_all_and_is_said(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = DataConfig(path=str(here / "juice"), train_examples=100_000)
    train.train(settings(here, tmp_path / "run", data=data, limits=limits(1)))
    assert "train: 40 examples of 40 (100000 asked for)" in capsys.readouterr().err


def test_a_tokenizer_with_other_markers_is_refused(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(MARKERS, "markdown", "<md>")
        train_tokenizer(["x = 1"], merges=5).save_pretrained(tmp_path / "tokenizer")
    config = settings(here, tmp_path / "run", tokenizer=str(tmp_path / "tokenizer"))
    with pytest.raises(UserError, match=r"tokenizer .* other markers and lacks <markdown>; "):
        train.train(config)


def test_a_tokenizer_that_was_made_for_bash_is_refused(here: Path, tmp_path: Path) -> None:
    shutil.copytree(here / "tokenizer", tmp_path / "bpe")
    (tmp_path / "bpe" / "config.yaml").write_text("format: {task: bash, level: char}")
    config = settings(here, tmp_path / "run", tokenizer=str(tmp_path / "bpe"))
    with pytest.raises(
        UserError, match=r"bpe: it was made for format\.task bash, and this is code"
    ):
        train.train(config)


@pytest.mark.parametrize("name", ["max_source_tokens", "max_target_tokens"])
def test_texts_longer_than_the_models_positions_are_refused(
    name: str, here: Path, tmp_path: Path
) -> None:
    model = dataclasses.replace(SMALL_TRANSFORMER, max_positions=249)
    lengths = {"max_source_tokens": 200, "max_target_tokens": 200, name: 250}
    data = DataConfig(path=str(here / "juice"), **lengths)
    with pytest.raises(
        UserError, match=f"data.{name}: 250 tokens, but the model has positions for 249 only"
    ):
        train.train(settings(here, tmp_path / "run", data=data, model=model))


@pytest.fixture
def begun(here: Path, tmp_path: Path) -> object:
    """A run of two updates, which may go on to three."""
    config = settings(here, tmp_path / "run", limits=limits(2))
    train.train(config)
    return dataclasses.replace(config, limits=LimitsConfig(max_steps=3))


def test_a_checkpoint_of_another_model_is_refused(
    begun: object, here: Path, tmp_path: Path
) -> None:
    last = begun.out / "last"
    for name, model in (
        ("larger", dataclasses.replace(SMALL_LSTM, hidden_size=32)),
        ("deeper", dataclasses.replace(SMALL_LSTM, layers=3)),
        ("transformer", SMALL_TRANSFORMER),
    ):
        other = settings(here, tmp_path / name, model=model, limits=limits(1))
        train.train(other)
        for file in ("config.json", "model.safetensors"):
            shutil.copy(other.out / "last" / file, last / file)
        with pytest.raises(UserError, match=r"last: the run cannot go on from this checkpoint: "):
            train.train(begun)


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "model.safetensors",
        "state/optimizer.bin",
        "state/random_states_0.pkl",
        "state/custom_checkpoint_0.pkl",
        "state/custom_checkpoint_1.pkl",
    ],
)
@pytest.mark.parametrize("size", [None, 0, 20], ids=["missing", "empty", "torn"])
def test_a_half_written_checkpoint_is_refused(name: str, size: int | None, begun: object) -> None:
    path = begun.out / "last" / name
    whole = path.read_bytes()
    path.unlink() if size is None else path.write_bytes(whole[:size])
    with pytest.raises(UserError, match=r"last: the run cannot go on from this checkpoint: \S"):
        train.train(begun)
    path.write_bytes(whole)
    train.train(begun)


def test_a_checkpoint_that_lacks_a_weight_is_refused(begun: object) -> None:
    path = begun.out / "last" / "model.safetensors"
    tensors = load_file(path)
    lost = next(name for name in tensors if "bias" in name)
    save_file({name: tensor for name, tensor in tensors.items() if name != lost}, path)
    with pytest.raises(UserError, match=f"another model's: {re.escape(lost)} does not fit"):
        train.train(begun)


def test_a_checkpoint_without_its_state_is_not_begun_anew(begun: object) -> None:
    shutil.rmtree(begun.out / "last" / "state")
    before = weights(begun.out)
    with pytest.raises(UserError, match="last: the checkpoint has no state to go on from"):
        train.train(begun)
    assert weights(begun.out) == before


@pytest.mark.parametrize(("version", "age"), [(1, "an older"), (99, "a newer")])
def test_a_run_of_another_version_is_refused(version: int, age: str, begun: object) -> None:
    path = begun.out / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": version}))
    with pytest.raises(UserError, match=f"run.json: the run was begun by {age} version of nl2code"):
        train.train(begun)


def test_a_config_that_is_a_folder_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fails(train, monkeypatch, capsys, config=here) == (
        f"error: --config {here}: a folder, not a file"
    )


@pytest.mark.skipif(torch.accelerator.is_available(), reason="not run: there is a GPU here")
@pytest.mark.parametrize("name", ["one-gpu", "multi-gpu"])
@pytest.mark.slow
def test_a_config_for_gpus_ends_in_a_sentence_on_a_machine_without(
    name: str, here: Path, tmp_path: Path
) -> None:
    launch = ["-m", "accelerate.commands.accelerate_cli", "launch", "--quiet", "--config_file"]
    config = str(ROOT / "recipes" / "accelerate" / f"{name}.yaml")
    run = [sys.executable, *launch, config, *command(here, tmp_path / "run")]
    ended = subprocess.run(run, capture_output=True, text=True)
    assert ended.returncode != 0
    assert "error: accelerate launch asks for" in ended.stderr
    assert not (tmp_path / "run").exists()
