from __future__ import annotations

import dataclasses
import os
import resource
import string
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from accelerate import Accelerator
from transformers import AutoModelForSeq2SeqLM

from nl2code.batches import Pairs, Sequences
from nl2code.checkpoints import keep_weights_out, save_checkpoint
from nl2code.errors import UserError
from nl2code.jsonl import _HOST
from nl2code.linearisation import InputFormat, load_input_format
from nl2code.models import ModelConfig, build_model
from nl2code.progress import Progress
from nl2code.run_folder import alone_in, check_config, open_run
from nl2code.tokenization import load_tokenizer, train_tokenizer
from nl2code.training import TokenLoss


@dataclasses.dataclass(frozen=True)
class Limits:
    max_steps: int = 5


@dataclasses.dataclass(frozen=True)
class Config:
    lr: float = 0.1
    betas: tuple[float, float] = (0.9, 0.98)
    limits: Limits = dataclasses.field(default_factory=Limits)


FACTS = {"train": "abc", "processes": 1}


def opened(out: Path, config: Config | None = None, facts: dict[str, object] = FACTS) -> bool:
    check_config(out, config or Config(), resume=True)
    return open_run(Accelerator(), out, config or Config(), facts)


def test_a_new_run_has_nothing_to_go_on_from(tmp_path: Path) -> None:
    assert not opened(tmp_path / "run")
    names = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert names == ["config.yaml", "environment.json", "run.json"]


def test_a_run_killed_before_its_first_checkpoint_begins_anew(tmp_path: Path) -> None:
    opened(tmp_path)
    assert not opened(tmp_path)


DIE_WHILE_WRITING = """
import os, pathlib, sys
from nl2code.jsonl import writing
with writing(pathlib.Path(sys.argv[1])) as aside:
    aside.write_text("{")
    os._exit(9)
"""


