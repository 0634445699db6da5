"""A problem that was found, and its notebook, as a row."""

from collections import Counter

import pytest
from shown import with_context

from nl2code.corpus.curated_rows import Curated, curated_example
from nl2code.corpus.digests import notebook_key
from nl2code.corpus.targets import TargetRules, training_examples
from nl2code.python_code import NotPython
from nl2code.python_code.analysis import MAX_TOKENS
from nl2code.records import Cell, Notebook

PROMPT = "Fill in how many prices there are, please."
CELLS = (
    Cell("markdown", "# Houses"),
    Cell("code", "import pandas as pd\nprices = pd.read_csv('a.csv')\ndef mean(x):\n    return x"),
    Cell("markdown", PROMPT),
    Cell("raw", "for the printer"),
    Cell("code", "the cell of the target"),
    Cell("code", "assert count == 3"),
)


def row_of(code, boilerplate="", prompt=PROMPT, rules=None, **notebook):
    made = Notebook(
        **{"repo": "ada", "path": "a.ipynb", "cells": CELLS, "license": "MIT"} | notebook
    )
    problem = Curated(
        source="nbgrader",
        name="the problem",
        assignment="the assignment",
        cell_index=4,
        prompt=prompt,
        code=code,
        boilerplate_code=boilerplate,
        tests=("assert count == 3",),
        metadata={"grade_id": "one", "points": 2.0, "submissions": 7},
    )
    rules = rules or TargetRules()
    row = curated_example(made, problem, rules)
    return with_context(row, made, rules.max_context_cells)


def sources(row):
    cells = row["context"]
    assert [cell["distance_target"] for cell in cells] == list(range(1, len(cells) + 1))
    return [(cell["cell_type"], cell["code"] or cell["nl_original"]) for cell in cells]


def test_the_context_is_the_cells_above_nearest_first():
    row = row_of("count = len(prices)")
    above = [(cell.cell_type, cell.source) for cell in CELLS[:4]]
    assert sources(row) == above[::-1]
    assert row["boilerplate_code"] is None
    assert row["num_cells_above"] == 4


def test_given_code_stands_nearest_and_the_cell_s_place_stays():
    row = row_of("count = len(prices)", "count = 0\n# YOUR CODE HERE")
    assert sources(row)[:2] == [("code", "count = 0\n# YOUR CODE HERE"), ("raw", CELLS[3].source)]
    assert len(row["context"]) == 5
    assert row["boilerplate_code"] == "count = 0\n# YOUR CODE HERE"
    assert row["num_cells_above"] == row["metadata"]["cell_index"] == 4


def test_given_blanks_are_no_cell():
    assert len(row_of("count = len(prices)", " \n\t")["context"]) == 4


def test_a_cap_of_the_context_counts_given_code_too():
    rules = TargetRules(max_context_cells=2)
    row = row_of("count = len(prices)", "count = 0", rules=rules)
    assert sources(row) == [("code", "count = 0"), ("raw", CELLS[3].source)]


def test_the_prompt_given_is_the_nl_wherever_it_stands():
    row = row_of("count = len(prices)", prompt="Count the *prices*.")
    assert row["nl_original"] == "Count the *prices*."
    assert list(row["nl"]) == ["Count", "the", "prices", "."]


def test_names_of_the_cells_above_and_of_given_code_make_a_row_contextual():
    row = row_of("total += mean(limit)", "total = 0\nlimit = 3")
    assert row["uses_variables"] == ["limit", "total"]
    assert row["uses_methods"] == ["mean"]
    assert row["contextual"]
    assert row["multi_cell"]  # the function of a cell above, the variables of the given code
    assert not row_of("total += 1", "total = 0\nlimit = 3")["multi_cell"]
    unknown = row_of("total += mean(limit)")
    assert (unknown["uses_variables"], unknown["uses_methods"]) == ([], ["mean"])


def test_a_parameter_of_the_given_function_is_not_the_variable_above():
    def uses(parameter):
        given = f"def f({parameter}):\n    # YOUR CODE HERE\n    return count"
        row = row_of("count = mean(prices)", given, prompt="Count.")
        return row["uses_variables"], row["uses_methods"], row["multi_cell"]

    assert uses("prices") == ([], ["mean"], False)
    assert uses("houses") == (["prices"], ["mean"], False)


