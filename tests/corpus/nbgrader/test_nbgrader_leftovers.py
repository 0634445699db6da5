import pytest
from nbgrader_cells import (
    PROMPT,
    RIGHT,
    STUB,
    checksum,
    course,
    graded,
    markdown,
    problems_of,
    solution,
    submitted,
)

from nl2code.corpus.nbgrader.boilerplate import split_given
from nl2code.corpus.nbgrader.leftovers import leftovers, without_remarks

MARK = "# YOUR CODE HERE"
RAISE = "raise NotImplementedError()"
HEAD = 'def area(r):\n    """Area of a disc."""'


@pytest.mark.parametrize("left", [RAISE, f"# {RAISE}", "raise NotImplementedError"])
@pytest.mark.parametrize(
    ("source", "code", "given"),
    [
        ("def f(x):\n    return x\n    {}", "def f(x):\n    return x", ""),
        ("def f(x):\n    y = x\n    {}\n    return y", "def f(x):\n    y = x\n    return y", ""),
        (f"def f(x):\n    {MARK}\n    return x\n    {{}}", "return x", f"def f(x):\n    {MARK}"),
        (f"{MARK}\nfor i in x:\n    y = i\n    {{}}", "for i in x:\n    y = i", MARK),
        ("x = 1\n{}", "x = 1", ""),
        ("x = 1\n{}\ny = x", "x = 1\ny = x", ""),
    ],
)
def test_a_raise_left_below_an_answer_is_neither_answer_nor_given(source, code, given, left):
    assert split_given(source.format(left), [], []) == (code, given)


def test_a_raise_below_a_signature_alone_still_marks_the_place():
    source = f"import re\n\ndef f(x):\n    {RAISE}\n\ndef f(x):\n    return re.sub(*x)"
    code, given = split_given(source, [], [])
    assert (code, given.split("\n")[-2:]) == (
        "def f(x):\n    return re.sub(*x)",
        ["def f(x):", f"    {RAISE}"],
    )


def test_a_mark_below_an_answer_leaves_nothing_given():
    source = f"def f(x):\n    return x\n    {MARK}"
    assert split_given(source, [], []) == ("def f(x):\n    return x", "")


@pytest.mark.parametrize(
    "answer",
    [
        "if x:\n    y = x\nelse:\n    raise NotImplementedError",
        "if x:\n    y = x\nelse:\n    raise NotImplementedError()",
        "try:\n    y = f(x)\nexcept KeyError:\n    raise NotImplementedError('keys')",
        "if x:\n    return 1\nraise NotImplementedError(f'no {x}')",
    ],
)
def test_an_answer_keeps_the_errors_that_it_raises_itself(answer):
    body = answer.replace("\n", "\n    ")
    release = f"def f(x):\n    {MARK}\n    {RAISE}"
    assert split_given(f"def f(x):\n    {MARK}\n    {body}", [release], []) == (answer, release)
    assert leftovers(answer) == set()


SIGNATURE = "def area(r):"


def test_what_one_student_writes_behind_the_mark_is_not_given():
    source = f"{SIGNATURE}\n    {MARK}   (Late Assignment)\n    return 3 * r"
    others = [f"{SIGNATURE}\n    {MARK}\n    return {n} * r" for n in range(2)]
    expected = ("return 3 * r", f"{SIGNATURE}\n    {MARK}")
    unanswered = f"{SIGNATURE}\n    {MARK} - late, sorry!"
    assert split_given(source, [], []) == expected
    assert split_given(source, [], others) == expected
    assert split_given(source, [unanswered], others) == expected


def test_what_the_instructor_writes_behind_the_mark_is_given():
    release = f"{SIGNATURE}\n    {MARK} (about two lines)"
    assert split_given(f"{SIGNATURE}\n    return 3 * r", [release], [])[1] == release
    source = f"{release}\n    return 3 * r"
    others = [f"{release}\n    return {n} * r" for n in range(3)]
    others.append(f"{SIGNATURE}\n    return r")
    assert split_given(source, [], others) == ("return 3 * r", release)


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("# your answer below: late", "# your answer below"),
        ("    ## Put your code here [LATE]", "    ## Put your code here"),
        ("# YOUR CODE HERE!! late", "# YOUR CODE HERE"),
        ("### YOUR CODE HERE ###", "### YOUR CODE HERE ###"),
        ("# --- YOUR CODE HERE ---", "# --- YOUR CODE HERE ---"),
        ("# here is how your code here works", "# here is how your code here works"),
        ("x = 1  # your code here, late", "x = 1  # your code here, late"),
    ],
)
def test_a_mark_without_its_remark(line, mark):
    assert without_remarks(line, []) == mark


