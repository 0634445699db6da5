"""Names that an answer lacks, and cells that it was spread over."""

import pytest
from nbgrader_cells import (
    PROMPT,
    RIGHT,
    TEST,
    code,
    course,
    graded,
    markdown,
    problems_of,
    solution,
)

from nl2code.corpus.nbgrader.surroundings import NamesAbove
from nl2code.records import Cell


def lacks(answer, *above):
    names = NamesAbove()
    names.read(Cell("code", source) for source in above)
    return names.lack(answer)


@pytest.mark.parametrize(
    ("answer", "above"),
    [
        ("y = np.sin(x)", ["import numpy as np\nx = 1"]),
        ("y = f(2)", ["def f(a): return a"]),
        ("display(Out[1], _, __, _2)", []),
        ("def double(x):\n    k = 2\n    return k * x\nprint(double(1))", []),
        ("y = sin(x)", ["x = 1", "from numpy import *"]),
        ("y = sin(x)", ["x = 1", "%pylab inline"]),
        ("print range(len(xrange(3)))", []),
        ("n = raw_input()", []),
    ],
)
def test_names_that_an_answer_may_use(answer, above):
    assert not lacks(answer, *above)


@pytest.mark.parametrize(
    ("answer", "above"),
    [
        ("return clf.best_score_", ["import sklearn"]),
        ("def f(a):\n    return a\nf(Z)", ["%matplotlib inline"]),
    ],
)
def test_a_name_that_stands_nowhere_above_is_lacking(answer, above):
    assert lacks(answer, *above)


def test_words_of_markdown_define_nothing():
    names = NamesAbove()
    names.read([Cell("markdown", "Let Z be one.")])
    assert names.lack("Z + 1")


STALE = "def double(x):\n    return factor * x"


def handed_in(answer=RIGHT, *between, repo="ada"):
    return course(markdown(PROMPT), solution(answer), *between, graded(), repo=repo)


def test_an_answer_with_an_undefined_name_cannot_have_passed():
    assert problems_of(handed_in(STALE)) == ([], {"undefined_name": 1})
    ((problem,), drops) = problems_of(handed_in(STALE), handed_in(RIGHT, repo="bob"))
    assert (problem.cell.repo, problem.correct, drops) == ("bob", 1, {})


def test_the_names_of_every_cell_above_count():
    above = [markdown(PROMPT), solution("factor = 2", count=1), markdown("Now `double`, please.")]
    notebook = course(*above, solution(STALE, count=2), graded(TEST, count=3))
    assert len(problems_of(notebook)[0]) == 1


def test_an_answer_spread_over_cells_of_one_s_own_is_taken_last():
    spread = handed_in(RIGHT, code("helper = 1"), repo="ada")
    for seed in range(4):
        ((problem,), _) = problems_of(spread, handed_in(RIGHT, repo="bob"), seed=seed)
        assert problem.cell.repo == "bob"
    ((problem,), _) = problems_of(spread)
    assert problem.cell.repo == "ada"


def test_cells_of_the_course_and_below_the_tests_are_not_one_s_own():
    def cell(*below):
        given = code("data = [1]", locked=True, solution=False, grade=False)
        cells = [markdown(PROMPT), given, code(" "), solution(), graded(), *below]
        ((problem,), _) = problems_of(course(*cells))
        return problem.cell

    assert cell().cells_added == cell(code("mine = 1")).cells_added == 0
