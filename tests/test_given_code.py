"""What a cell gives before and after the place of its answer."""

import pytest

from nl2code.given_code import Given, given_code

STUB = """def area(r):
    '''The area.'''
    # YOUR CODE HERE
    raise NotImplementedError()
    return a"""


def test_an_answer_stands_between_the_head_and_the_end_of_its_function() -> None:
    given = given_code(STUB)
    head = "def area ( r ) : NEWLINE INDENT 'jupyter_string' NEWLINE"
    assert " ".join(given.before) == head
    assert given.after == ("NEWLINE", "return", "a")


def test_the_scheme_is_that_of_the_model() -> None:
    assert "'''The␠area.'''" in given_code(STUB, "lossless").before


def test_an_answer_may_stand_at_the_start_or_at_the_end() -> None:
    assert given_code("# YOUR CODE HERE\nf(x)") == Given((), ("NEWLINE", "f", "(", "x", ")"))
    assert given_code("x = 1\n# YOUR CODE HERE") == Given(("x", "=", "1", "NEWLINE"), ())


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "x = 1",
        "x =\n# YOUR CODE HERE",
        "%%bash\n# YOUR CODE HERE",
        "def f():\n    '''\n    # YOUR CODE HERE\n    '''\n    pass",
        "__answer__ = 1\n# YOUR CODE HERE",
    ],
)
def test_where_no_place_is_known_nothing_is_given(text: str | None) -> None:
    assert given_code(text) == Given()


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("a = 3 * r NEWLINE return a", "a = 3 * r"),
        ("return a", ""),
        ("a = r", "a = r"),
        ("a = return a", "a = return a"),  # not a line of its own
        ("return a NEWLINE a = 1", "return a NEWLINE a = 1"),
    ],
)
def test_what_is_given_below_is_taken_off_the_end_only(answer: str, left: str) -> None:
    assert given_code(STUB).without_after(answer) == left


@pytest.mark.parametrize(
    ("retrieved", "inside"),
    [
        ("def g ( x ) : NEWLINE INDENT 'jupyter_string' NEWLINE x = 2 NEWLINE return x", "x = 2"),
        ("def g ( x ) : NEWLINE INDENT return x", "return x"),
        ("def g ( x ) : NEWLINE INDENT return x NEWLINE x = 1", "return x NEWLINE x = 1"),
        ("x = 1 NEWLINE return x", "x = 1 NEWLINE return x"),
    ],
)
def test_of_a_retrieved_function_stays_what_stands_in_it(retrieved: str, inside: str) -> None:
    assert " ".join(given_code(STUB).inside(retrieved.split())) == inside
    assert Given().inside(retrieved.split()) == retrieved.split()
    assert given_code("x = 1\n# YOUR CODE HERE").inside(["def"]) == ["def"]
