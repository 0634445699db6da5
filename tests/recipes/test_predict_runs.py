"""Predictions are the same by our search, after a kill, and by several processes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from small_juice import cache_in, recipe, row, run, write_juice
from small_runs import finished
from transformers import MarianMTModel, PreTrainedModel

from nl2code.decoding import Parts
from nl2code.errors import UserError
from nl2code.jsonl import read_jsonl
from nl2code.linearisation import InputFormat, linearise, read_prediction, save_input_format
from nl2code.models import (
    CopyTransformerConfig,
    CopyTransformerForConditionalGeneration,
    LSTMForConditionalGeneration,
    LSTMSeq2SeqConfig,
)
from nl2code.models.transformer import transformer_config
from nl2code.run_folder import alone_in
from nl2code.tokenization import train_tokenizer

WORDS = ["load", "plot the mean", "fit", "print a table of all values that are left", "sum", "x"]
ROWS = [row(f"r{number}", nl, "f ( x )") for number, nl in enumerate(WORDS)]
TOKENIZER = train_tokenizer(WORDS, merges=20)
SMALL = {"hidden_size": 16, "layers": 1}
HEADS = {"heads": 2, "feed_forward": 16}
predict = recipe("predict")


def build(kind: str) -> PreTrainedModel:
    words = {
        "vocab_size": len(TOKENIZER), "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "decoder_start_token_id": 1,
    }  # fmt: skip
    if kind == "lstm":
        config = LSTMSeq2SeqConfig(embedding_size=8, init_range=1.0, **SMALL, **words)
        return LSTMForConditionalGeneration(config)
    if kind == "copying":
        config = CopyTransformerConfig(**SMALL, **HEADS, **words)
        return CopyTransformerForConditionalGeneration(config)
    return MarianMTModel(transformer_config(**SMALL, **HEADS, **words))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset `juice`, and checkpoints with random weights so wide that inputs matter."""
    folder = tmp_path_factory.mktemp("predict")
    (folder / "juice").mkdir()
    write_juice(folder / "juice", {"train": ROWS, "dev": ROWS})
    for kind in ("lstm", "marian", "copying"):
        torch.manual_seed(0)
        model = build(kind)
        for parameter in model.parameters():
            if parameter.requires_grad:
                torch.nn.init.normal_(parameter, std=0.5)
        model.save_pretrained(folder / kind)
        TOKENIZER.save_pretrained(folder / kind)
        save_input_format(InputFormat(), folder / kind)
    return folder


