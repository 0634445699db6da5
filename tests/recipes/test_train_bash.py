"""NL2Bash from rows to scores: the recipes learn the tokenizer, train, answer and score."""

import json

import pytest
from small_bash import pair, write_bash
from small_juice import cache_in, recipe, run
from test_predict import load_program

from nl2code.bash_nl.words import nl_tokens, sub_tokens
from nl2code.corpus.nl2bash.commands import read_command
from nl2code.jsonl import read_jsonl
from nl2code.tokenization import load_tokenizer

WORDS = ("count", "sort", "show", "list")
COMMANDS = ("wc -l {}", "sort -r {}", "cat {}", "ls -l {}")


def rows(split, files):
    made = []
    for file in files:
        for verb, command in zip(WORDS, COMMANDS, strict=True):
            words = nl_tokens(f"{verb} {file}")
            parts = read_command(command.format(file))
            made.append(
                pair(f"{split}{len(made)}", f"{verb} {file}", command.format(file))
                | {"nl_tokens": words, "nl_sub_tokens": sub_tokens(words)}
                | {"command_tokens": parts.tokens, "command_sub_tokens": parts.sub_tokens}
            )
    return made


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Build a folder whose train and dev ask about these files."""
    cache_in(tmp_path / "cache", monkeypatch)

    def write(train, dev):
        splits = {"train": rows("train", train), "dev": rows("dev", dev)}
        return write_bash(tmp_path / "nl2bash", splits)

    return write


def trained(data, tmp_path, monkeypatch, tokenizer, **options):
    """Learn a tokenizer, train with these options, answer dev; return the lines and scores."""
    level = {name: value for name, value in options.items() if name.startswith("format.")}
    place = tmp_path / "tokenizer"
    run(load_program("tokenizer/train.py"), monkeypatch, data=data, out=place, **level, **tokenizer)
    settings = {
        "tokenizer": place, "data.path": data, "optim.batch_tokens": 200, "eval.examples": 4,
        "eval.max_new_tokens": 20, "num_threads": 1, "out": tmp_path / "run", "eval.epochs": 1000,
    }  # fmt: skip
    run(recipe("train"), monkeypatch, **settings, **options)
    out = tmp_path / "dev.jsonl"
    beams = {"num_beams": 4, "max_new_tokens": 20, "only_parsing": "true"}
    run(recipe("predict"), monkeypatch, checkpoint=tmp_path / "run" / "best", data=data, out=out,
        **beams)  # fmt: skip
    scores = tmp_path / "scores.json"
    run(recipe("score"), monkeypatch, task="bash", predictions=out, data=data, out=scores)
    return list(read_jsonl(out)), json.loads(scores.read_text())["scores"]


@pytest.mark.slow
def test_a_model_that_copies_learns_the_pairs_it_is_shown(build, tmp_path, monkeypatch) -> None:
    data = build(["a.txt", "b.txt", "c.csv", "d.csv"], ["a.txt"])
    lines, scores = trained(
        data, tmp_path, monkeypatch, {"merges": 60},
        **{"format.task": "bash", "format.level": "sub-token", "model.type": "copy_transformer",
           "model.hidden_size": 32, "model.layers": 1, "model.heads": 2, "model.feed_forward": 32,
           "optim.lr": 0.01, "limits.max_steps": 60},
    )  # fmt: skip
    assert scores["command_match@1"]["value"] == 1
    assert [line["id"] for line in lines] == ["dev0", "dev1", "dev2", "dev3"]
    for line in lines:
        assert line["candidates"][0] == line["prediction"]
        assert len(set(line["candidates"])) == len(line["candidates"]) <= 3


@pytest.mark.slow
def test_copynet_answers_with_a_word_that_its_vocabulary_lacks(
    build, tmp_path, monkeypatch
) -> None:
    """A file of train stands there 8 times, a verb 16 times; the file of dev nowhere."""
    data = build([f"{letter}.txt" for letter in "abcdefghijklmnop"], ["new.md"])
    lines, scores = trained(
        data, tmp_path, monkeypatch, {"kind": "words", "min_count": 9},
        **{"format.task": "bash", "format.normalised_nl": "true", "format.copy_unknown": "true",
           "model.type": "gru", "model.copying": "true", "model.hidden_size": 32,
           "model.embedding_size": 32, "model.dropout": 0.1, "optim.lr": 0.01,
           "limits.max_steps": 100},
    )  # fmt: skip
    vocabulary = load_tokenizer(tmp_path / "tokenizer").get_vocab()
    assert not vocabulary.keys() & {"a.txt", "new.md"}
    assert scores["command_match@1"]["value"] == 1
    assert all(line["prediction"].endswith(" new.md") for line in lines)
