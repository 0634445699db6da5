from collections import Counter

import pytest

from nl2code.corpus.pairing import cell_keys, pairs, says_solution


@pytest.mark.parametrize(
    "path",
    [
        "chap01soln.ipynb",
        "GradientDescentSolutions.ipynb",
        "Part 1 (Solution).ipynb",
        "Exercises_with_solutions_code.ipynb",
        "solutions/lab2.ipynb",
        "week1/Answers/lab2.ipynb",
        "lab_sol.ipynb",
        "SOLUTION 2.ipynb",
    ],
)
def test_a_name_or_a_folder_says_solution(path):
    assert says_solution(path)


@pytest.mark.parametrize(
    "path",
    [
        "labs/lab2.ipynb",
        "super_resolution.ipynb",
        "dissolution/rates.ipynb",
        "license_key/format_license_key_challenge.ipynb",
        "question_answering.ipynb",
        "solar.ipynb",
    ],
)
def test_other_words_do_not_say_solution(path):
    assert not says_solution(path)


def paired(*notebooks):
    drops = Counter()
    found = [(e.path, s.path) for e, s in pairs([*map(cell_keys, notebooks)], drops)]
    return found, drops


EXERCISE = ("# Lab", "import numpy as np", "# Add", "", "# Multiply", "# todo")
SOLUTION = ("# Lab", "import numpy as np", "# Add", "1 + 2", "# Multiply", "2 * 3")


def test_a_solution_is_paired_with_the_notebook_it_fills_in(notebook):
    lab, other = notebook(*EXERCISE, path="lab.ipynb"), notebook("# Else", "y = 2", path="b.ipynb")
    for path in ("lab_solution.ipynb", "solutions/lab.ipynb"):
        solution = notebook(*SOLUTION, path=path)
        assert paired(solution, other, lab) == ([("lab.ipynb", path)], {})
