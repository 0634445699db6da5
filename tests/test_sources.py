import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.errors import UserError
from nl2code.notebooks import UnreadableNotebook
from nl2code.sources import find_notebooks

NOTEBOOK = {"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = 1"}]}
TEXT = json.dumps(NOTEBOOK)


def places(*sources):
    return [(raw.repo, raw.path) for raw in find_notebooks(sources)]


def write(path, text=TEXT):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_first_level_folders_are_repositories(tmp_path):
    write(tmp_path / "dump" / "ada" / "ps1" / "a.ipynb")
    write(tmp_path / "dump" / " bob" / "b.ipynb")
    write(tmp_path / "dump" / "ada" / "data.jsonl", "not a notebook")
    assert places(tmp_path / "dump") == [(" bob", "b.ipynb"), ("ada", "ps1/a.ipynb")]


def test_a_folder_with_dot_git_is_a_repository_at_any_depth(tmp_path):
    write(tmp_path / "ada" / "course" / ".git" / "HEAD", "ref")
    write(tmp_path / "ada" / "course" / "ps1" / "a.ipynb")
    assert places(tmp_path) == [("ada/course", "ps1/a.ipynb")]


def test_notebooks_in_the_source_folder_itself_belong_to_it(tmp_path):
    write(tmp_path / "mine" / "a.ipynb")
    assert places(tmp_path / "mine") == [("mine", "a.ipynb")]
    assert places(tmp_path / "mine" / "a.ipynb") == [("mine", "a.ipynb")]


def test_parquet_jsonl_and_folder_give_the_same_notebook(tmp_path):
    row = {"repo": "ada", "path": "a.ipynb", "content": TEXT, "commit": "c0", "license": "MIT"}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "dump.parquet")
    write(tmp_path / "dump.jsonl", json.dumps(row))
    write(tmp_path / "tree" / "ada" / "a.ipynb")
    (first,) = find_notebooks([tmp_path / "dump.parquet"])
    (second,) = find_notebooks([tmp_path / "dump.jsonl"])
    (third,) = find_notebooks([tmp_path / "tree"])
    assert first.read() == second.read()
    assert (first.commit, first.license) == ("c0", "MIT")
    assert third.read().cells == first.read().cells


def test_the_authors_raw_lines_are_read(tmp_path):
    origin = {"metadata": {"repo": "ada", "path": "a.ipynb", "nb_index": 3}}
    exercise = {"contents": NOTEBOOK, "repo": "bob", "path": "b.ipynb"}
    lines = "\n".join(json.dumps(row) for row in (NOTEBOOK | origin, exercise))
    found = list(find_notebooks([write(tmp_path / "raw.jsonl", lines)]))
    assert [(raw.repo, raw.path) for raw in found] == [("ada", "a.ipynb"), ("bob", "b.ipynb")]
    assert [raw.read().cells[0].source for raw in found] == ["x = 1", "x = 1"]


def test_a_broken_line_of_a_dump_is_an_unreadable_notebook(tmp_path):
    rows = [json.dumps({"repo": "ada", "path": "a.ipynb", "content": TEXT}), '{"repo": "b', "[1]"]
    found = list(find_notebooks([write(tmp_path / "dump.jsonl", "\n".join(rows))]))
    reasons = []
    for raw in found[1:]:
        with pytest.raises(UnreadableNotebook) as caught:
            raw.read()
        reasons.append(caught.value.reason)
    assert (len(found), reasons) == (3, ["broken_json", "not_a_notebook"])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"repo": "ada", "path": "a.ipynb", "content": None}, "empty_file"),
        ({"repo": "ada", "path": "a.ipynb"}, "empty_file"),
        ({"path": "a.ipynb", "content": TEXT}, "no_repo_or_path"),
        ({"repo": "ada", "path": 3, "content": TEXT}, "no_repo_or_path"),
        (NOTEBOOK, "no_repo_or_path"),
    ],
)
def test_a_line_that_lacks_something_has_a_reason(tmp_path, row, reason):
    (raw,) = find_notebooks([write(tmp_path / "dump.jsonl", json.dumps(row))])
    with pytest.raises(UnreadableNotebook, match=reason):
        raw.read()


def test_checkpoint_copies_are_left_out_by_reason(tmp_path):
    write(tmp_path / "ada" / ".ipynb_checkpoints" / "a-checkpoint.ipynb")
    (raw,) = find_notebooks([tmp_path])
    with pytest.raises(UnreadableNotebook, match="checkpoint_copy"):
        raw.read()


def test_a_source_without_notebooks_is_the_users_mistake(tmp_path):
    (tmp_path / "empty").mkdir()
    write(tmp_path / "texts" / "a.txt")
    write(tmp_path / "odd.csv")
    write(tmp_path / "odd.parquet")
    pq.write_table(pa.table({"repo": ["a"], "path": ["b"]}), tmp_path / "no_content.parquet")
    messages = []
    for name in (
        "empty",
        "texts",
        "gone",
        "odd.csv",
        "odd.parquet",
        "no_content.parquet",
    ):
        with pytest.raises(UserError) as caught:
            places(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
        messages.append(str(caught.value))
    assert "'content'" in messages[-1]


def test_links_are_followed_and_circles_end(tmp_path):
    write(tmp_path / "elsewhere" / "a.ipynb")
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "ada").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "loop").symlink_to(tmp_path / "dump")
    assert places(tmp_path / "dump") == [("ada", "a.ipynb")]


def test_only_regular_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    write(tmp_path / "a.IPYNB")
    assert [path for _, path in places(tmp_path)] == ["a.IPYNB"]


