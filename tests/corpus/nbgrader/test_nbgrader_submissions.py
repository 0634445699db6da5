import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from nbgrader_cells import (
    ERROR,
    PROMPT,
    RIGHT,
    STUB,
    TEST,
    checksum,
    course,
    graded,
    grouped,
    markdown,
    problems_of,
    solution,
    submitted,
)

from nl2code.corpus.nbgrader.submissions import right_answers
from nl2code.sources import find_notebooks

EXAMPLES = Path(__file__).parents[3] / "examples"
HIDDEN = f"{TEST}\n### BEGIN HIDDEN TESTS\nassert double(0) == 0\n### END HIDDEN TESTS"
WRONG = "def double(x):\n    return 4"
RELEASE = course(markdown(PROMPT), solution(STUB, count=None), graded(count=None), repo="course")


def test_a_right_submission_becomes_a_problem():
    ((problem,), drops) = problems_of(
        RELEASE, submitted(RIGHT), submitted(WRONG, ERROR, repo="bob")
    )
    assert (problem.code, problem.boilerplate_code) == ("return 2 * x", STUB)
    assert (problem.cell.repo, problem.cell.source) == ("ada", RIGHT)
    assert (problem.submissions, problem.correct) == (2, 1)
    assert problem.cell.tests == (TEST,)
    assert drops == {}


NEVER_RUN = course(markdown(PROMPT), solution(), graded(count=None))
UNTESTED = course(markdown(PROMPT), solution())


@pytest.mark.parametrize(
    ("notebooks", "reason"),
    [
        ([RELEASE], "only_released"),
        ([UNTESTED], "no_tests"),
        ([NEVER_RUN], "tests_never_ran"),
        ([submitted(WRONG, ERROR)], "tests_failed"),
        ([RELEASE, submitted(test="assert double")], "tests_edited"),
        ([submitted(RIGHT), submitted(RIGHT, ERROR, test=HIDDEN)], "failed_elsewhere"),
        ([submitted("answer = 'B'", test="assert answer")], "multiple_choice"),
        ([submitted("### BEGIN SOLUTION\n### END SOLUTION")], "no_answer_left"),
    ],
)
def test_a_group_is_dropped_for_a_reason(notebooks, reason):
    ids = [cell for notebook in notebooks for cell in notebook.cells if cell.cell_type == "code"]
    for cell in ids:  # one id, so that edited tests meet the others
        cell.metadata["nbgrader"]["grade_id"] = "double"
    assert problems_of(*notebooks) == ([], {reason: 1})


def test_an_instructors_answer_counts_as_right_although_no_test_ran():
    answer = "def double(x):\n    ### BEGIN SOLUTION\n    return x + x\n    ### END SOLUTION"
    source = course(markdown(PROMPT), solution(answer, count=None), graded(HIDDEN, count=None))
    ((problem,), _) = problems_of(source, submitted(WRONG, ERROR, repo="bob"))
    assert problem.cell.role == "instructor"
    assert problem.code == "return x + x"
    assert problem.boilerplate_code == "def double(x):\n    # YOUR CODE HERE"


def test_an_instructors_answer_that_failed_is_not_right():
    assert problems_of(submitted("### BEGIN SOLUTION\nx = 1", ERROR))[0] == []


def test_hidden_tests_come_out_when_only_a_classmate_has_them():
    ((problem,), _) = problems_of(
        submitted(RIGHT), submitted(WRONG, ERROR, test=HIDDEN, repo="bob")
    )
    assert problem.cell.source == RIGHT
    assert problem.cell.tests == (HIDDEN,)


def test_a_submission_without_one_of_the_tests_is_not_right():
    more = graded("assert double(0) == 0")
    short = submitted(RIGHT)
    whole = [course(markdown(PROMPT), solution(STUB), graded(), more, repo="r")]
    for cell in [*short.cells, *whole[0].cells]:
        cell.metadata.setdefault("nbgrader", {})["grade_id"] = "double"
    assert problems_of(short, *whole) == ([], {"tests_edited": 1})


def test_tests_that_two_repositories_share_are_not_edited():
    others = [submitted(RIGHT, repo=f"r{n}", grade_id="t") for n in range(2)]
    mine = submitted("def double(x):\n    return x + x", test="assert double", grade_id="t")
    ((problem,), _) = problems_of(*others, mine)
    assert problem.correct == 1  # the two copies are one submission


