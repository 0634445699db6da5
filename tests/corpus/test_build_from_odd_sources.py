"""Builds from the authors' raw files, from odd names, from damage, at other times."""

import json
import os
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.build import build
from nl2code.corpus.held_out import HeldOut
from nl2code.corpus.targets import TargetRules

PLACES = [("ada/ps", "a.ipynb"), ("bob/ps", "1/b.ipynb"), ("cy/ps", "c.ipynb")]


def notebook(name):
    nl = f"# A look at the houses of number {sum(map(ord, name))}, one step after another"
    cells = [
        {"cell_type": "markdown", "source": nl},
        {"cell_type": "code", "source": f"x = f({sum(map(ord, name))})"},
    ]
    return {"nbformat": 4, "metadata": {}, "cells": cells}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_tree(folder):
    for repo, path in PLACES:
        write(folder / repo / ".git" / "HEAD", "")
        write(folder / repo / path, json.dumps(notebook(repo)))
    return folder


def built(folder, *sources):
    return build(list(sources), folder, TargetRules(), HeldOut("repositories"))


def rows(folder):
    return [row for file in folder.glob("*.parquet") for row in pq.read_table(file).to_pylist()]


def test_the_authors_raw_notebooks_rebuild_to_the_rows_of_a_folder(tmp_path):
    tree = built(tmp_path / "one", write_tree(tmp_path / "tree"))
    raw = tmp_path / "raw"
    for number, (repo, path) in enumerate(PLACES):
        content = notebook(repo)
        origin = {"metadata": {"repo": repo, "path": path, "nb_index": number}}
        whole = {"contents": json.dumps(content), "repo": repo, "path": path}
        folder = ("train", "nbgrader", "exercise")[number]
        line = whole if folder == "exercise" else content | origin
        write(raw / folder / "part_0.jsonl", json.dumps(line) + "\n")
    assert built(tmp_path / "two", raw).digest == tree.digest
    assert len(rows(tmp_path / "two")) == 3


@pytest.mark.parametrize("name", ["zoë 💾", "a|b\n# c", "'; DROP", "..", "%s"])
def test_a_repository_may_have_any_name(tmp_path, name):
    table = [
        {"repo": repo, "path": "a.ipynb", "content": json.dumps(notebook(repo))}
        for repo in (name, "bob", "cy")
    ]
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "dump.parquet")
    report = built(tmp_path / "out", tmp_path / "dump.parquet")
    assert sorted(row["metadata"]["repo"] for row in rows(tmp_path / "out")) == sorted(
        [name, "bob", "cy"]
    )
    assert sum(split.repositories for split in report.splits.values()) == 3


def test_of_two_notebooks_with_one_path_one_counts_whatever_their_order(tmp_path):
    table = [
        {"repo": repo, "path": "a.ipynb", "content": json.dumps(notebook(text)), "commit": commit}
        for repo, text, commit in [
            ("ada", "new", "c2"),
            ("ada", "old", "c1"),
            ("ada", "old", "c1"),
            ("bob", "x", "c0"),
            ("cy", "y", "c0"),
        ]
    ]
    digests = set()
    for number, order in enumerate((table, table[::-1])):
        pq.write_table(pa.Table.from_pylist(order), tmp_path / "dump.parquet")
        report = built(tmp_path / str(number), tmp_path / "dump.parquet")
        digests.add(report.digest)
        assert ("duplicate", "other_version", 1) in report.funnel
    assert len(digests) == 1
    ids = [row["id"] for row in rows(tmp_path / "0")]
    assert len(ids) == len(set(ids)) == 3


def test_lost_row_groups_are_counted_in_the_funnel(tmp_path):
    table = [
        {"repo": repo, "path": path, "content": json.dumps(notebook(repo))} for repo, path in PLACES
    ]
    file = tmp_path / "dump.parquet"
    # The damaged group comes first, so that what follows shows that the reader went on.
    pq.write_table(pa.Table.from_pylist(table[:1] + table), file, row_group_size=1)
    column = pq.read_metadata(file).row_group(0).column(2)
    content = bytearray(file.read_bytes())
    start = column.dictionary_page_offset
    content[start : start + 20] = b"\xff" * 20
    file.write_bytes(content)
    report = built(tmp_path / "out", file)
    assert report.funnel[0] == ("read", "corrupt_row_group", 1)
    assert len(rows(tmp_path / "out")) == 3


def test_neither_clocks_nor_times_of_files_change_a_byte(tmp_path, monkeypatch):
    source = write_tree(tmp_path / "tree")
    digests = set()
    for now, zone in ((0.0, "UTC"), (4e9, "Pacific/Kiritimati")):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        for file in source.rglob("*.ipynb"):
            os.utime(file, (now, now))
        digests.add(built(tmp_path / zone[:3], source).digest)
    assert len(digests) == 1
