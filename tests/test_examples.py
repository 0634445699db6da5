"""The embedded corpus is what examples/README.md says it is."""

import ast
import json
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
CORPUS = EXAMPLES / "notebooks"
COURSE = CORPUS / "intro-python-course"

NOT_JSON = {
    "attic/broken/conflict.ipynb",
    "attic/broken/empty.ipynb",
    "attic/broken/nul_bytes.ipynb",
    "attic/broken/page.ipynb",
    "attic/broken/truncated.ipynb",
}
NOT_NBFORMAT_4 = {
    "attic/2011/first_steps.ipynb",
    "attic/2013/filter_design.ipynb",
    "attic/broken/no_cells.ipynb",
    "attic/missing_metadata.ipynb",
}
MACHINE_PATH = re.compile(r"(?<![\w~.])/(tmp|work|root|home|Users|usr|opt|mnt|var)/|[A-Z]:\\\\")
PAIRS = {
    "week1/exercises.ipynb": "week1/exercises_solutions.ipynb",
    "labs/lab2_pandas.ipynb": "solutions/lab2_pandas.ipynb",
    "week3/numpy_practice.ipynb": "week3/numpy_practice_solution.ipynb",
}
PAIR_FOLDERS = ("bootcamp-2020", "lenas-fork/bootcamp", "study-group-2021/material")


@cache
def notebooks() -> dict[str, dict[str, Any]]:
    """Every notebook that is JSON, by its path in the corpus."""
    return {
        path.relative_to(CORPUS).as_posix(): json.loads(path.read_bytes())
        for path in sorted(CORPUS.rglob("*.ipynb"))
        if path.relative_to(CORPUS).as_posix() not in NOT_JSON
    }


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def graded_cells(path: Path) -> dict[str, dict[str, Any]]:
    cells = json.loads(path.read_bytes())["cells"]
    return {c["metadata"]["nbgrader"]["grade_id"]: c for c in cells if "nbgrader" in c["metadata"]}


def test_at_least_48_notebooks_stand_in_at_least_10_repositories():
    assert len(notebooks()) >= 48
    assert len({path.split("/")[0] for path in notebooks()}) >= 10


def test_at_least_700_different_python_cells_stand_below_markdown():
    targets = set()
    for path in notebooks().keys() - NOT_NBFORMAT_4:
        cells = notebooks()[path]["cells"]
        for above, cell in pairwise(cells):
            if (above["cell_type"], cell["cell_type"]) == ("markdown", "code") and parses(cell):
                targets.add(source(cell))
    assert len(targets) >= 700


def parses(cell: dict[str, Any]) -> bool:
    try:
        return bool(ast.parse(source(cell)).body)
    except SyntaxError:
        return False


@pytest.mark.filterwarnings("error")  # nbformat repairs cell ids, with a warning
def test_notebooks_but_the_odd_ones_are_valid_nbformat_4():
    for path in notebooks().keys() - NOT_NBFORMAT_4:
        nbformat.validate(nbformat.from_dict(notebooks()[path]), version=4)


@pytest.mark.parametrize("path", sorted(NOT_JSON))
def test_broken_notebooks_are_broken(path):
    with pytest.raises(ValueError, match=r"Expecting|Invalid control"):
        json.loads((CORPUS / path).read_bytes())


@pytest.mark.parametrize("path", sorted(NOT_NBFORMAT_4))
def test_old_and_bare_notebooks_are_not_valid_nbformat_4(path):
    with pytest.raises(nbformat.ValidationError):
        nbformat.validate(nbformat.from_dict(notebooks()[path]), version=4)


@pytest.mark.parametrize("path", sorted(NOT_JSON | NOT_NBFORMAT_4))
def test_odd_notebooks_are_listed_in_the_readme(path):
    assert f"`{path}`" in (EXAMPLES / "README.md").read_text()


def test_both_minor_versions_with_and_without_cell_ids_occur():
    versions = {
        (nb["nbformat"], nb["nbformat_minor"]) for nb in notebooks().values() if "cells" in nb
    }
    assert {(4, 4), (4, 5)} <= versions


def test_outputs_name_no_path_of_a_machine():
    for path in notebooks().keys() - NOT_NBFORMAT_4:
        for cell in notebooks()[path]["cells"]:
            assert not MACHINE_PATH.search(json.dumps(cell.get("outputs", []))), path


