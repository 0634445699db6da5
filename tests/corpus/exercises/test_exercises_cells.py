from collections import Counter

import pytest

from nl2code.corpus.exercises.cells import exercise_cells
from nl2code.corpus.exercises.stubs import is_placeholder


def problems(exercise, solution):
    drops = Counter()
    return list(exercise_cells(exercise, solution, drops)), drops


def found(exercise, solution):
    cells, drops = problems(exercise, solution)
    return [(cell.prompt, cell.source, cell.boilerplate_code) for cell in cells], drops


def given(notebook, stub, answer):
    """The boilerplate of a cell that the exercise has as `stub`."""
    ((_, _, boilerplate),), _ = found(notebook("# Do", stub), notebook("# Do", answer))
    return boilerplate


def test_a_cell_that_the_solution_fills_in_is_a_problem(notebook):
    exercise = notebook(
        "# Lab", "import numpy as np", "# Add", "", "# Mean", "def mean(x):\n  pass"
    )
    mean = "def mean(x):\n  return np.mean(x)"
    solution = notebook("# Lab", "import numpy as np", "# Add", "1 + 2", "# Mean", mean)
    assert found(exercise, solution) == (
        [("# Add", "1 + 2", ""), ("# Mean", mean, "def mean(x):")],
        {},
    )


def test_a_problem_says_where_it_comes_from(notebook):
    exercise = notebook("# Lab", "# Add", "", path="labs/lab.ipynb")
    solution = notebook("# Lab", "# Add", "1 + 2", path="solutions/lab.ipynb")
    ((cell,), _) = problems(exercise, solution)
    assert (cell.repo, cell.path, cell.exercise_path) == (
        "ada",
        "solutions/lab.ipynb",
        "labs/lab.ipynb",
    )
    assert (cell.commit, cell.license) == ("c0", "MIT")
    assert (cell.cell_index, cell.prompt_index, cell.prompt) == (2, 1, "# Add")


def test_a_cell_that_the_exercise_lacks_is_a_problem(notebook):
    exercise = notebook("# Add", "# Multiply", "# End")
    solution = notebook("# Add", "1 + 2", "# Multiply", "2 * 3", "# End")
    assert found(exercise, solution)[0] == [("# Add", "1 + 2", ""), ("# Multiply", "2 * 3", "")]


def test_cells_that_came_and_went_elsewhere_change_nothing(notebook):
    exercise = notebook(
        "x = 1", "# Extra", "y = 2", "# Add", "def add(a, b):\n    pass", "add(1, 2)"
    )
    answer = "def add(a, b):\n    return a + b"
    solution = notebook("# Course", "x = 1", "# Add", answer, "add(1, 2)", "# New")
    assert found(exercise, solution)[0] == [("# Add", answer, "def add(a, b):")]


def test_a_prompt_whose_words_were_edited_is_still_the_prompt(notebook):
    exercise = notebook("x = 1", "# 3. Add one and two", "")
    solution = notebook("x = 1", "# 3. Add one and two, please", "1 + 2")
    assert found(exercise, solution)[0] == [("# 3. Add one and two, please", "1 + 2", "")]


def test_a_cell_below_text_of_the_solution_alone_is_no_problem(notebook):
    exercise = notebook("x = 1", "# Add one and two", "")
    solution = notebook("x = 1", "# Add one and two", "1 + 2", "# An aside on floats", "0.1 + 0.2")
    assert found(exercise, solution) == (
        [("# Add one and two", "1 + 2", "")],
        {"prompt_not_in_exercise": 1},
    )


def test_a_cell_above_all_text_is_no_problem(notebook):
    assert found(notebook("", "# Add"), notebook("x = 1", "# Add")) == ([], {"no_prompt": 1})


def test_text_that_only_announces_the_solution_is_no_prompt(notebook):
    solution = notebook("# Add", "# **Solution 1:**", "1 + 2", "# End")
    assert found(notebook("# Add", "", "# End"), solution)[0] == [("# Add", "1 + 2", "")]


@pytest.mark.parametrize(
    "marker", ["\n# to_remove solution\n", "#Solution\n\n", "## Solution 2:\n"]
)
def test_a_comment_that_only_announces_the_solution_is_left_out(notebook, marker):
    assert found(notebook("# Add", ""), notebook("# Add", marker + "1 + 2  # easy"))[0] == [
        ("# Add", "1 + 2  # easy", "")
    ]


