"""The exercise's cell as a whole: what the reader is given."""

import duckdb
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.curated import write_problems
from nl2code.corpus.exercises.stubs import whole_stub
from nl2code.corpus.held_out import HeldOut
from nl2code.corpus.notebook_parts import NOTEBOOK_SCHEMA, NOTEBOOKS, PARTS, notebook_row
from nl2code.corpus.parts import CANDIDATES, PartFile
from nl2code.corpus.targets import TargetRules
from nl2code.records import Cell


def stub_of(answer, *stubs):
    return whole_stub([Cell("code", stub) for stub in stubs], Cell("code", answer))


@pytest.mark.parametrize(
    "stub",
    [
        "# Of the first layer\nsizes = \n# Of the others\nrates = None",
        "x, y = None\nmodel.fc = ...  # TODO",
        'def f(x):\n    """Twice.\n\n    Of x."""\n    # Multiply.',
        "# TODO: the mean of `prices`",
        "import os\nx = ____",
    ],
)
def test_names_and_hints_to_fill_in_are_given(stub):
    assert stub_of("import os\ndef f(x):\n    return 2 * x", stub) == stub


@pytest.mark.parametrize("stub", ["", "# YOUR CODE HERE", "pass\n\n# TODO"])
def test_a_stub_that_tells_nothing_is_empty(stub):
    assert stub_of("x = 1", stub) == ""


def test_no_stub_is_left_of_a_cell_with_other_code():
    assert stub_of("images = next(batches)\nfit(images)", "images = first()\nfit(images)") is None
    assert stub_of("x.sort()", "sorted(x)") is None
    assert stub_of("x.sort()", "sorted(x)", "# later") is None


def test_of_several_stubs_the_one_that_the_answer_keeps_lines_of_is_given():
    stubs = ["def f(x):\n    # One", "def g(x):\n    # Two"]
    assert stub_of("def g(x):\n    return 2", *stubs) == stubs[1]
    assert stub_of("x = 1", "# One", "# Two") == ""
    assert stub_of("x = 1") == ""


def rows_of(folder, *notebooks):
    """The rows of the notebooks' problems, and what was dropped of the exercises."""
    for kind in PARTS:
        (folder / kind).mkdir()
    with PartFile(folder / NOTEBOOKS / "0.parquet", NOTEBOOK_SCHEMA) as file:
        for one in notebooks:
            file.write([notebook_row(one)])
    held_out = HeldOut(min_repositories=0)
    with duckdb.connect() as connection:
        found = write_problems(connection, folder, TargetRules(curated=True), held_out)
    rows = [
        row for path in (folder / CANDIDATES).iterdir() for row in pq.read_table(path).to_pylist()
    ]
    return rows, dict(+found.drops["exercise"])


def lab(notebook, cell, **where):
    return notebook("# Lab one", "import os", "# Fill in, please.", cell, "# End", **where)


def test_a_problem_shows_the_stub_and_leaves_it_out_of_the_target(notebook, tmp_path):
    stub = "#: The number of layers\nlayers = \n\nbuild(layers)"
    exercise = lab(notebook, stub, path="lab.ipynb")
    solution = lab(notebook, "layers = 3\n\nbuild(layers)", path="lab_solution.ipynb")
    ((row,), drops) = rows_of(tmp_path, exercise, solution)
    assert (row["code"], row["boilerplate_code"]) == ("layers = 3", stub.replace("= \n", "=\n"))
    assert drops == {}


@pytest.mark.parametrize(
    ("stub", "answer", "reason"),
    [
        ("x = first()\nfit(x)", "x = next(all)\nfit(x)", "other_given_code"),
        (
            "x = None\nfor i in y:\n    i = f(i)\n    z = None",
            "x = 1\nfor i in y:\n    i = f(i)\n    z = i",
            "mixed_with_given",
        ),
        (
            "def f():\n    pass\ndef g():\n    pass",
            "def f():\n    return 1\ndef g():\n    return 2",
            "mixed_with_given",
        ),
        ("# your code here", "def f():\n    pass", "all_given"),
    ],
)
def test_problems_whose_answer_cannot_be_told_from_what_was_given(
    notebook, tmp_path, stub, answer, reason
):
    exercise = lab(notebook, stub, path="lab.ipynb")
    solution = lab(notebook, answer, path="lab_solution.ipynb")
    assert rows_of(tmp_path, exercise, solution) == ([], {reason: 1})
