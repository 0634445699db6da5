import json

import pytest

from nl2code.notebooks import UnreadableNotebook, join_source, read_notebook


def notebook(*cells, **top):
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": list(cells)} | top)


def code(source, **more):
    return {"cell_type": "code", "source": source} | more


def read(content):
    return read_notebook(content, "ada/course", "a.ipynb")


def reason(content):
    with pytest.raises(UnreadableNotebook) as caught:
        read(content)
    return caught.value.reason


def test_cells_keep_their_order_type_and_source():
    text = notebook({"cell_type": "markdown", "source": ["# Load\n", "now"]}, code("x = 1"))
    assert [(cell.cell_type, cell.source) for cell in read(text).cells] == [
        ("markdown", "# Load\nnow"),
        ("code", "x = 1"),
    ]


@pytest.mark.parametrize(
    ("source", "joined"),
    [
        ("x = 1\ny = 2", "x = 1\ny = 2"),
        (["x = 1\n", "y = 2"], "x = 1\ny = 2"),
        (["x = 1", "y = 2"], "x = 1\ny = 2"),
        (["x = 1"], "x = 1"),
        (["x = 1\r\n", "y = 2"], "x = 1\ny = 2"),
        ([], ""),
        (None, ""),
        ([1, "x"], "\nx"),
    ],
)
def test_a_source_in_any_shape_is_one_string(source, joined):
    assert join_source(source) == joined


@pytest.mark.parametrize("version", [2, 3])
def test_worksheets_of_nbformat_2_and_3_are_read(version):
    sheet = {
        "cells": [
            {"cell_type": "heading", "source": "Title", "level": 1},
            {"cell_type": "code", "input": ["print 1"], "prompt_number": 7, "outputs": []},
        ]
    }
    document = {"nbformat": version, "worksheets": [sheet, {}, None]}
    heading, cell = read(json.dumps(document)).cells
    assert (heading.cell_type, cell.source, cell.execution_count) == ("heading", "print 1", 7)


def test_missing_and_odd_metadata_are_no_fault():
    text = json.dumps({"cells": [{"source": "x"}, "odd", {"cell_type": "sql", "metadata": None}]})
    assert [cell.cell_type for cell in read(text).cells] == ["raw", "raw"]


@pytest.mark.parametrize("version", [4, "4", None, 2])
def test_a_known_nbformat_may_be_written_in_any_way(version):
    assert len(read(notebook(code("x = 1"), nbformat=version)).cells) == 1


def test_the_language_comes_from_language_info_then_from_the_kernel():
    info = {"language_info": {"name": "R", "version": "4.1"}, "kernelspec": {"language": "python"}}
    assert read(notebook(metadata=info)).language == "r"
    assert read(notebook(metadata={"kernelspec": {"language": "Python"}})).language == "python"
    assert read(notebook(metadata={"kernelspec": None})).language == ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty_file"),
        (None, "empty_file"),
        (b"\0\0\0", "empty_file"),
        (" \n", "empty_file"),
        (b"<!DOCTYPE html><html></html>", "html"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "not_text"),
        (notebook(code("x = 1"))[:-20], "broken_json"),
        (notebook(code("x"))[:-1] + ",}", "broken_json"),
        ('{\n<<<<<<< HEAD\n"cells": [],\n=======\n"cells": [1],\n>>>>>>> b\n}', "conflict_markers"),
        ("[1, 2]", "not_a_notebook"),
        ("{}", "not_a_notebook"),
        ('{"worksheets": {}}', "not_a_notebook"),
        (notebook(nbformat=5), "nbformat_too_new"),
        (notebook(nbformat="x"), "nbformat_too_new"),
        (notebook(nbformat=4.5), "nbformat_too_new"),
        ("[" * 100_000, "broken_json"),
    ],
)
def test_what_cannot_be_read_has_a_reason(content, expected):
    assert reason(content) == expected


def test_a_byte_order_mark_does_not_matter():
    text = notebook(code("x = 1"))
    for data in (text.encode("utf-8-sig"), text.encode("utf-16"), "\ufeff" + text):
        assert read(data).cells[0].source == "x = 1"


def test_lone_surrogates_nul_and_nan_are_read_and_harmless():
    text = r'{"cells": [{"cell_type": "code", "source": "s = \"\ud800\" # \u0000"}], "x": NaN}'
    (cell,) = read(text).cells
    assert cell.source.encode("utf-8") == b's = "\xef\xbf\xbd" # \x00'
    assert read(notebook(code("a\0b")).replace("\\u0000", "\0")).cells[0].source == "a\0b"


def test_of_duplicate_keys_the_last_counts():
    text = '{"cells": [{"cell_type": "code", "source": "a", "source": "b"}]}'
    assert read(text).cells[0].source == "b"