def test_most_notebooks_of_python_3_were_run():
    run = [
        any(cell.get("execution_count") for cell in notebooks()[path]["cells"])
        for path in notebooks().keys() - NOT_NBFORMAT_4
    ]
    assert sum(run) > 0.8 * len(run)


def test_the_corpus_is_small_and_without_images():
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    assert not [path for path in files if b'"image/' in path.read_bytes()]


def test_released_notebooks_carry_nbgrader_metadata_but_no_solution():
    for name in ("ps1/problem1.ipynb", "ps2/problem2.ipynb"):
        released = graded_cells(COURSE / "release" / name)
        solutions = [cell for cell in released.values() if is_target(cell)]
        assert len(solutions) >= 4
        assert all("YOUR CODE HERE" in source(cell) for cell in solutions)
        assert all(cell["metadata"]["nbgrader"]["checksum"] for cell in released.values())
        assert "HIDDEN TESTS" not in str(released)
        assert "### BEGIN SOLUTION" in str(graded_cells(COURSE / "source" / name))


def is_target(cell: dict[str, Any]) -> bool:
    metadata = cell["metadata"]["nbgrader"]
    return metadata["solution"] and not metadata["grade"]


def test_the_autograder_puts_edited_and_hidden_tests_back():
    handed_in = graded_cells(CORPUS / "student-emil/intro-python-course/ps1/problem1.ipynb")
    graded = graded_cells(COURSE / "autograded/emil/ps1/problem1.ipynb")
    assert "# assert count_vowels" in source(handed_in["test_count_vowels"])
    assert "# assert count_vowels" not in source(graded["test_count_vowels"])
    assert "sum_of_squares(10)" not in source(handed_in["test_sum_of_squares"])
    assert "sum_of_squares(10)" in source(graded["test_sum_of_squares"])


@pytest.mark.parametrize(
    ("student", "verdicts"),
    [  # a letter a test cell of the first problem set: pass, fail, - for never run
        ("ada", "PPPPP"),
        ("boris", "FFPFF"),
        ("chen", "PFFFF"),
        ("dora", "-----"),
        ("emil", "PPPPP"),
        ("farah", "PPPPP"),
        ("gus", "PFFFP"),
    ],
)
def test_submissions_are_right_wrong_raising_and_empty(student, verdicts):
    path = CORPUS / f"student-{student}/intro-python-course/ps1/problem1.ipynb"
    tests = [c for c in graded_cells(path).values() if c["metadata"]["nbgrader"]["locked"]]
    assert "".join(verdict(cell) for cell in tests) == verdicts


def verdict(cell: dict[str, Any]) -> str:
    if cell["execution_count"] is None:
        return "-"
    return "F" if any(o["output_type"] == "error" for o in cell["outputs"]) else "P"


@pytest.mark.parametrize("folder", PAIR_FOLDERS)
@pytest.mark.parametrize("exercise", sorted(PAIRS))
def test_exercises_differ_from_their_solutions_in_five_cells_or_more(folder, exercise):
    asked = notebooks()[f"{folder}/{exercise}"]["cells"]
    solved = notebooks()[f"{folder}/{PAIRS[exercise]}"]["cells"]
    same = [source(a) == source(b) for a, b in zip(asked, solved, strict=True)]
    assert same.count(False) >= 5
    assert same.count(True) > len(same) / 2


@pytest.mark.slow
def test_make_course_makes_the_committed_course(tmp_path):
    # Not `nbgrader` alone: a folder of tests has that name.
    pytest.importorskip("nbgrader.apps", reason="needs the extra [course]")
    script = EXAMPLES / "make_course.py"
    subprocess.run([sys.executable, script, "--out", tmp_path], check=True, capture_output=True)
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.ipynb")}
    committed = [*COURSE.rglob("*.ipynb"), *CORPUS.glob("student-*/**/*.ipynb")]
    assert made == {path.relative_to(CORPUS) for path in committed}
    for path in made:  # outputs aside: tracebacks differ between versions of IPython
        assert without_outputs(tmp_path / path) == without_outputs(CORPUS / path)


def without_outputs(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_bytes())["cells"]
    return [{key: value for key, value in cell.items() if key != "outputs"} for cell in cells]