def test_a_link_that_leads_to_nothing_is_a_notebook_that_cannot_be_read(tmp_path):
    write(tmp_path / "ada" / "a.ipynb")
    (tmp_path / "ada" / "gone.ipynb").symlink_to(tmp_path / "nowhere.ipynb")
    (tmp_path / "ada" / "one.ipynb").symlink_to(tmp_path / "ada" / "other.ipynb")
    (tmp_path / "ada" / "other.ipynb").symlink_to(tmp_path / "ada" / "one.ipynb")
    (tmp_path / "ada" / "notes.txt").symlink_to(tmp_path / "nowhere.txt")
    whole, *lost = find_notebooks([tmp_path])
    assert whole.path == "a.ipynb"
    assert [raw.path for raw in lost] == ["gone.ipynb", "one.ipynb", "other.ipynb"]
    for raw in lost:
        with pytest.raises(UnreadableNotebook, match="unreadable_file"):
            raw.read()


def test_a_dump_that_a_link_does_not_lead_to_is_the_users_mistake(tmp_path):
    write(tmp_path / "a.jsonl", json.dumps({"repo": "a", "path": "b", "content": TEXT}))
    (tmp_path / "b.parquet").symlink_to(tmp_path / "nowhere.parquet")
    with pytest.raises(UserError, match=r"b\.parquet: no such file"):
        places(tmp_path)


def test_a_source_that_links_to_itself_is_the_users_mistake(tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(UserError, match=r"circle: no such file or folder"):
        places(tmp_path / "circle")


def test_of_several_folders_each_is_a_repository(tmp_path):
    for project in ("one", "two"):
        write(tmp_path / project / "notebooks" / "a.ipynb")
    names = [("one", "notebooks/a.ipynb"), ("two", "notebooks/a.ipynb")]
    assert places(tmp_path / "one", tmp_path / "two") == places(tmp_path) == names
    assert places(tmp_path / "two", tmp_path / "one", tmp_path / "two/") == names


def test_folders_of_one_name_stay_apart(tmp_path):
    for student in ("ada", "bob"):
        write(tmp_path / student / "work" / "a.ipynb")
    names = [("ada/work", "a.ipynb"), ("bob/work", "a.ipynb")]
    folders = [tmp_path / "ada" / "work", tmp_path / "bob" / "work"]
    assert places(*folders) == names
    for folder in folders:
        write(folder / ".git" / "HEAD")
        write(folder / "nested" / ".git" / "HEAD")
        write(folder / "nested" / "b.ipynb")
    nested = [(f"{repo}/nested", "b.ipynb") for repo, _ in names]
    assert sorted(places(*folders)) == sorted(names + nested)


def test_a_folder_of_dumps_makes_no_repository_of_a_tree(tmp_path):
    write(tmp_path / "tree" / "ada" / "a.ipynb")
    row = json.dumps({"repo": "bob", "path": "b.ipynb", "content": TEXT})
    write(tmp_path / "dumps" / "dump.jsonl", row)
    names = [("bob", "b.ipynb"), ("ada", "a.ipynb")]
    assert places(tmp_path / "tree", tmp_path / "dumps") == names


@pytest.mark.parametrize("extra", ['"x": NaN', r'"x": "\ud800"'])
def test_a_line_that_is_no_strict_json_keeps_its_repository(tmp_path, extra):
    row = json.dumps({"repo": "ada", "path": "a.ipynb", "content": TEXT})
    raw = json.dumps(NOTEBOOK | {"metadata": {"repo": "ada", "path": "b.ipynb"}})
    text = "\ufeff" + "\n".join(line[:-1] + f", {extra}}}" for line in (row, raw))
    found = list(find_notebooks([write(tmp_path / "dump.jsonl", text)]))
    assert [(raw.repo, raw.path) for raw in found] == [("ada", "a.ipynb"), ("ada", "b.ipynb")]
    assert [raw.read().cells[0].source for raw in found] == ["x = 1", "x = 1"]


def test_a_string_that_is_no_utf_8_costs_its_row(tmp_path):
    content = pa.array([b"\xff\xfe\x00", TEXT.encode()], pa.binary()).view(pa.string())
    table = pa.table({"repo": ["a", "b"], "path": ["x", "y"], "content": content})
    pq.write_table(table, tmp_path / "dump.parquet")
    bad, good = find_notebooks([tmp_path / "dump.parquet"])
    with pytest.raises(UnreadableNotebook):
        bad.read()
    assert good.read().cells[0].source == "x = 1"


def test_a_column_that_stands_twice_is_named(tmp_path):
    text = pa.array(["x"])
    table = pa.Table.from_arrays([text] * 4, names=["repo", "path", "content", "content"])
    pq.write_table(table, tmp_path / "dump.parquet")
    with pytest.raises(UserError, match="several columns 'content'"):
        places(tmp_path / "dump.parquet")


def test_a_column_of_numbers_is_named(tmp_path):
    table = pa.table({"repo": ["a"], "path": ["b"], "content": [1]})
    pq.write_table(table, tmp_path / "dump.parquet")
    with pytest.raises(UserError, match=r"dump\.parquet: the column 'content' is int64"):
        places(tmp_path / "dump.parquet")


def test_a_folder_that_cannot_be_listed_is_counted_as_a_file_that_cannot_be_read(
    tmp_path, monkeypatch
):
    for name in ("open", "closed"):
        (tmp_path / "repo" / name).mkdir(parents=True)
        (tmp_path / "repo" / name / "a.ipynb").write_text('{"cells": []}')
    scandir = os.scandir

    def refusing(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    closed, opened = find_notebooks([tmp_path])
    assert (opened.path, opened.read().cells) == ("open/a.ipynb", ())
    with pytest.raises(UnreadableNotebook, match="unreadable_file"):
        closed.read()
