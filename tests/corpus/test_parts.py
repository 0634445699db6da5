"""The map's files: rows come back in the order asked for, whichever row group holds them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.contexts import Contexts
from nl2code.corpus.notebook_parts import NOTEBOOK_SCHEMA, notebook_row, read_notebook_row
from nl2code.corpus.parts import Groups, PartFile
from nl2code.records import Cell, Notebook

NOTEBOOKS = [
    Notebook("r", f"{number}.ipynb", (Cell("markdown", f"text {number}"), Cell("code", "x")))
    for number in range(60)
]


def write(path: Path) -> Path:
    with PartFile(path, NOTEBOOK_SCHEMA) as file:
        for notebook in NOTEBOOKS:
            file.write([notebook_row(notebook)])
    return path


def test_a_file_without_rows_is_not_made(tmp_path: Path) -> None:
    with PartFile(tmp_path / "a.parquet", NOTEBOOK_SCHEMA) as file:
        file.write([])
    assert not any(tmp_path.iterdir())


def test_a_full_disk_is_named_and_not_hidden_by_what_was_still_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: pq.ParquetWriter, table: pa.Table) -> None:
        if not self.is_open:  # as after a failed write: nothing can follow
            raise pa.ArrowInvalid("Operation on closed file")
        self.close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "a.parquet")


def test_each_notebook_comes_back_from_several_row_groups(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet")
    assert 1 < pq.ParquetFile(path).num_row_groups < len(NOTEBOOKS)
    assert [
        read_notebook_row(Groups(), str(path), row) for row in range(len(NOTEBOOKS))
    ] == NOTEBOOKS


def test_rows_are_numbered_as_they_are_written(tmp_path: Path) -> None:
    with PartFile(tmp_path / "a.parquet", NOTEBOOK_SCHEMA) as file:
        file.write([notebook_row(NOTEBOOKS[0])] * 3)
        assert file.rows == 3
        file.write([])
        assert file.rows == 3


def test_a_row_group_holds_few_notebooks(tmp_path: Path) -> None:
    path = str(write(tmp_path / "a.parquet"))
    groups = Groups()
    for row in range(len(NOTEBOOKS)):
        assert len(groups.read(path, groups.find(path, row)[0])) <= 24


def test_candidates_of_two_notebooks_in_one_table_get_each_its_own_context(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet")
    candidates = pa.table(
        {
            "notebook_file": ["a.parquet"] * 3,
            "notebook_row": [19, 2, 2],
            "metadata": [{"cell_index": 1}, {"cell_index": 1}, {"cell_index": 0}],
            "boilerplate_code": pa.array([None] * 3, pa.string()),
        }
    )
    tables = Contexts(tmp_path, None)("candidates.parquet", candidates)
    contexts = [row["context"] for table in tables for row in table.to_pylist()]
    texts = [[cell["nl_original"] for cell in context] for context in contexts]
    assert texts == [["text 19"], ["text 2"], []]
