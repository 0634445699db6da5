import csv

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.attribution import license_table, write_attribution

ROWS = {
    "train-00000-of-00001": [
        ("bob/x", "a.ipynb", "c1", "MIT"),
        ("bob/x", "a.ipynb", "c1", "MIT"),
        ("bob/x", "b.ipynb", "c1", "MIT"),
        ('=ada,"y"\n', "a.ipynb", None, "mit"),
        ("eve/z", "a.ipynb", "c2", None),
    ],
    "test-00000-of-00001": [
        ("bob/x", "a.ipynb", "c2", "CC-BY-4.0"),
        ("kim/w", "a.ipynb", "c3", "My own"),
    ],
}


@pytest.fixture
def folder(tmp_path):
    built = tmp_path / "ju[i]ce"
    built.mkdir()
    for name, rows in ROWS.items():
        keys = ("repo", "path", "commit", "license")
        table = pa.table({"metadata": [dict(zip(keys, row, strict=True)) for row in rows]})
        pq.write_table(table, built / f"{name}.parquet")
    return built


def test_a_licence_counts_its_examples_and_repositories_however_written(folder):
    with duckdb.connect() as connection:
        assert license_table(connection, folder) == [
            ("MIT", 4, 2),
            ("CC-BY-4.0", 1, 1),
            ("My own", 1, 1),
            ("unknown", 1, 1),
        ]


def test_each_repository_at_each_commit_is_named_once(folder):
    with duckdb.connect() as connection:
        file = write_attribution(connection, folder)
    with file.open(newline="", encoding="utf-8") as lines:
        assert list(csv.reader(lines)) == [
            ["repo", "commit", "license", "notebooks", "examples"],
            ['\'=ada,"y"\n', "", "MIT", "1", "1"],
            ["bob/x", "c1", "MIT", "2", "3"],
            ["bob/x", "c2", "CC-BY-4.0", "1", "1"],
            ["eve/z", "c2", "unknown", "1", "1"],
            ["kim/w", "c3", "My own", "1", "1"],
        ]
    assert file == folder / "ATTRIBUTION.csv"
    assert b"\r" not in file.read_bytes()


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r\n+1", "\uff1d1"])
def test_no_cell_is_a_formula_to_a_spreadsheet(tmp_path, formula):
    row = dict.fromkeys(("repo", "commit", "license"), formula) | {"path": "a.ipynb"}
    pq.write_table(pa.table({"metadata": [row]}), tmp_path / "train.parquet")
    with duckdb.connect() as connection:
        file = write_attribution(connection, tmp_path)
    with file.open(newline="", encoding="utf-8") as lines:
        assert list(csv.reader(lines))[1] == [f"'{formula}"] * 3 + ["1", "1"]
