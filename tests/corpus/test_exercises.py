from collections import Counter

from nl2code.corpus.exercises import exercise_cells


def found(exercise, solution):
    drops = Counter()
    cells = list(exercise_cells(exercise, solution, drops))
    return [(cell.prompt, cell.source, cell.boilerplate_code) for cell in cells], drops


def test_a_cell_that_the_solution_fills_in_is_a_problem(notebook):
    exercise = notebook(
        "# Lab", "import numpy as np", "# Add", "", "# Mean", "def mean(x):\n  pass"
    )
    solution = notebook(
        "# Lab",
        "import numpy as np",
        "# Add",
        "1 + 2",
        "# Mean",
        "def mean(x):\n  return np.mean(x)",
    )
    assert found(exercise, solution) == (
        [("# Add", "1 + 2", ""), ("# Mean", "def mean(x):\n  return np.mean(x)", "def mean(x):")],
        {},
    )