@pytest.mark.parametrize(
    ("stub", "answer", "reason"),
    [
        ("f(1,2)", "\n# a comment\nf(1, 2)\n", None),  # not even a changed cell
        ("f(1, 2)  # here", "f(1, 2) # there", "same_code"),
        ("epochs = 10\nfit(epochs)", "epochs = 50\nfit(epochs)", "other_literals"),
        ("import os\nimport sys\nx = 1", "import os\nimport sys", "all_given"),
        ("", "%matplotlib inline", "no_statement"),
        ("", f"x = '{20_000 * 'a'}'", "long_cell"),
    ],
)
def test_a_cell_that_solves_nothing_is_no_problem(notebook, stub, answer, reason):
    expected = {reason: 1} if reason else {}
    assert found(notebook("# Do", stub), notebook("# Do", answer)) == ([], expected)


def test_an_answer_split_over_more_cells_than_were_open_is_no_problem(notebook):
    solution = notebook("# Add", "x = 1 + 2", "print(x)")
    assert found(notebook("# Add", "", ""), solution)[0] == [
        ("# Add", "x = 1 + 2", ""),
        ("# Add", "print(x)", ""),
    ]
    assert found(notebook("# Add", ""), solution) == ([], {"split_answer": 2})
    assert found(notebook("# Add"), solution) == ([], {"split_answer": 2})


def test_a_cell_moved_from_elsewhere_in_the_exercise_is_no_problem(notebook):
    exercise = notebook("# One", "# Two", "", "# Three", "import os\nos.sep")
    solution = notebook("# One", "import os\nos.sep", "# Two", "1 + 2", "# Three")
    assert found(exercise, solution)[0] == [("# Two", "1 + 2", "")]


def test_only_python_gives_problems(notebook):
    kernel = {"kernelspec": {"name": "ir", "language": "R"}}
    exercise, solution = notebook("# Add", "", **kernel), notebook("# Add", "1 + 2")
    assert found(exercise, solution) == ([], {"not_python": 1})
    assert found(notebook("# Add", ""), notebook("# Add", "1 + 2", **kernel)) == (
        [],
        {"not_python": 1},
    )


def test_boilerplate_is_what_the_solution_keeps_and_no_placeholder(notebook):
    stub = "import os\n\ndef f(x):\n    # TODO: your code here\n    y = None\n    return y\n"
    answer = "import os\nimport sys\n\ndef f(x):\n    y = g(\n        x\n    )\n    return y\n"
    assert given(notebook, stub, answer) == "import os\ndef f(x):\n    return y"


def test_boilerplate_keeps_comments_that_ask_for_something(notebook):
    stub = "xs = [2, 1]\n# Sort the list.\n# YOUR CODE HERE"
    assert given(notebook, stub, stub + "\nxs.sort()") == "xs = [2, 1]\n# Sort the list."


def test_boilerplate_keeps_lines_of_punctuation(notebook):
    stub = 'f(\n    x=1,\n)\n"""\ntext\n"""\n'
    assert given(notebook, stub, stub + "g()") == stub.strip()


def test_of_several_stubs_the_likest_is_the_boilerplate(notebook):
    exercise = notebook("# Do", "def f(x):\n  pass", "def g(x):\n  pass")
    solution = notebook("# Do", "def f(x):\n  return 1", "def g(x):\n  return 2")
    assert [boilerplate for _, _, boilerplate in found(exercise, solution)[0]] == [
        "def f(x):",
        "def g(x):",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  pass",
        "...",
        "x = None",
        "raise NotImplementedError()",
        "# TODO",
        "#### TODO ####",
        "# your code here",
        "# YOUR CODE GOES HERE",
        "# Write your own code below:",
        "# ------",
        "# Solution 1",
        "# Add your solution here!",
    ],
)
def test_a_line_that_holds_the_place_of_the_answer_is_a_placeholder(line):
    assert is_placeholder(line)


@pytest.mark.parametrize(
    "line", ["x = 1", "# TODO: define the loss", "# Create a list", ")", '"""', "return x", "@f"]
)
def test_other_lines_are_no_placeholders(line):
    assert not is_placeholder(line)


def test_the_confirmation_key_is_the_prompt_and_the_code(notebook):
    def key(solution, title="# Lab", prompt="# Add"):
        ((cell,), _) = problems(notebook(title, prompt, ""), notebook(title, prompt, solution))
        return cell.confirmation_key

    assert key("1 + 2") == key("\n# sum\n1+2  # three") == key("1 + 2", prompt="# Add ")
    assert key("1 + 2") == key("1 + 2", title="# Lab, next year")
    assert len({key("1 + 2"), key("2 + 1"), key("1 + 2", prompt="# Add up")}) == 3


def test_ten_thousand_cells_take_no_quadratic_time(notebook):
    same = notebook("# Do", *["x = 1"] * 10_000)
    many = notebook("# Do", *(f"x = {number}" for number in range(10_000)), "y")
    assert found(same, many)[1] == {"split_answer": 10_000}
    assert found(many, same) == ([], {})
