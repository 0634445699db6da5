import json
from pathlib import Path

import pytest

from nl2code.corpus.licenses import spdx
from nl2code.corpus.shards import list_shards
from nl2code.license_texts import license_of
from nl2code.sources import find_notebooks

APACHE = (Path(__file__).parents[1] / "LICENSE").read_text(encoding="utf-8")
MIT = """MIT License

Copyright (c) 2026 Ada Lovelace

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
BODY = MIT.split("\n", 2)[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MIT, "MIT"),
        (f"The MIT License (MIT)\n=====================\n\n{BODY}All rights reserved.", "MIT"),
        (BODY.replace(", ", ",\r\n  "), "MIT"),
        (APACHE, "Apache-2.0"),
        (APACHE.split("APPENDIX")[0], "Apache-2.0"),
        (f"Copyright 2026 The Lovelace Authors. All rights reserved.\n\n{APACHE}", "Apache-2.0"),
    ],
)
def test_a_licence_is_known_by_its_text_whatever_its_title_and_holder(text, expected):
    assert license_of(text) == expected
    assert spdx(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "MIT License",
        "All rights reserved. Ask us.",
        f"{MIT}\nThe Software shall be used for Good, not Evil.",
        MIT.replace("to use,", "to use for non-commercial purposes,"),
        f"The notebooks are under CC-BY-4.0; for the code:\n\n{MIT}",
        f"{MIT}\n{APACHE}",
    ],
)
def test_a_text_with_a_condition_of_its_own_is_no_known_licence(text):
    assert license_of(text) is None


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