@pytest.mark.parametrize(("whole", "part"), [(None, "run.json"), ("run.json", "config.yaml")])
def test_a_run_killed_while_its_first_files_were_written_begins_anew(
    whole: str | None, part: str, tmp_path: Path
) -> None:
    if whole:
        (tmp_path / whole).write_text("{}")
    subprocess.run([sys.executable, "-c", DIE_WHILE_WRITING, str(tmp_path / part)], check=False)
    assert not (tmp_path / part).exists()
    assert len(list(tmp_path.iterdir())) == (2 if whole else 1)
    assert not opened(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["config.yaml", "environment.json", "run.json"]


def test_a_folder_with_a_config_of_the_users_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("mine")
    with pytest.raises(UserError, match="is no training run"):
        opened(tmp_path)
    assert (tmp_path / "config.yaml").read_text() == "mine"


def test_a_run_with_a_state_goes_on(tmp_path: Path) -> None:
    opened(tmp_path)
    (tmp_path / "last" / "state").mkdir(parents=True)
    assert opened(tmp_path)


@pytest.mark.parametrize("host", [_HOST, "another-node"], ids=["here", "another node"])
@pytest.mark.parametrize("process", [os.getpid(), os.getppid()], ids=["own", "another"])
def test_a_checkpoint_killed_between_its_two_renames_is_found(
    host: str, process: int, tmp_path: Path
) -> None:
    """Whatever runs under that number now: the run's folder is locked, so it is no run's."""
    opened(tmp_path)
    (tmp_path / f".last.{host}.{process}.old" / "state").mkdir(parents=True)
    (tmp_path / f".best.{host}.{process}.part").mkdir()
    assert opened(tmp_path)
    assert not list(tmp_path.glob(".*"))
    assert (tmp_path / "last" / "state").is_dir()


def test_every_change_is_named(tmp_path: Path) -> None:
    opened(tmp_path)
    with pytest.raises(UserError, match=r"betas was \[0.9, 0.98\] and is \[0.9, 0.99\]; lr was"):
        opened(tmp_path, Config(lr=0.2, betas=(0.9, 0.99)))
    with pytest.raises(UserError, match=r"run.json: .* processes was 1 and is 2; train was abc"):
        opened(tmp_path, facts={"train": "abd", "processes": 2})


def test_a_run_whose_last_state_is_gone_says_that_it_begins_anew(tmp_path: Path, capsys) -> None:
    opened(tmp_path)
    (tmp_path / "best").mkdir()
    assert not opened(tmp_path)
    assert f"there is no {tmp_path / 'last'} to go on from" in capsys.readouterr().err


@pytest.mark.parametrize("text", [b"[1", b"", b"3", b"\xff: 1"])
def test_a_config_that_is_none_any_more_is_one_sentence(tmp_path: Path, text: bytes) -> None:
    opened(tmp_path)
    (tmp_path / "config.yaml").write_bytes(text)
    with pytest.raises(UserError, match=r"config.yaml: .* this is no config any more"):
        opened(tmp_path)


def test_a_version_that_is_no_number_is_one_sentence(tmp_path: Path) -> None:
    opened(tmp_path)
    (tmp_path / "run.json").write_text('{"version": "two"}')
    with pytest.raises(UserError, match=r"run.json: version 'two': a number is expected"):
        opened(tmp_path)


def test_limits_may_change(tmp_path: Path) -> None:
    opened(tmp_path)
    opened(tmp_path, Config(limits=Limits(max_steps=9)))
    assert "max_steps: 9" in (tmp_path / "config.yaml").read_text()


def test_a_file_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(UserError, match="run: a file, not a folder"), alone_in(tmp_path / "run"):
        pass


def test_two_runs_never_share_a_folder(tmp_path: Path) -> None:
    with alone_in(tmp_path / "run"):
        with pytest.raises(UserError, match="another run is writing"), alone_in(tmp_path / "run"):
            pass
        (tmp_path / "run" / "config.yaml").touch()
    with alone_in(tmp_path / "run"):
        pass  # the first has let go
    assert (tmp_path / "run" / "config.yaml").is_file()


def test_a_run_that_never_began_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no data"), alone_in(tmp_path / "run"):
        raise UserError("no data")
    assert not (tmp_path / "run").exists()


def test_progress_counts_real_tokens_and_comes_back() -> None:
    pairs = Pairs(Sequences.of([[5, 6], [7]]), Sequences.of([[8], [9, 9, 9]]))
    progress = Progress()
    progress.count(pairs, [np.array([0]), np.array([1])], seconds=2.0)
    assert (progress.step, progress.update, progress.tokens, progress.speed()) == (1, 1, 7, 3.5)
    progress.next_epoch()
    again = Progress()
    again.load_state_dict(progress.state_dict())
    assert again == progress
    assert (again.epoch, again.update, again.step) == (1, 0, 1)


def test_a_checkpoint_loads_by_itself_and_holds_the_weights_once(tmp_path: Path) -> None:
    accelerator = Accelerator()
    tokenizer = train_tokenizer(["x = 1"], merges=2)
    sizes = ModelConfig(embedding_size=8, hidden_size=8, input_feeding=False)
    model = accelerator.prepare(TokenLoss(build_model(sizes, tokenizer)))
    keep_weights_out(accelerator)
    fmt = InputFormat(context_cells=2, task="api")
    for _ in range(2):  # the second time replaces the first
        save_checkpoint(accelerator, tmp_path / "last", model, tokenizer, fmt, state=True)
    bare = accelerator.unwrap_model(model).model
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "last")
    assert all(map(torch.equal, loaded.parameters(), bare.parameters()))
    assert load_tokenizer(tmp_path / "last").get_vocab() == tokenizer.get_vocab()
    assert load_input_format(tmp_path / "last") == fmt
    assert [path.name for path in tmp_path.rglob("*.safetensors")] == ["model.safetensors"]
    assert [path.name for path in tmp_path.iterdir()] == ["last"]


@pytest.mark.parametrize(
    ("size", "limit"),
    [(32, 500), (32, 100_000), (32, 250_000), (2, 11_000)],
    ids=["config", "weights", "optimizer", "tokenizer"],
)
def test_a_full_disk_is_said_in_a_sentence_and_leaves_the_old_checkpoint_whole(
    size: int, limit: int, tmp_path: Path
) -> None:
    accelerator = Accelerator()
    tokenizer = train_tokenizer([string.ascii_letters], merges=60)
    sizes = ModelConfig(embedding_size=size, hidden_size=size, layers=1, input_feeding=False)
    bare = build_model(sizes, tokenizer)
    model: Any = TokenLoss(bare)
    optimizer: Any = torch.optim.AdamW(model.parameters())
    model, optimizer = accelerator.prepare(model, optimizer)
    sum(parameter.sum() for parameter in model.parameters()).backward()
    optimizer.step()
    keep_weights_out(accelerator)
    save_checkpoint(accelerator, tmp_path / "last", model, tokenizer, InputFormat(), state=True)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    torch.nn.init.zeros_(bare.get_output_embeddings().weight)
    assert any(len(content) > limit for content in before.values())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))  # a file larger than that fails
    try:
        with pytest.raises(
            UserError, match=r"last: the checkpoint cannot be written, .+; an older"
        ):
            save_checkpoint(
                accelerator, tmp_path / "last", model, tokenizer, InputFormat(), state=True
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["last"]