@pytest.fixture
def predicted(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the recipe, each batch a source or two, and return the bytes that it wrote."""

    def make(name: str, kind: str = "lstm", **options: object) -> bytes:
        cache_in(here / "cache", monkeypatch)
        out = tmp_path / name
        short = {"num_beams": 3, "max_new_tokens": 8, "batch_tokens": 60} | options
        run(predict, monkeypatch, checkpoint=here / kind, data=here / "juice", out=out, **short)
        return out.read_bytes()

    return make


@pytest.mark.parametrize("kind", ["lstm", "marian", "copying"])
def test_predictions_are_those_that_generate_made(
    here: Path, predicted: Any, tmp_path: Path, kind: str
) -> None:
    predicted("a.jsonl", kind, candidates=3)
    model = predict.load_checkpoint(here / kind)[2].eval()
    lines = list(read_jsonl(tmp_path / "a.jsonl"))
    for line, one in zip(lines, ROWS, strict=True):
        source = TOKENIZER(linearise(one, InputFormat()), return_tensors="pt")
        ids = model.generate(**source, num_beams=3, num_return_sequences=3, max_new_tokens=8)
        texts = [read_prediction(t) for t in TOKENIZER.batch_decode(ids, skip_special_tokens=True)]
        assert line["candidates"] == texts
        assert line["prediction"] == texts[0]
    assert len({line["prediction"] for line in lines}) > 2


def die_at(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search of this batch, counted from 0, kill the run."""
    search, calls = predict.search, iter(range(100))

    def dying(*arguments: Any) -> Any:
        if next(calls) == batch:
            raise KeyboardInterrupt
        return search(*arguments)

    monkeypatch.setattr(predict, "search", dying)


def test_a_killed_run_goes_on_and_writes_the_same_file(
    predicted: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = predicted("whole.jsonl")
    with pytest.MonkeyPatch.context() as patch:
        die_at(2, patch)
        with pytest.raises(KeyboardInterrupt):
            predicted("a.jsonl")
    assert not (tmp_path / "a.jsonl").exists()
    with pytest.MonkeyPatch.context() as patch:
        die_at(1, patch)  # never reached: of three batches two are done already
        assert predicted("a.jsonl") == whole
    assert "a.jsonl.parts: going on after 2 batches" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.jsonl", "a.jsonl.config.yaml", "whole.jsonl", "whole.jsonl.config.yaml"
    ]  # fmt: skip


def test_other_settings_do_not_go_on_with_the_killed_runs_answers(predicted: Any) -> None:
    whole = predicted("whole.jsonl", max_new_tokens=3)
    with pytest.MonkeyPatch.context() as patch:
        die_at(2, patch)
        with pytest.raises(KeyboardInterrupt):
            predicted("a.jsonl")
    assert predicted("a.jsonl", max_new_tokens=3) == whole


def test_two_runs_do_not_write_the_same_predictions(predicted: Any, tmp_path: Path) -> None:
    with (
        alone_in(Parts(tmp_path / "a.jsonl").folder),
        pytest.raises(UserError, match="another run is writing into it"),
    ):
        predicted("a.jsonl")


def test_longer_texts_than_the_model_has_positions_for_are_refused(predicted: Any) -> None:
    with pytest.raises(UserError, match=r"--max_new_tokens 2000: .* writes at most 1,024 tokens"):
        predicted("a.jsonl", "marian", max_new_tokens=2000)


@dataclass
class Process:
    """One of two processes, as the recipe sees it; nobody waits."""

    process_index: int
    num_processes: int = 2
    device: str = "cpu"

    @property
    def is_main_process(self) -> bool:
        return self.process_index == 0

    def wait_for_everyone(self) -> None:
        pass


class WaitsForOthers(Exception):
    pass


def test_processes_share_the_batches_out(predicted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = predicted("whole.jsonl")
    made: list[tuple[int, int]] = []
    write = Parts.write

    def be(process: int) -> None:
        def noting(parts: Parts, batch: int, answers: Any) -> None:
            made.append((process, batch))
            write(parts, batch, answers)

        monkeypatch.setattr(Parts, "write", noting)
        monkeypatch.setattr(predict, "Accelerator", lambda: Process(process))
        monkeypatch.setenv("RANK", str(process))

    def join(*_: Any) -> None:
        raise WaitsForOthers

    monkeypatch.setattr(Parts, "read", join)
    be(0)
    with pytest.raises(WaitsForOthers):
        predicted("a.jsonl")
    be(1)
    with pytest.raises(FileNotFoundError):  # it is the main process that writes the file
        predicted("a.jsonl")
    assert made == [(0, 0), (0, 2), (1, 1)]
    monkeypatch.undo()
    assert predicted("a.jsonl") == whole


@pytest.mark.slow
def test_two_processes_write_the_file_of_one(here: Path, predicted: Any, tmp_path: Path) -> None:
    whole = predicted("whole.jsonl")
    program = tmp_path / "two.py"
    program.write_text(
        "import runpy\n"
        "from accelerate import Accelerator\n"
        "assert Accelerator().num_processes == 2\n"
        f"runpy.run_path({str(predict.__file__)!r}, run_name='__main__')\n"
    )
    options = {
        "checkpoint": here / "lstm", "data": here / "juice", "out": tmp_path / "a.jsonl",
        "num_beams": 3, "max_new_tokens": 8, "batch_tokens": 60,
    }  # fmt: skip
    said = finished([str(program), *(f"--{n}={v}" for n, v in options.items())], processes=2)
    assert said.count("6 predictions for dev") == 1
    assert (tmp_path / "a.jsonl").read_bytes() == whole
    assert not (tmp_path / "a.jsonl.parts").exists()
