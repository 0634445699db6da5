"""Notebooks and graded cells written by the map, and read back."""

from dataclasses import replace

import duckdb
import pytest
from nbgrader_cells import cells_of, submitted

from nl2code.corpus.digests import notebook_key
from nl2code.corpus.exercises.pairing import cell_keys
from nl2code.corpus.notebook_parts import (
    GRADED,
    NOTEBOOKS,
    PARTS,
    graded_cells,
    graded_rows,
    keys_of,
    notebook_row,
    open_parts,
    read_notebook_row,
)
from nl2code.corpus.parts import Groups, PartFile


@pytest.fixture
def parts(tmp_path):
    """The map's folders, below one whose name is a pattern."""
    folder = tmp_path / "it's [a] *"
    for kind in PARTS:
        (folder / kind).mkdir(parents=True)
    return folder


def write(parts, kind, *calls, name="0"):
    """Write rows as the map does, a list of them for each notebook."""
    with PartFile(parts / kind / f"{name}.parquet", PARTS[kind]) as file:
        for rows in calls:
            file.write(rows)


@pytest.fixture
def opened(parts):
    """Open the parts when all is written."""
    with duckdb.connect() as connection:

        def open_():
            open_parts(connection, parts)
            return connection

        yield open_


def test_a_notebook_comes_back_without_outputs_wherever_it_was_written(parts, opened, notebook):
    made = [
        notebook("# One", "x = 1", "x += 1"),
        notebook(repo="empty"),
        notebook("# Öl", "y = '\ud83d'", path="lab/ö solution.ipynb", language_info={"name": "R"}),
    ]
    write(parts, NOTEBOOKS, [notebook_row(made[0])], [notebook_row(made[1])])
    write(parts, NOTEBOOKS, [notebook_row(made[2])], name="1")
    query = "SELECT filename, file_row_number FROM notebooks ORDER BY ALL"
    places = opened().sql(query).fetchall()
    assert [read_notebook_row(Groups(), *place) for place in places] == made


def test_the_table_of_notebooks_holds_what_pairs_them_and_no_text(parts, opened, notebook):
    made = notebook("# One", "x = 1", "x = 1", path="lab/soln.ipynb")
    write(parts, NOTEBOOKS, [notebook_row(made)])
    (row,) = opened().sql("FROM notebooks").to_arrow_table().to_pylist()
    assert keys_of(row) == cell_keys(made)
    assert row["says_solution"] is True
    assert notebook_row(notebook("# One"))["says_solution"] is False
    assert row["notebook_key"] == notebook_key(made)
    assert (row["commit"], row["license"], row["language"]) == ("c0", "MIT", made.language)
    assert "sources" not in row


@pytest.mark.parametrize("points", [None, 1.5])
def test_a_graded_cell_comes_back_as_it_was(parts, opened, points):
    cells = [
        replace(cell, points=points, commit=None, test_ids=("a", "b"), license=None)
        for cell in cells_of(submitted(repo="ada"), submitted("x = 1", repo="bob"))
    ]
    write(parts, GRADED, graded_rows(iter(cells[:1])), graded_rows(iter(cells[1:])))
    connection = opened()
    assert list(graded_cells(connection, "FROM graded ORDER BY repo DESC")) == cells[::-1]
    assert list(graded_cells(connection, "FROM graded WHERE repo = 'ada'")) == cells[:1]


def test_without_any_notebook_or_graded_cell_the_tables_are_empty(opened):
    connection = opened()
    assert connection.sql("SELECT count(*) FROM notebooks").fetchall() == [(0,)]
    assert list(graded_cells(connection, "FROM graded")) == []


def test_rows_of_many_batches_keep_their_order(parts, opened):
    (cell,) = cells_of(submitted())
    rows = [replace(cell, cell_index=number) for number in range(2_500)]
    write(parts, GRADED, graded_rows(iter(rows)))
    found = graded_cells(opened(), "FROM graded ORDER BY cell_index DESC")
    assert [cell.cell_index for cell in found] == list(range(2_500))[::-1]
