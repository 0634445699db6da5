"""Built folders in a cache of `datasets`, and what it then serves by name."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from nl2code.corpus.features import FEATURES
from nl2code.corpus.install import install
from nl2code.errors import UserError


@pytest.fixture
def cache(tmp_path, monkeypatch):
    for module in ("datasets.config", "huggingface_hub.constants"):
        monkeypatch.setattr(f"{module}.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "cache"


def folder(place, code, config=None):
    """A folder as `build` or `released` makes it, of one example."""
    place.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([{"id": code, "code": code}], schema=FEATURES.arrow_schema)
    pq.write_table(table, place / "dev-00000-of-00001.parquet")
    report = {"digest": f"digest of {code}", "options": {"config": config} if config else {}}
    (place / "build.json").write_text(json.dumps(report))
    return place


def served(*names):
    return load_dataset(*names, split="dev")[0]["code"]


def test_the_authors_examples_do_not_take_the_place_of_our_own(cache, tmp_path):
    install(folder(tmp_path / "juice", "ours"))
    (ours,) = cache.glob("juice/default/*/*/")
    os.utime(ours, (1, 1))
    install(folder(tmp_path / "juice-released", "theirs", config="released"))
    assert served("juice") == "ours"
    assert served("juice", "released") == "theirs"


def entries(cache):
    return [path for path in cache.glob("juice/default/*/*") if path.is_dir()]


def test_an_earlier_build_leaves_the_cache_and_what_others_prepared_stays(cache, tmp_path):
    install(folder(tmp_path / "juice", "first"))
    (first,) = entries(cache)
    (first.parent / "another").mkdir()
    (first.parent / "another" / "dataset_info.json").write_text('{"builder_name": "parquet"}')
    (first.parent / "odd").mkdir()
    install(folder(tmp_path / "juice", "second"))
    assert {path.name for path in entries(cache)} == {"another", "odd", "digest of second"}


def test_a_cache_that_is_no_folder_is_one_sentence_that_says_how_to_go_on(cache, tmp_path):
    cache.write_text("")
    with pytest.raises(UserError, match=r"built and whole, .*--no-install leaves the cache alone"):
        install(folder(tmp_path / "juice", "ours"))
    assert Path(tmp_path / "juice" / "build.json").is_file()
