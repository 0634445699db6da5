"""Sources as they come: odd names, odd columns, damage, and notebooks of odd sizes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.errors import UserError
from nl2code.notebooks import UnreadableNotebook
from nl2code.sources import find_notebooks

ROOT = Path(__file__).parents[1]


def notebook(*sources):
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "cells": cells})


def write_row_groups(path, damaged=(), count=3, rows=4):
    """A Parquet of `count` row groups; in the `damaged` ones some bytes are changed."""
    contents = [
        notebook(f"x = {number!r}", bytes([number]).hex() * 500) for number in range(count * rows)
    ]
    repos = [f"repo{number}" for number in range(count * rows)]
    table = pa.table({"repo": repos, "path": ["a.ipynb"] * len(repos), "content": contents})
    options = {"use_dictionary": False, "compression": "none", "write_page_checksum": True}
    pq.write_table(table, path, row_group_size=rows, **options)
    content = bytearray(path.read_bytes())
    for group in damaged:
        column = pq.read_metadata(path).row_group(group).column(2)
        end = column.data_page_offset + column.total_compressed_size
        content[end - 300 : end - 290] = b"0123456789"
    path.write_bytes(content)


def reasons(found):
    for raw in found:
        with pytest.raises(UnreadableNotebook) as caught:
            raw.read()
        yield caught.value.reason


def test_a_corrupt_row_group_is_named_skipped_and_counted(tmp_path, capsys):
    write_row_groups(tmp_path / "dump.parquet", damaged=[1])
    found = list(find_notebooks([tmp_path / "dump.parquet"]))
    whole = [raw.repo for raw in found if not raw.lost]
    assert whole == [f"repo{number}" for number in (0, 1, 2, 3, 8, 9, 10, 11)]
    assert list(reasons(raw for raw in found if raw.lost)) == ["corrupt_row_group"] * 4
    said = capsys.readouterr().err
    assert f"{tmp_path / 'dump.parquet'}: row group 1 is corrupt, 4 notebooks are lost" in said


@pytest.mark.parametrize(
    "error", [pa.ArrowException("Failed to launch worker thread"), pa.ArrowMemoryError("malloc")]
)
def test_a_lack_of_threads_or_memory_is_no_corrupt_row_group(tmp_path, monkeypatch, error):
    def read(*_, **__):
        raise error

    write_row_groups(tmp_path / "dump.parquet")
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", read)
    with pytest.raises(type(error), match=str(error)):
        list(find_notebooks([tmp_path / "dump.parquet"]))


def test_a_parquet_without_its_end_is_the_users_mistake(tmp_path):
    write_row_groups(tmp_path / "dump.parquet")
    content = (tmp_path / "dump.parquet").read_bytes()
    (tmp_path / "dump.parquet").write_bytes(content[:-100])
    with pytest.raises(UserError, match=r"dump\.parquet: cannot be read as Parquet"):
        list(find_notebooks([tmp_path / "dump.parquet"]))


def test_of_several_dumps_a_damaged_one_is_named_and_stands_for_what_it_held(tmp_path, capsys):
    write_row_groups(tmp_path / "a.parquet", count=1, rows=2)
    whole = (tmp_path / "a.parquet").read_bytes()
    for name, content in (("b", whole[:-100]), ("c", whole[:200]), ("d", b""), ("e", b"PAR1" * 9)):
        (tmp_path / f"{name}.parquet").write_bytes(content)
    line = json.dumps({"repo": "ada", "path": "a.ipynb", "content": notebook("x = 1")})
    (tmp_path / "f.jsonl").write_text(f"{line}\n{line[:-9]}")
    found = list(find_notebooks([tmp_path]))
    assert [raw.repo for raw in found if raw.repo in ("repo0", "repo1", "ada")] == [
        "repo0",
        "repo1",
        "ada",
    ]
    lost = [raw for raw in found if raw.repo not in ("repo0", "repo1", "ada")]
    assert list(reasons(lost)) == ["unreadable_dump"] * 4 + ["broken_json"]
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in said] == [
        str(tmp_path / f"{name}.parquet") for name in "bcde"
    ]
    assert all(line.endswith("; it is left out") for line in said)


def test_dumps_that_are_all_damaged_are_the_users_mistake(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"a\.parquet: cannot be read as Parquet"):
        list(find_notebooks([tmp_path]))


def test_a_damaged_dump_costs_nothing_of_the_folder_beside_it(tmp_path, capsys):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.ipynb").write_text(notebook("x = 1"))
    assert [raw.repo for raw in find_notebooks([tmp_path / "tree"])] == ["tree"]
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    lost, whole = find_notebooks([tmp_path / "tree", tmp_path / "b.parquet"])
    assert (lost.lost, whole.path) == ("unreadable_dump", "a.ipynb")
    assert "b.parquet: cannot be read as Parquet" in capsys.readouterr().err


def test_a_dump_that_may_not_be_opened_is_left_out(tmp_path, monkeypatch, capsys):
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text('{"repo": "ada", "path": "a.ipynb"}\n')
    opened = Path.open

    def refusing(path, *mode):
        if path.name == "a.jsonl":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *mode)

    monkeypatch.setattr(Path, "open", refusing)
    closed, found = find_notebooks([tmp_path])
    assert (closed.lost, found.repo) == ("unreadable_dump", "ada")
    assert "a.jsonl: cannot be read: Permission denied; it is left out" in capsys.readouterr().err


def test_a_mistake_in_the_last_source_is_told_before_the_first_is_read(tmp_path):
    write_row_groups(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes((tmp_path / "a.parquet").read_bytes())
    pq.write_table(pa.table({"repo": ["a"]}), tmp_path / "c.parquet")
    with pytest.raises(UserError, match=r"c\.parquet: no column 'path'"):
        next(find_notebooks([tmp_path]))
    with pytest.raises(UserError, match="gone: no such file"):
        next(find_notebooks([tmp_path / "a.parquet", tmp_path / "gone"]))


@pytest.mark.parametrize("inside", ["submitted", "submitted/ada/ps.ipynb"])
def test_a_source_in_another_is_refused_as_its_notebooks_would_count_twice(tmp_path, inside):
    file = tmp_path / "course/submitted/ada/ps.ipynb"
    file.parent.mkdir(parents=True)
    file.write_text(notebook("x = 1"))
    sources = [tmp_path / "course", tmp_path / "course" / inside]
    with pytest.raises(
        UserError, match=r"course/submitted\S*: lies in \S*course, which is a source"
    ):
        next(find_notebooks(sources))
    assert len(list(find_notebooks([*sources[:1], tmp_path / "course"]))) == 1


@pytest.mark.parametrize("name", ["repo", "path", "license", "commit"])
@pytest.mark.parametrize("value", ["x\0y", " ", "\u3000\t"])
def test_a_name_that_is_blank_or_holds_a_nul_is_none(tmp_path, name, value):
    row = {"repo": "ada", "path": "a.ipynb", "content": notebook("x = 1"), "license": "MIT"}
    pq.write_table(pa.Table.from_pylist([row | {name: value}]), tmp_path / "dump.parquet")
    (raw,) = find_notebooks([tmp_path / "dump.parquet"])
    if name in ("repo", "path"):
        assert list(reasons([raw])) == ["no_repo_or_path"]
    else:
        assert getattr(raw.read(), name) is None


@pytest.mark.parametrize(
    "kind",
    [
        pa.string_view(),
        pa.binary_view(),
        pa.large_string(),
        pa.large_binary(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.binary()),
    ],
    ids=str,
)
def test_text_is_text_however_a_column_stores_it(tmp_path, kind):
    plain = {"repo": ["ada", "bob"], "path": ["a.ipynb"] * 2, "content": [notebook("x = 1"), None]}
    columns = {}
    for name, values in plain.items():
        array = pa.array(values, pa.string())
        if pa.types.is_dictionary(kind):
            array = array.cast(kind.value_type).dictionary_encode()
        columns[name] = array.cast(pa.binary() if "binary" in str(kind) else array.type).cast(kind)
    pq.write_table(pa.table(columns), tmp_path / "dump.parquet")
    first, second = find_notebooks([tmp_path / "dump.parquet"])
    assert (first.repo, second.repo) == ("ada", "bob")
    assert first.read().cells[0].source == "x = 1"
    assert list(reasons([second])) == ["empty_file"]


def test_names_that_are_no_utf_8_stay_apart(tmp_path):
    for name in (b"\xff", b"\xfe"):
        folder = os.fsencode(tmp_path) + b"/ada"
        os.makedirs(folder, exist_ok=True)
        with open(folder + b"/" + name + b".ipynb", "w") as file:
            file.write(notebook("x = 1"))
    assert [raw.path for raw in find_notebooks([tmp_path])] == [r"\xfe.ipynb", r"\xff.ipynb"]
    (alone,) = find_notebooks([Path(os.fsdecode(folder + b"/\xff.ipynb"))])
    assert (alone.repo, alone.path) == ("ada", r"\xff.ipynb")


@pytest.mark.parametrize("locale", ["C.utf8", "C", "POSIX"])
def test_no_locale_renames_a_notebook(tmp_path, locale):
    (tmp_path / "zoë").mkdir()
    (tmp_path / "zoë" / "übung.ipynb").write_text(notebook("x = 1"))
    program = (
        "import sys; from pathlib import Path; from nl2code.sources import find_notebooks\n"
        "print([(ascii(r.repo), ascii(r.path), len(r.read().cells))"
        " for r in find_notebooks([Path('.')])])"
    )
    settings = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | settings | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.stdout.strip() == str([("'zo\\xeb'", "'\\xfcbung.ipynb'", 1)]), run.stderr


@pytest.mark.parametrize("other", ["1", "NaN", r'"\ud800"'], ids=["strict", "NaN", "surrogate"])
def test_of_a_key_that_stands_twice_the_last_counts(tmp_path, other):
    cell = f'{{"cell_type": "code", "source": "x = 1", "other": {other}, "source": "x = 2"}}'
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "a.ipynb").write_text(f'{{"cells": [], "cells": [{cell}]}}')
    (raw,) = find_notebooks([tmp_path])
    assert [cell.source for cell in raw.read().cells] == ["x = 2"]


def test_a_notebook_may_have_a_cell_of_a_megabyte_and_ten_thousand_cells(tmp_path):
    sources = ["x" * 1_000_000, *map(str, range(9_999))]
    row = {"repo": "ada", "path": "a.ipynb", "content": notebook(*sources)}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "dump.parquet")
    (tmp_path / "dump.jsonl").write_text(json.dumps(row))
    for dump in ("dump.parquet", "dump.jsonl"):
        (raw,) = find_notebooks([tmp_path / dump])
        assert [cell.source for cell in raw.read().cells] == sources


def test_a_dataset_that_was_built_below_the_dumps_is_none_of_them(tmp_path):
    write_row_groups(tmp_path / "dump.parquet")
    alone = list(find_notebooks([tmp_path]))
    (tmp_path / "juice").mkdir()
    for name in ("build.json", "ATTRIBUTION.csv"):
        (tmp_path / "juice" / name).touch()
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "juice" / "train-00000-of-00001.parquet")
    assert list(find_notebooks([tmp_path])) == alone