def test_a_checksum_vouches_for_the_tests_of_a_single_repository():
    ids = {
        "grade_id": "t",
        "points": 1,
        "locked": True,
        "checksum": checksum(TEST, "t", grade=True),
    }
    edited = [submitted(RIGHT, test="assert double", repo="ada", **ids)]
    edited.append(course(markdown(PROMPT), solution(), graded("assert double", **ids), path="b"))
    vetted = submitted(WRONG, ERROR, repo="bob", **ids)
    assert problems_of(*edited, vetted) == ([], {"tests_edited": 1})


def test_the_seed_draws_and_the_order_does_not():
    notebooks = [submitted(f"{RIGHT} + {n} * 0", repo=f"r{n}") for n in range(9)]
    drawn = {seed: problems_of(*notebooks, seed=seed)[0][0].cell.repo for seed in range(9)}
    assert len(set(drawn.values())) > 3
    backwards = {seed: problems_of(*notebooks[::-1], seed=seed)[0][0].cell.repo for seed in drawn}
    assert backwards == drawn


def test_an_answer_with_the_usual_prompt_whose_tests_ran_last_is_preferred():
    notebooks = [submitted(WRONG, ERROR, repo=f"r{n}") for n in range(3)]
    stale = course(markdown(PROMPT), solution(count=9), graded(count=8), repo="stale")
    edited = submitted(RIGHT, prompt=f"{PROMPT} (easy)", repo="edited")
    for seed in range(5):
        ((problem,), _) = problems_of(*notebooks, stale, edited, submitted(RIGHT), seed=seed)
        assert problem.cell.repo == "ada"


def test_an_answer_that_is_python_is_preferred():
    notebooks = [submitted("print 'python 2'", repo=f"r{n}") for n in range(5)]
    ((problem,), _) = problems_of(*notebooks, submitted(RIGHT, repo="z"))
    assert problem.cell.repo == "z"


COURSE = "intro-python-course"


def right_sources(corpus):
    """For each exercise, the sources that come out as right."""
    folders = [corpus / COURSE, *sorted(corpus.glob("student-*"))]
    groups = groupby(
        grouped(*(raw.read() for raw in find_notebooks(folders))), lambda cell: cell.problem_key
    )
    found = {}
    for _, group in groups:
        cells = list(group)
        (grade_id,) = {cell.grade_id for cell in cells}
        assert grade_id not in found
        found[grade_id] = {cell.source for cell in right_answers(cells)}
    return found


def verdicts_of_the_autograder(corpus):
    """For each exercise, the instructor's source and those whose test nbgrader saw pass."""
    right = {}
    for path in sorted((corpus / COURSE).rglob("*.ipynb")):
        graders = {}
        for cell in reversed(json.loads(path.read_bytes())["cells"]):
            ids = cell["metadata"].get("nbgrader", {})
            if cell["cell_type"] == "code" and ids.get("locked"):
                graders[ids["grade_id"]] = cell
            elif cell["cell_type"] == "code" and ids.get("solution") and not ids["grade"]:
                outputs = graders[f"test_{ids['grade_id']}"]["outputs"]
                passed = "autograded" in path.parts and not any("ename" in o for o in outputs)
                sources = right.setdefault(ids["grade_id"], set())
                if passed or "source" in path.parts:
                    sources.add("".join(cell["source"]))
    return right


def test_exactly_the_right_solutions_of_the_embedded_course_come_out():
    found = right_sources(EXAMPLES / "notebooks")
    assert found == verdicts_of_the_autograder(EXAMPLES / "notebooks")
    assert len(found) == 10


@pytest.mark.slow
def test_exactly_the_right_solutions_of_a_course_made_now_come_out(tmp_path):
    # A module of it: this folder of tests passes for an empty package of the same name.
    pytest.importorskip("nbgrader.apps", reason="needs the extra [course]")
    script = EXAMPLES / "make_course.py"
    subprocess.run([sys.executable, script, "--out", tmp_path], check=True, capture_output=True)
    assert right_sources(tmp_path) == verdicts_of_the_autograder(tmp_path)
