from collections import Counter

import pytest

from nl2code.corpus.exercises.pairing import cell_keys, pairs, says_solution
from nl2code.corpus.targets import TargetRules, training_examples


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


def test_a_copy_of_the_solution_by_another_name_is_not_its_exercise(notebook):
    copy = notebook(*SOLUTION, "# Done", path="lab-Copy1.ipynb")
    lab, solution = notebook(*EXERCISE, path="lab.ipynb"), notebook(*SOLUTION, path="lab_sol.ipynb")
    assert paired(copy, solution, lab) == ([("lab.ipynb", "lab_sol.ipynb")], {})
    assert paired(copy, solution) == ([], {"no_exercise": 1})


def test_a_solution_without_an_exercise_is_counted(notebook):
    other = notebook("# Something", "x = 1", "# else", path="b.ipynb")
    assert paired(notebook(*SOLUTION, path="solution.ipynb"), other) == ([], {"no_exercise": 1})


def test_half_of_the_cells_is_not_enough(notebook):
    solution = notebook("# Lab", "# Add", "1 + 2", "# Multiply", "2 * 3", path="solution.ipynb")
    half = notebook("# Lab", "# Add", "# Other", "# Text", path="half.ipynb")
    more = notebook("# Lab", "# Add", "# Other", path="more.ipynb")
    assert paired(solution, half)[0] == []
    assert paired(solution, half, more)[0] == [("more.ipynb", "solution.ipynb")]


def test_cells_to_be_filled_in_do_not_make_notebooks_alike(notebook):
    open_cells = ["#todo", ""] * 9
    exercise = notebook("x = 1", "y = 2", *open_cells, path="other.ipynb")
    solution = notebook("z = 3", *open_cells, path="soln.ipynb")
    assert paired(exercise, solution) == ([], {"no_exercise": 1})


def test_comments_and_blanks_do_not_tell_cells_apart(notebook):
    exercise = notebook("# Lab", "x = [1, 2]", "y = x", path="lab.ipynb")
    solution = notebook("#  Lab", "#two\nx = [1,\n 2]", "y=x", "y[0]", path="lab_soln.ipynb")
    assert paired(exercise, solution)[0] == [("lab.ipynb", "lab_soln.ipynb")]


def test_the_exercise_with_the_most_in_common_is_taken(notebook):
    whole = notebook(*EXERCISE, path="z.ipynb")
    part = notebook("# Lab", "# Add", "# Multiply", "x = 1", path="solutio.ipynb")
    assert paired(part, whole, notebook(*SOLUTION, path="solution.ipynb"))[0] == [
        ("z.ipynb", "solution.ipynb")
    ]


def test_a_short_notebook_is_not_the_exercise_of_a_long_one_that_holds_it(notebook):
    short = notebook("# Voss", "import thinkdsp", "# Noise", path="examples/voss.ipynb")
    text = [f"# Section {number}" for number in range(5)]
    chapter = notebook("# Voss", "import thinkdsp", "# Noise", *text, "x = 1", path="soln.ipynb")
    assert paired(short, chapter) == ([], {"no_exercise": 1})


def test_of_copies_of_an_exercise_the_nearest_is_taken(notebook):
    copies = [notebook(*EXERCISE, path=f"week{number}/lab.ipynb") for number in (1, 2, 3)]
    solution = notebook(*SOLUTION, path="week2/lab_solution.ipynb")
    for order in (copies, copies[::-1]):
        assert paired(*order, solution)[0] == [("week2/lab.ipynb", "week2/lab_solution.ipynb")]


def test_two_solutions_of_one_exercise_are_two_pairs(notebook):
    names = ["Exercise_with_Solutions.ipynb", "Solutions.ipynb"]
    solutions = [notebook(*SOLUTION, path=name) for name in names]
    assert paired(*solutions[::-1], notebook(*EXERCISE, path="Exercise.ipynb"))[0] == [
        ("Exercise.ipynb", name) for name in names
    ]


def test_checkpoint_copies_pair_with_nothing(notebook):
    exercise = notebook(*EXERCISE, path=".ipynb_checkpoints/lab.ipynb")
    solution = notebook(*SOLUTION, path=".ipynb_checkpoints/lab_solution.ipynb")
    assert paired(exercise, notebook(*SOLUTION, path="lab_solution.ipynb"))[0] == []
    assert paired(notebook(*EXERCISE, path="lab.ipynb"), solution) == ([], {})


def test_the_key_of_a_notebook_is_that_of_its_examples(notebook):
    sources = ("# Add", "1 + 2")
    (row,) = training_examples(notebook(*sources), TargetRules(), Counter())
    assert cell_keys(notebook(*sources)).notebook_key == row["notebook_key"]
    assert cell_keys(notebook("# Add", "1+2")).notebook_key != row["notebook_key"]
