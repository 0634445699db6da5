import pytest
from nbgrader_cells import STUB

from nl2code.corpus.nbgrader.boilerplate import split_given, split_marked
from nl2code.corpus.nbgrader.placeholders import is_unanswered

HEAD = 'def area(r):\n    """Area of a disc."""'


BEGIN, END, HERE = "### BEGIN SOLUTION", "### END SOLUTION", "# YOUR CODE HERE"


@pytest.mark.parametrize(
    ("lines", "code", "around"),
    [
        ([BEGIN, "x = 1", END, "y = 2"], "x = 1", [HERE, "y = 2"]),
        (["y = 0", BEGIN, "x = 1", "z = 2"], "x = 1\nz = 2", ["y = 0", HERE]),
        (
            [BEGIN, "a = 1", BEGIN, "b = 2", END, "c = 3", END, "d = 4"],
            "a = 1\nb = 2\nc = 3",
            [HERE, "d = 4"],
        ),
        (
            [BEGIN, "a = 1", END, "b = 2", BEGIN, "c = 3", END],
            "a = 1\nc = 3",
            [HERE, "b = 2", HERE],
        ),
        (["x = 1", END], "x = 1", ["x = 1"]),
    ],
)
def test_marked_solutions(lines, code, around):
    assert split_marked("\n".join(lines)) == (code, "\n".join(around))


def test_marks_around_half_a_statement_leave_the_whole_cell():
    source = "for i in a:\n### BEGIN SOLUTION\n    print(i)\nelse:\n    pass\n### END SOLUTION"
    assert split_marked(source)[0] == "for i in a:\n    print(i)\nelse:\n    pass"


def test_what_the_release_has_was_given():
    release = f"{HEAD}\n    # YOUR CODE HERE\n    return result"
    source = f"{HEAD}\n    # YOUR CODE HERE\n    result = 3.14 * r ** 2\n    return result"
    assert split_given(source, [release], []) == ("result = 3.14 * r ** 2", release)


def test_the_release_of_the_right_year_is_taken():
    old, new = f"{HEAD}\n    # YOUR CODE HERE", f"{HEAD}\n    k = 3\n    # YOUR CODE HERE"
    assert split_given(f"{HEAD}\n    k = 3\n    return k * r", [old, new], []) == (
        "return k * r",
        new,
    )


def test_given_lines_within_the_answer_stay_where_it_needs_them():
    release = "for i in x:\n    # YOUR CODE HERE\n    print(i)"
    source = "for i in x:\n    if i:\n        i = 0\n    else:\n        i = 1\n    print(i)"
    code, boilerplate = split_given(source, [release], [])
    assert code == "if i:\n    i = 0\nelse:\n    i = 1"
    assert boilerplate == release


def test_an_answer_that_would_not_parse_alone_is_the_whole_cell():
    release = "def f(x):\n    if x:\n        # YOUR CODE HERE\n    return 1"
    source = "def f(x):\n    if x:\n        y = 1\n    else:\n        y = 2\n    return 1"
    assert split_given(source, [release], []) == (source, release)


def test_a_signature_was_given_although_the_docstring_was_edited():
    release = 'def f(x):\n    """Twice.\n\n    Of x.\n    """\n    # YOUR CODE HERE'
    source = 'def f(x):\n    """Twice.\n    Mine.\n    """\n    return 2 * x'
    assert split_given(source, [release], []) == ("return 2 * x", release)


@pytest.mark.parametrize("left", ["# YOUR CODE HERE", "raise NotImplementedError()"])
def test_placeholders_left_beside_an_answer_are_no_answer(left):
    assert split_given(f"{left}\nx = 1", [], []) == ("x = 1", left)
    assert split_given(f"x = 1\n{left}", [f"x = 2\n{left}"], [])[0] == "x = 1"


def test_without_a_release_what_stands_above_the_placeholder_was_given():
    source = f"{HEAD}\n    # YOUR CODE HERE\n    return 3 * r"
    assert split_given(source, [], []) == ("return 3 * r", f"{HEAD}\n    # YOUR CODE HERE")


def test_without_a_release_a_docstring_that_most_answers_share_was_given():
    others = [f"{HEAD}\n    a = {n}\n    return a" for n in range(3)] + ["area = abs"]
    code, boilerplate = split_given(f"{HEAD}\n    a = 3 * r\n    return a", [], others)
    assert code == "a = 3 * r"
    assert boilerplate == f"{HEAD}\n    return a"


def test_answers_that_happen_to_begin_alike_were_not_given():
    others = ["x = load()\ny = x + 1", "x = load()\ny = 1 + x"]
    assert split_given("x = load()\ny = x - -1", [], others) == ("x = load()\ny = x - -1", "")


def test_python_2_keeps_its_whole_cell():
    assert split_given("# YOUR CODE HERE\nprint x", [], [])[0] == "print x"


@pytest.mark.parametrize(
    ("source", "unanswered"),
    [
        (STUB, True),
        ("# raise NotImplementedError()", True),
        ("  \n", True),
        ("x =  # broken", False),
        ("# YOUR CODE HERE\nprint x", False),
    ],
)
def test_unanswered_cells(source, unanswered):
    assert is_unanswered(source) is unanswered
