"""What was given on top of an answer, where no release says so."""

import pytest

from nl2code.corpus.nbgrader.boilerplate import mixes_given, split_given
from nl2code.corpus.nbgrader.heads import body_alone, in_several_functions, rebuilt_release

HEAD = 'def area(r):\n    """Area of a disc."""'
KEPT = [f"{HEAD}\n    a = {number}\n    return a" for number in range(3)]
BARE = "def area(r):\n    return 3.14 * r * r"


def test_those_who_deleted_the_docstring_say_nothing_against_it():
    assert rebuilt_release(f"{HEAD}\n    return 3 * r", [*KEPT, BARE, BARE, BARE]) == HEAD
    assert split_given(BARE, [], KEPT) == ("return 3.14 * r * r", HEAD)


def test_a_docstring_that_answers_do_not_share_was_not_given():
    others = [f'def area(r):\n    """Version {number}."""\n    return 3' for number in range(4)]
    assert rebuilt_release(BARE, others) is None
    assert split_given(BARE, [], others) == (BARE, "")


def test_a_signature_of_another_name_was_not_given():
    assert rebuilt_release("def surface(r):\n    return 3", KEPT) is None


def test_calls_that_try_the_function_are_no_answer():
    tried = f"{HEAD}\n    if r:\n        return r\n    return 0\n\nprint(area(2))\narea(3)"
    assert split_given(tried, [], KEPT) == ("if r:\n    return r\nreturn 0", HEAD)


@pytest.mark.parametrize(
    ("below", "answer"),
    [("", None), ("\nf(1)", {1, 2}), ("\nx = f(1)", None), ("\nf(1)\ndef g(): pass", None)],
)
def test_only_calls_stand_below_a_body_that_is_taken_alone(below, answer):
    assert body_alone(f"def f(x):\n    y = 1\n    return y{below}") == answer


def test_an_answer_in_two_given_functions_is_the_whole_cell():
    release = "def f():\n    # YOUR CODE HERE\ndef g():\n    # YOUR CODE HERE"
    source = "def f():\n    return 1\ndef g():\n    return 2"
    assert split_given(source, [release], []) == (source, release)


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("def f():\n    x = 1\n    def g():\n        y = 2", {1, 3}),  # one lies in the other
        ("def f():\n    x = 1\ndef g():\n    y = 2", {1, 2, 3}),  # with its `def`, it is all there
        ("x = 1\ndef g():\n    y = 2", {0, 2}),
        ("print x", {0}),
    ],
)
def test_pieces_that_belong_to_one_function_at_most(source, numbers):
    assert not in_several_functions(source, numbers)


def test_a_comment_to_the_left_of_the_code_is_no_margin():
    source = f"# Mine\n{HEAD}\n    k = 3\n    # twice\n    return k * r"
    assert split_given(source, [HEAD], []) == ("# Mine\nk = 3\n# twice\nreturn k * r", HEAD)


def test_below_an_edited_docstring_what_was_given_is_still_given():
    release = f"{HEAD}\n    # YOUR CODE HERE\n    return result"
    source = 'def area(r):\n    """Area of my disc."""\n    result = 3 * r\n    return result'
    assert split_given(source, [release], []) == ("result = 3 * r", release)


def test_blank_lines_are_not_what_an_answer_and_its_release_have_in_common():
    release = f"{HEAD}\n    # YOUR CODE HERE\n\n    return x"
    source = f"{HEAD}\n    x = 3 * r\n    return x\n"
    assert split_given(source, [release], []) == ("x = 3 * r", release)


def test_a_blank_line_goes_with_the_given_line_above_it():
    source = "import os\n\nx = 1\nimport sys\n\ny = 2\n\nz = 3"
    assert split_given(source, ["import os\nimport sys"], [])[0] == "x = 1\ny = 2\n\nz = 3"


def test_given_lines_are_found_whatever_their_blanks():
    assert split_given("x=load( )\ny = x + 1", ["x = load()"], [])[0] == "y = x + 1"


def test_an_answer_that_repeats_what_was_given_is_mixed_with_it():
    given = "for i in x:\n    total += i\nelse:\n    plt.show()"
    assert mixes_given("for i in x:\n    i *= 2\n    total += i", given)
    assert not mixes_given("y = 1\nplt.show()", given)
    assert not mixes_given("if y:\n    z = 1\nelse:\n    plt.show()", given)
