import json
from pathlib import Path

from identify.vendor.licenses import LICENSES

from nl2code.corpus.shards import list_shards
from nl2code.sources import find_notebooks

APACHE = (Path(__file__).parents[1] / "LICENSE").read_text(encoding="utf-8")
MIT = dict(LICENSES)["MIT"]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def licenses(folder, *sources):
    found = find_notebooks(sources or [folder])
    return {str(raw.file.relative_to(folder)): raw.read().license for raw in found}


NOTEBOOK = json.dumps({"nbformat": 4, "cells": []})


def test_the_nearest_licence_file_above_a_notebook_counts(tmp_path):
    write(tmp_path / "license", APACHE)
    write(tmp_path / "ada" / "LICENSE.md", MIT)
    write(tmp_path / "ada" / "data" / "COPYING.txt", "Ask the museum.")
    for place in ("ada/lab/a", "ada/data/a", "bob/a", "a"):
        write(tmp_path / f"{place}.ipynb", NOTEBOOK)
    assert licenses(tmp_path) == {
        "ada/lab/a.ipynb": "MIT",
        "ada/data/a.ipynb": None,
        "bob/a.ipynb": "Apache-2.0",
        "a.ipynb": "Apache-2.0",
    }


def test_a_licence_ends_with_its_repository_and_with_the_source(tmp_path):
    write(tmp_path / "LICENSE", MIT)
    write(tmp_path / "tree" / "LICENSE.txt", MIT)
    write(tmp_path / "tree" / "other" / ".git" / "HEAD", "ref")
    write(tmp_path / "tree" / "other" / "a.ipynb", NOTEBOOK)
    write(tmp_path / "bare" / "a.ipynb", NOTEBOOK)
    assert licenses(tmp_path, tmp_path / "tree") == {"tree/other/a.ipynb": None}
    assert licenses(tmp_path, tmp_path / "bare") == {"bare/a.ipynb": None}


def test_two_licences_in_one_folder_are_not_told_apart(tmp_path):
    write(tmp_path / "a.ipynb", NOTEBOOK)
    write(tmp_path / "LICENSE", MIT)
    write(tmp_path / "LICENSE.md", MIT)
    assert licenses(tmp_path) == {"a.ipynb": "MIT"}
    write(tmp_path / "COPYING", APACHE)
    assert licenses(tmp_path) == {"a.ipynb": None}


def test_a_notebook_that_is_named_itself_has_the_licence_beside_it(tmp_path):
    write(tmp_path / "lab" / "a.ipynb", NOTEBOOK)
    write(tmp_path / "LICENSE", MIT)
    assert licenses(tmp_path, tmp_path / "lab" / "a.ipynb") == {"lab/a.ipynb": None}
    write(tmp_path / "lab" / "LICENCE", APACHE)
    assert licenses(tmp_path, tmp_path / "lab" / "a.ipynb") == {"lab/a.ipynb": "Apache-2.0"}


def test_what_a_dump_says_counts_and_no_file_beside_it(tmp_path):
    write(tmp_path / "LICENSE", MIT)
    rows = [{"repo": "r", "path": f"{n}.ipynb", "content": NOTEBOOK} for n in range(2)]
    rows[0]["license"] = "ISC"
    write(tmp_path / "dump.jsonl", "\n".join(map(json.dumps, rows)))
    assert [raw.license for raw in find_notebooks([tmp_path])] == ["ISC", None]


def test_tasks_of_a_cluster_know_the_licence_too(tmp_path):
    write(tmp_path / "a.ipynb", NOTEBOOK)
    write(tmp_path / "LICENSE", MIT)
    (shard,) = list_shards([tmp_path])
    assert [raw.license for raw in shard.read()] == ["MIT"]


def test_a_condition_in_letters_that_are_not_read_or_far_below_makes_it_unknown(tmp_path):
    write(tmp_path / "a.ipynb", NOTEBOOK)
    chinese = "\n\u975e\u5546".encode("gbk")
    for below, known in ((b"", "MIT"), (chinese, None), (b"\n" * 200_000, None)):
        (tmp_path / "LICENSE").write_bytes(MIT.encode() + below)
        assert licenses(tmp_path) == {"a.ipynb": known}
