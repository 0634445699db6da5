"""The authors' release as a built folder, and as a config of the builder."""

import json
import logging
import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from nl2code.corpus import files
from nl2code.corpus.features import FEATURES
from nl2code.corpus.juice import Juice, let_default_be_newest
from nl2code.corpus.released import convert as converting
from nl2code.corpus.released import files as released
from nl2code.corpus.released.convert import convert
from nl2code.errors import UserError


def record(number, **more):
    return {
        "code": f"x{number} = f({number})",
        "nl": ["Take", str(number)],
        "context": [{"cell_type": "markdown", "nl_original": f"Take {number}"}],
        "metadata": {"repo": f"repo{number % 2}", "path": "a.ipynb", "cell_index": number},
        **more,
    }


def write(folder, **splits):
    folder.mkdir(parents=True, exist_ok=True)
    for split, records in splits.items():
        lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
        (folder / f"{split}.jsonl").write_text("\n".join(lines))
    return folder


def rows(folder, split):
    files = sorted(folder.glob(f"{split}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def data(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_converted_folder_holds_the_rows_in_their_order_with_counts(tmp_path):
    train = [record(3), record(1), record(3), '{"code": "x', record(2, metadata=None)]
    source = write(tmp_path / "in", train=train, dev=[record(4, grade_id="a")])
    seen = []
    built = convert(source, tmp_path / "out", seen.append)
    assert [row["code"] for row in rows(tmp_path / "out", "train")] == [
        "x3 = f(3)",
        "x1 = f(1)",
        "x2 = f(2)",
    ]
    schema = pq.read_schema(tmp_path / "out" / "dev-00000-of-00001.parquet")
    assert schema.equals(FEATURES.arrow_schema)
    assert built.funnel == [
        ("train", "broken_json", 1),
        ("train", "repeated_id", 1),
        ("train", "kept", 3),
        ("dev", "kept", 1),
    ]
    train_files = built.splits["train"]
    assert (train_files.examples, train_files.repositories, train_files.notebooks) == (3, 1, 2)
    assert built.options == {
        "config": "released",
        "train rows in train": 3,
        "nbgrader rows in dev": 1,
    }
    assert built.licenses == {"unknown": 4}
    assert sum(seen) == 6


def test_blocks_and_files_change_no_row(tmp_path, monkeypatch):
    source = write(tmp_path / "final-dataset", test=[record(number) for number in range(13)])
    whole = convert(tmp_path, tmp_path / "whole")
    monkeypatch.setattr(converting, "_BLOCK_LINES", 3)
    monkeypatch.setattr(released, "ROWS_PER_GROUP", 2)
    in_blocks = convert(source, tmp_path / "blocks", in_order=backwards)
    assert data(tmp_path / "blocks") == data(tmp_path / "whole")
    assert in_blocks == whole
    monkeypatch.setattr(files, "ROWS_PER_FILE", 4)
    monkeypatch.setattr(files, "ROWS_PER_GROUP", 2)
    names = convert(source, tmp_path / "files").splits["test"].files
    assert names[-1] == "test-00003-of-00004.parquet"
    assert sorted(os.listdir(tmp_path / "files")) == ["ATTRIBUTION.csv", *sorted(names)]
    assert rows(tmp_path / "files", "test") == rows(tmp_path / "whole", "test")


def backwards(work, items):
    """As processes may do it: the last item first, the results in order."""
    return list(map(work, list(items)[::-1]))[::-1]


@pytest.mark.parametrize(
    ("splits", "said"),
    [
        ({}, "holds none of train.jsonl, dev.jsonl and test.jsonl"),
        ({"dev": []}, r"dev\.jsonl: no example; the file is empty"),
        ({"dev": ["[]", "{}", "[]"]}, "no example; dropped: no_target 1, not_an_object 2"),
    ],
)
def test_a_release_without_an_example_is_the_users_mistake(tmp_path, splits, said):
    with pytest.raises(UserError, match=said):
        convert(write(tmp_path / "in", **splits), tmp_path / "out")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Offline, in a folder without datasets, with a cache of its own."""
    for module in ("datasets.config", "huggingface_hub.constants"):
        monkeypatch.setattr(f"{module}.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.chdir(tmp_path)


def test_the_authors_files_load_as_they_are(cache, tmp_path, caplog):
    source = write(tmp_path / "in", train=[record(1), "{", record(1, nl=None)], dev=[record(2)])
    builder = Juice.released(source)
    with caplog.at_level(logging.WARNING, "datasets"):
        logging.getLogger("datasets").addHandler(caplog.handler)
        builder.download_and_prepare()
        logging.getLogger("datasets").removeHandler(caplog.handler)
    assert "train.jsonl: 1 lines dropped: broken_json" in caplog.text
    loaded = load_dataset("juice", "released")
    assert {split: len(part) for split, part in loaded.items()} == {"train": 2, "dev": 1}
    assert loaded["dev"].features == FEATURES
    streamed = next(iter(builder.as_streaming_dataset("dev")))
    assert streamed == loaded["dev"][0]
    convert(source, tmp_path / "out")
    assert loaded["dev"][:]["code"] == [row["code"] for row in rows(tmp_path / "out", "dev")]


def test_changed_files_are_never_served_stale(cache, tmp_path):
    for number in (1, 2):
        Juice.released(write(tmp_path / "in", dev=[record(number)])).download_and_prepare()
        assert (
            load_dataset("juice", "released", split="dev")[0]["code"] == f"x{number} = f({number})"
        )


def built_folder(source, folder, **changes):
    report = convert(source, folder)
    options = {"digest": report.digest, "options": report.options | changes}
    (folder / "build.json").write_text(json.dumps(options))
    return folder


def test_released_stands_beside_the_default_which_is_served_to_who_names_none(cache, tmp_path):
    ours = built_folder(write(tmp_path / "a", dev=[record(1)]), tmp_path / "juice", config=None)
    theirs = built_folder(write(tmp_path / "b", dev=[record(2)]), tmp_path / "juice-released")
    for folder, time in ((ours, 1), (theirs, 2)):
        builder = Juice.of(folder)
        builder.download_and_prepare()
        os.utime(builder.cache_dir, (time, time))
    older = Path(builder.cache_dir).parents[2] / "default" / "1.0.0" / "older"
    shutil.copytree(builder.cache_dir, older)
    os.utime(older, (0, 0))
    (tmp_path / "elsewhere").mkdir()
    os.chdir(tmp_path / "elsewhere")
    assert load_dataset("juice", split="dev")[0]["code"] == "x2 = f(2)"
    let_default_be_newest(Path(builder.cache_dir), "default")
    assert load_dataset("juice", split="dev")[0]["code"] == "x1 = f(1)"
    assert load_dataset("juice", "released", split="dev")[0]["code"] == "x2 = f(2)"