@pytest.mark.parametrize(
    "mark", ["# --- YOUR CODE HERE ---", "# (late) your code here", "#### Start your own code here"]
)
def test_decorated_marks_are_no_part_of_an_answer(mark):
    assert split_given(f"def f(x):\n    {mark}\n    return x", [], [])[0] == "return x"


IDLE = [
    "def double(x):\n    pass",
    "def double(x):\n    ...",
    'def double(x):\n    """Twice."""\n    return None',
    "import numpy as np\n\ndef double(x):\n    return",
    "# mine\n",
]


@pytest.mark.parametrize("idle", IDLE)
def test_an_answer_that_does_nothing_is_none_although_its_tests_passed(idle):
    assert problems_of(submitted(idle)) == ([], {"no_answer_left": 1})
    assert problems_of(release(STUB), submitted(idle)) == ([], {"no_answer_left": 1})
    for seed in range(4):
        ((problem,), drops) = problems_of(submitted(idle), submitted(RIGHT, repo="bob"), seed=seed)
        assert (problem.cell.repo, problem.correct, drops) == ("bob", 1, {})


def release(stub):
    ids = {"grade_id": "double", "checksum": checksum(stub, "double", grade=False)}
    cells = [markdown(PROMPT), solution(stub, count=None, **ids), graded(count=None)]
    return course(*cells, repo="course")


@pytest.mark.parametrize(
    "answer",
    [
        "unit = 2\ndef double(x):\n    pass\nprint(unit)",
        "unit = 2\nprint( unit )  # mine",
        "unit = 2",
    ],
)
def test_the_release_once_more_is_no_answer(answer):
    given = f"unit = 2\ndef double(x):\n    {MARK}\n    {RAISE}\nprint(unit)"
    assert problems_of(release(given), submitted(answer)) == ([], {"no_answer_left": 1})
    more = answer.replace("unit = 2", "unit = 3")
    assert problems_of(release(given), submitted(more))[1] == {}


def test_an_instructors_answer_that_does_nothing_is_none():
    source = "def double(x):\n    ### BEGIN SOLUTION\n    pass\n    ### END SOLUTION"
    assert problems_of(submitted(source)) == ([], {"no_answer_left": 1})


def test_imports_above_a_given_function_are_the_answers_and_the_function_is_not():
    release = f"{HEAD}\n    {MARK}"
    source = "# for pi\nimport math\nfrom math import (\n    tau,\n)\n\n"
    code = "\n".join(line for line in source.split("\n") if line)
    source += f"{HEAD}\n    return math.pi * r"
    expected = f"{code}\nreturn math.pi * r"
    assert split_given(source, [release], []) == (expected, release)
    others = [f"{HEAD}\n    a = {n}\n    return a" for n in range(3)]
    assert split_given(source, [], others) == (expected, HEAD)


@pytest.mark.parametrize("line", ["from math import *", "from __future__ import division"])
def test_imports_that_no_function_can_hold_leave_the_whole_cell(line):
    source = f"{line}\ndef area(r):\n    return 3 * r"
    release = f"def area(r):\n    {MARK}\n    {RAISE}"
    assert split_given(source, [release], []) == (source, release)


def test_imports_that_were_given_are_no_answer():
    release = f"import math\n\n{HEAD}\n    {MARK}"
    source = f"import math\n\n{HEAD}\n    return math.pi * r"
    assert split_given(source, [release], []) == ("return math.pi * r", release)
    marked = f"import math\n\n{HEAD}\n    {MARK}\n    return math.pi * r"
    assert split_given(marked, [], []) == ("return math.pi * r", release)
    more = source.replace("\n", "\nimport re\n", 1)
    assert split_given(more, [release], []) == ("import re\nreturn math.pi * r", release)


def test_imports_that_share_a_line_with_the_release_are_not_cut():
    below = "print(\n    area(1)\n)"
    release = f"{HEAD}\n    {MARK}\n\n{below}"
    above = f"from math import (\n    tau,\n)\n\n{HEAD}\n    return tau * r"
    assert split_given(f"{above}\n\n{below}", [release], []) == (above, release)