def test_imports_are_those_of_the_cells_above_the_given_code_and_the_target():
    row = row_of("from math import pi\ncount = pi", "import numpy as np")
    assert row["imports"] == ["pandas", "pd", "numpy", "np", "pi"]


def test_an_answer_in_python_2_becomes_python_3():
    old = {"kernel": "python2", "language_version": "2.7.18"}
    row = row_of("print 'count:', 7 / 2", **old)
    assert row["code"] == "print('count:', 7 // 2)"
    assert list(row["api_sequence"]) == ["NO_API_SEQUENCE"]


def test_python_2_is_converted_whatever_kernel_the_notebook_names():
    assert row_of("print 'a', 'b'", kernel="python3")["code"] == "print('a', 'b')"


def test_the_kernel_tells_what_both_versions_may_say():
    old, new = {"kernel": "python2", "language_version": "2.7"}, {"kernel": "python3"}
    assert row_of("half = 7 / 2", **new)["code"] == "half = 7 / 2"
    assert row_of("half = 7 / 2", **old)["code"] == "half = 7 // 2"


def test_a_future_import_above_is_heeded():
    cells = (Cell("code", "from __future__ import print_function"), *CELLS[1:])
    row = row_of("print('a', sep='')", cells=cells, kernel="python2", language_version="2.7")
    assert row["code"] == "print('a', sep='')"


def test_magics_are_no_part_of_the_target():
    row = row_of("%matplotlib inline\ncount = len(prices)")
    assert row["code"].strip() == "count = len(prices)"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("x = " + " + ".join(["1"] * MAX_TOKENS), "long_code"),
        ("class A:\n    pass", "class"),
        ("def f():\n    pass\ndef g():\n    pass", "several_functions"),
        ("\n".join(f"f{n}(1)" for n in range(16)), "many_api_calls"),
        ("!ls", "shell_command"),
        ("x =", "syntax_error"),
        ("# nothing", "no_statement"),
    ],
)
def test_what_is_no_training_target_is_no_problem_either(code, reason):
    with pytest.raises(NotPython) as caught:
        row_of(code)
    assert caught.value.reason == reason


def test_a_prompt_without_text_is_no_nl():
    with pytest.raises(NotPython) as caught:
        row_of("count = 3", prompt="![plot](a.png)")
    assert caught.value.reason == "empty_nl"


def test_a_long_answer_is_cut_where_the_rules_say_so():
    long = "x = " + " + ".join(["y"] * MAX_TOKENS)
    row = row_of(long, rules=TargetRules(long_targets="truncate"))
    assert len(row["code_tokens_clean"]) == MAX_TOKENS


def test_the_row_says_where_it_comes_from_and_what_belongs_to_it():
    row = row_of("count = len(prices)", commit="c1")
    assert row["metadata"] == {
        "source": "nbgrader",
        "repo": "ada",
        "path": "a.ipynb",
        "commit": "c1",
        "license": "MIT",
        "cell_index": 4,
        "grade_id": "one",
        "points": 2.0,
        "submissions": 7,
    }
    assert list(row["tests"]) == ["assert count == 3"]
    assert row["assignment"] == "the assignment"


def test_its_keys_are_those_of_a_training_row_of_the_same_cells(notebook):
    made = notebook("# Count the prices of houses", "count = len(prices)")
    (ours,) = training_examples(made, TargetRules(), Counter())
    problem = Curated("exercise", "p", "a", 1, made.cells[0].source, "count = len(prices)", "")
    row = curated_example(made, problem, TargetRules())
    assert row["notebook_key"] == ours["notebook_key"] == notebook_key(made)
    for column in ("id", "target_key", "nl_key", "cell_keys", "imports"):
        assert row[column] == ours[column], column
    assert row["metadata"]["source"] == "exercise"


def test_given_code_counts_among_the_cells_that_two_notebooks_share():
    one, other = (row_of("count = 3", given)["cell_keys"] for given in ("", "count = 0"))
    assert len(set(other) - set(one)) == 1
    assert set(one) < set(other)
