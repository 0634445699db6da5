import pyarrow as pa

from nl2code.corpus import contexts
from nl2code.corpus.contexts import above

TYPES = ["code", "raw", "markdown", "code", "code"]
SOURCES = ["a = 1", "b", "# add", "c = a + b", "d = 4"]


def shown(index, given=None, max_cells=None):
    (context,) = above(pa.array(TYPES), pa.array(SOURCES), [index], [given], max_cells).to_pylist()
    return context


def test_context_is_all_above_nearest_first_and_never_the_target():
    assert shown(3) == [
        {"cell_type": "markdown", "distance_target": 1, "nl_original": "# add", "code": None},
        {"cell_type": "raw", "distance_target": 2, "nl_original": None, "code": "b"},
        {"cell_type": "code", "distance_target": 3, "nl_original": None, "code": "a = 1"},
    ]


def test_nothing_is_above_the_first_cell():
    assert shown(0) == []


def test_given_code_stands_directly_above_the_target_as_a_cell_of_its_own():
    first, second, *_ = shown(3, given="def f():")
    assert (first["cell_type"], first["distance_target"]) == ("code", 1)
    assert (first["code"], first["nl_original"]) == ("def f():", None)
    assert (second["nl_original"], second["distance_target"]) == ("# add", 2)


def test_context_is_capped_on_request_given_code_included():
    assert [cell["distance_target"] for cell in shown(4, max_cells=2)] == [1, 2]
    assert [cell["code"] for cell in shown(4, "given", max_cells=2)] == ["given", "c = a + b"]
    assert len(shown(4, max_cells=9)) == 4


def test_rows_of_a_notebook_are_told_apart():
    found = above(pa.array(TYPES), pa.array(SOURCES), [1, 4, 2], ["x", None, "y"]).to_pylist()
    assert [[cell["code"] or cell["nl_original"] for cell in context] for context in found] == [
        ["x", "a = 1"],
        ["c = a + b", "# add", "b", "a = 1"],
        ["y", "b", "a = 1"],
    ]


def test_a_long_notebooks_rows_come_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(contexts, "_BYTES_AT_ONCE", 10)
    runs = list(contexts._slices([2, 4, 6, 8, 30, 32]))
    assert [place for start, end in runs for place in range(start, end)] == list(range(6))
    assert len(runs) > 3
