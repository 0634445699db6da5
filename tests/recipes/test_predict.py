"""A checkpoint answers each example of a split, in the split's order."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import datasets
import pytest
import torch
from datasets import Dataset
from transformers import T5Config, T5ForConditionalGeneration

from nl2code.errors import UserError
from nl2code.jsonl import read_jsonl
from nl2code.linearisation import InputFormat, save_input_format
from nl2code.tokenization import train_tokenizer

ROOT = Path(__file__).parents[2]
WORDS = ("load", "plot the mean", "fit", "print a table of all values that are left", "sum")


def load_program(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        path.replace("/", "_").removesuffix(".py"), ROOT / path
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def row(number: int, nl: str) -> dict[str, Any]:
    above = {"cell_type": "markdown", "distance_target": 1, "nl_original": nl, "code": None}
    return {
        "id": f"r{number}",
        "nl_original": nl,
        "context": [above],
        "code": "f(x)",
        "code_tokens_clean": ["f", "(", "x", ")"],
        "api_sequence": ["f"],
        "comments": [],
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "tiny"
    folder.mkdir()
    rows = [row(number, nl) for number, nl in enumerate(WORDS)]
    for split in ("train", "test"):
        Dataset.from_list(rows).to_parquet(folder / f"{split}.parquet")
    return folder


def make_checkpoint(folder: Path, vocab_size: int | None = None) -> Path:
    tokenizer = train_tokenizer(WORDS, merges=20)
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=vocab_size or len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1,
        num_heads=2, pad_token_id=0, eos_token_id=2, decoder_start_token_id=1,
        tie_word_embeddings=False,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config)
    for parameter in model.parameters():  # wild enough for inputs to make a difference
        torch.nn.init.normal_(parameter)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    save_input_format(InputFormat(), folder)
    return folder


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("best"))


def predict(checkpoint: Path, data: Path, out: Path, *options: str) -> list[dict[str, Any]]:
    program = load_program("recipes/predict.py")
    arguments = ["--checkpoint", checkpoint, "--data", data, "--out", out, "--split", "test"]
    short = ["--num_beams", "2", "--max_new_tokens", "8"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["predict.py", *map(str, arguments), *short, *options])
        patch.setattr(datasets.config, "HF_DATASETS_CACHE", data.parent / "cache")
        program.main()
    return list(read_jsonl(out))


def test_each_example_is_answered_in_order_whatever_the_batches(
    checkpoint: Path, data: Path, tmp_path: Path
) -> None:
    together = predict(checkpoint, data, tmp_path / "a.jsonl")
    alone = predict(checkpoint, data, tmp_path / "b.jsonl", "--batch_tokens", "1")
    assert [line["id"] for line in together] == ["r0", "r1", "r2", "r3", "r4"]
    assert together == alone
    assert len({line["prediction"] for line in together}) > 1


def test_more_beams_find_other_answers(checkpoint: Path, data: Path, tmp_path: Path) -> None:
    greedy = predict(checkpoint, data, tmp_path / "a.jsonl", "--num_beams", "1")
    assert predict(checkpoint, data, tmp_path / "b.jsonl", "--num_beams", "4") != greedy


def test_a_long_input_loses_its_end_only(checkpoint: Path, data: Path, tmp_path: Path) -> None:
    whole = predict(checkpoint, data, tmp_path / "a.jsonl")
    cut = predict(checkpoint, data, tmp_path / "b.jsonl", "--longest_source", "8")
    assert [a == b for a, b in zip(whole, cut, strict=True)] == [True, False, True, False, True]


def test_candidates_begin_with_the_prediction(checkpoint: Path, data: Path, tmp_path: Path) -> None:
    lines = predict(checkpoint, data, tmp_path / "a.jsonl", "--candidates", "2", "--limit", "3")
    assert len(lines) == 3
    for line in lines:
        assert len(line["candidates"]) == 2
        assert line["candidates"][0] == line["prediction"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "dev"], "the split 'dev' cannot be read: .*train.*test"),
        (["--checkpoint", "nowhere"], "--checkpoint nowhere: no trained model"),
        (["--candidates", "3"], "--candidates 3"),
        (["--num_beams", "0"], "--num_beams 0"),
    ],
)
def test_a_users_mistake_is_named(
    checkpoint: Path, data: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        predict(checkpoint, data, tmp_path / "a.jsonl", *options)
    assert list(tmp_path.iterdir()) == []


def test_old_predictions_stay_unless_told_otherwise(
    checkpoint: Path, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a.jsonl"
    out.write_text("{}\n")
    with pytest.raises(UserError, match=r"a\.jsonl: exists; --overwrite replaces it"):
        predict(checkpoint, data, out)
    assert out.read_text() == "{}\n"
    assert len(predict(checkpoint, data, out, "--overwrite")) == 5


def test_weights_that_are_cut_short_are_refused(data: Path, tmp_path: Path) -> None:
    weights = make_checkpoint(tmp_path / "best") / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(UserError, match="best: the model cannot be loaded"):
        predict(tmp_path / "best", data, tmp_path / "a.jsonl")


def test_a_dataset_that_lacks_a_column_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    for split in ("train", "test"):
        foreign = Dataset.from_list([{"id": "r0", "code_tokens_clean": ["x"]}])
        foreign.to_parquet(tmp_path / "odd" / f"{split}.parquet")
    with pytest.raises(UserError, match="odd: the split has no column 'nl_original', 'context'"):
        predict(checkpoint, tmp_path / "odd", tmp_path / "a.jsonl")
    program = load_program("tokenizer/train.py")
    config = program.TokenizerConfig(data=str(tmp_path / "odd"), out=tmp_path / "bpe")
    with pytest.raises(UserError, match="odd: the split has no column 'nl_original', 'context'"):
        program.read_rows(config)


def test_a_tokenizer_of_another_model_is_refused(data: Path, tmp_path: Path) -> None:
    checkpoint = make_checkpoint(tmp_path / "best", vocab_size=50)
    with pytest.raises(UserError, match="vocab_size is 50"):
        predict(checkpoint, data, tmp_path / "a.jsonl")


def test_the_tokenizer_program_learns_from_train_and_refuses_an_old_folder(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = load_program("tokenizer/train.py")
    arguments = ["train.py", "--data", str(data), "--out", str(tmp_path / "bpe"), "--merges", "9"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", arguments)
        program.main()
        assert "vocabulary  276" in capsys.readouterr().out
        assert (tmp_path / "bpe" / "tokenizer.json").is_file()
        with pytest.raises(UserError, match="bpe: exists; --overwrite replaces it"):
            program.main()
