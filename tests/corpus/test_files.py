import pyarrow as pa
import pytest

from nl2code.corpus import files
from nl2code.corpus.features import FEATURES


def rows(*sizes):
    """A row for each size, with so many bytes of context."""
    made = [
        {"id": str(size), "context": [{"cell_type": "code", "code": "x" * size}]} for size in sizes
    ]
    return pa.Table.from_pylist(made, schema=FEATURES.arrow_schema)


def groups(*tables):
    return [group["id"].to_pylist() for group in files._groups(tables)]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(files, "ROWS_PER_GROUP", 3)
    monkeypatch.setattr(files, "_BYTES_PER_GROUP", 100)


@pytest.mark.usefixtures("small")
def test_groups_have_the_same_rows_however_they_come():
    expected = [["1", "2", "3"], ["4", "5", "6"], ["7"]]
    assert groups(rows(1, 2, 3, 4, 5, 6, 7)) == expected
    assert groups(rows(1), rows(2, 3, 4, 5), rows(6, 7)) == expected


@pytest.mark.usefixtures("small")
def test_large_contexts_make_smaller_groups():
    assert groups(rows(60, 30, 20, 300, 5)) == [["60", "30"], ["20"], ["300"], ["5"]]
    assert groups(rows(60), rows(30, 20), rows(300), rows(5)) == groups(rows(60, 30, 20, 300, 5))


def test_no_rows_are_no_group():
    assert groups() == groups(rows()) == []
