"""Tellina from rows to commands: a model of templates, its slots learnt and filled."""

import pytest
from small_bash import pair, write_bash
from small_juice import cache_in, fails, recipe, run
from test_predict import checkpoint, load_program  # noqa: F401  (a fixture)

from nl2code.bash_code import template
from nl2code.jsonl import read_jsonl
from nl2code.linearisation import InputFormat, save_input_format
from nl2code.models import GRUForConditionalGeneration, GRUSeq2SeqConfig
from nl2code.slot_filling import ALIGNMENT_FILE
from nl2code.tokenization import save_tokenizer
from nl2code.vocabulary import train_words

TEMPLATES = InputFormat(task="bash", level="template")
PAIRS = [
    ("rename the file {} to {}", "mv {} {}"),
    ("copy the file {} to {}", "cp {} {}"),
    ("compare {} and {}", "diff {} {}"),
]


def rows(split, files):
    made = []
    for first, second in files:
        for nl, command in PAIRS:
            said = command.format(first, second)
            one = pair(f"{split}{len(made)}", nl.format(first, second), said)
            made.append(one | {"template": template(said)})
    return made


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A built folder, whose dev asks about files that train does not know.

    As many files as an alignment looks at neighbours: so these are of the same slots.
    """
    cache_in(tmp_path / "cache", monkeypatch)
    splits = {
        "train": rows("train", [(f"{one}.txt", f"{one}.csv") for one in "abcdefghij"]),
        "dev": rows("dev", [("new.md", "old.md")]),
    }
    return write_bash(tmp_path / "nl2bash", splits)


@pytest.fixture
def model(tmp_path):
    """A model of templates that has learnt nothing yet."""
    folder = tmp_path / "best"
    folder.mkdir()
    tokenizer = train_words(["renam file File to File mv cp diff compar and copi"], min_count=1)
    sizes = {"embedding_size": 4, "hidden_size": 4, "vocab_size": len(tokenizer)}
    GRUForConditionalGeneration(GRUSeq2SeqConfig(**sizes)).save_pretrained(folder)
    save_tokenizer(tokenizer, folder)
    save_input_format(TEMPLATES, folder)
    return folder


def test_the_alignment_lies_in_the_checkpoint_with_its_config(
    model, data, monkeypatch, capsys
) -> None:
    run(recipe("align"), monkeypatch, checkpoint=model, data=data, limit=3)
    assert "learnt from 3 of 3 pairs of train" in capsys.readouterr().out
    config = (model / f"{ALIGNMENT_FILE}.config.yaml").read_text()
    assert f"data: {data}" in config
    first = (model / ALIGNMENT_FILE).read_bytes()
    said = fails(recipe("align"), monkeypatch, capsys, checkpoint=model, data=data)
    assert said.endswith(f"{model}: holds {ALIGNMENT_FILE} already; --overwrite replaces it")
    run(recipe("align"), monkeypatch, checkpoint=model, data=data, limit=3, overwrite="true")
    assert (model / ALIGNMENT_FILE).read_bytes() == first


def test_what_cannot_be_aligned_is_refused(
    checkpoint, model, data, monkeypatch, capsys  # noqa: F811
) -> None:  # fmt: skip
    def said(**options):
        return fails(recipe("align"), monkeypatch, capsys, **({"data": data} | options))

    assert "does not write templates" in said(checkpoint=checkpoint)
    assert "--limit 0: must be at least 1" in said(checkpoint=model, limit=0)
    assert "split 'none' cannot be read" in said(checkpoint=model, split="none")
    assert not (model / ALIGNMENT_FILE).exists()


def test_templates_without_an_alignment_are_not_answered(
    model, data, tmp_path, monkeypatch, capsys
) -> None:
    options = {"checkpoint": model, "data": data, "out": tmp_path / "dev.jsonl"}
    said = fails(recipe("predict"), monkeypatch, capsys, **options)
    missing = f"{model / ALIGNMENT_FILE}: no such file"
    assert said.endswith(f"{missing}; recipes/align.py writes it into the checkpoint")
    assert not (tmp_path / "dev.jsonl").exists()


@pytest.mark.slow
def test_templates_learnt_from_some_files_are_filled_with_others(
    data, tmp_path, monkeypatch, capsys
) -> None:
    level = {"format.task": "bash", "format.level": "template"}
    words = {"kind": "words", "min_count": 1}
    place = tmp_path / "tokenizer"
    run(load_program("tokenizer/train.py"), monkeypatch, data=data, out=place, **level, **words)
    settings = {
        "tokenizer": place, "data.path": data, "model.type": "gru", "model.hidden_size": 32,
        "model.embedding_size": 32, "model.dropout": 0.1, "optim.lr": 0.01, "num_threads": 1,
        "optim.batch_tokens": 200, "limits.max_steps": 60, "eval.epochs": 1000,
        "out": tmp_path / "run",
    }  # fmt: skip
    run(recipe("train"), monkeypatch, **settings, **level)
    assert "template_match 1.0000" in capsys.readouterr().out
    best, out = tmp_path / "run" / "best", tmp_path / "dev.jsonl"
    run(recipe("align"), monkeypatch, checkpoint=best, data=data)
    run(recipe("predict"), monkeypatch, checkpoint=best, data=data, out=out, num_beams=8,
        max_new_tokens=12)  # fmt: skip
    assert "0 of them are empty: none of 8 templates was filled" in capsys.readouterr().out
    answers = [line["prediction"] for line in read_jsonl(out)]
    assert answers == ["mv new.md old.md", "cp new.md old.md", "diff new.md old.md"]
    scores = tmp_path / "scores.json"
    run(recipe("score"), monkeypatch, task="bash", predictions=out, data=data, out=scores)
    assert "command_match@1: " in capsys.readouterr().out
