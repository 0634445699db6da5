"""What a cell gives before and after the place of its answer."""

import pytest

from nl2code.given_code import Given, given_code
from nl2code.python_code import NotPython, restore
from nl2code.python_code.layouts import parses

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
        "x = '''\n# YOUR CODE HERE\n'''",
        "__answer__ = 1\n# YOUR CODE HERE",
        "__answer__ = 1\ndef f():\n    pass",
        "def f():\n    pass\ndef g():\n    pass",  # which of them?
        "def f():\n    x = 1\n    return",
        "def f():\n    return 0",
        "class A:\n    pass",
        "x =\ndef f():\n    pass",
    ],
)
def test_where_no_place_is_known_nothing_is_given(text: str | None) -> None:
    assert given_code(text) == Given()


HEAD = "def f ( x ) : NEWLINE INDENT"


@pytest.mark.parametrize(
    "body",
    ["pass", "...", "return", "return None", "raise NotImplementedError('f')", "pass; return"],
)
def test_an_answer_stands_for_what_says_nothing_in_an_empty_function(body: str) -> None:
    for source in (f"def f(x):\n  # TODO\n  {body}", f"def f(x): {body}"):
        assert given_code(source) == Given(tuple(HEAD.split()), (), "f")


@pytest.mark.parametrize("scheme", ["juice", "lossless"])
@pytest.mark.parametrize("body", ["", "\n    pass", "\n    # YOUR CODE HERE\n    return None\n"])
def test_the_docstring_of_an_empty_function_stays(body: str, scheme: str) -> None:
    docs = "'jupyter_string'" if scheme == "juice" else '"""One,␤␠␠␠␠two."""'
    given = given_code(f'def f(x):\n    """One,\n    two."""{body}', scheme)
    assert given == Given((*HEAD.split(), docs, "NEWLINE"), (), "f")


def test_the_docstring_may_stand_on_the_line_of_the_head() -> None:
    wanted = Given((*HEAD.split(), "'jupyter_string'", "NEWLINE"), (), "f")
    assert given_code("def f(x): 'é'") == given_code("def f(x): 'é'; pass") == wanted
    assert given_code("def f(é): pass").before == ("def", "f", "(", "é", *HEAD.split()[4:])


def test_the_empty_function_may_stand_anywhere() -> None:
    given = given_code("x = 1\nclass A:\n    def f(x):\n        return\ny = f(1)")
    blank = "NEWLINE NEWLINE NEWLINE"  # the normal form has lines between definitions
    assert " ".join(given.before) == f"x = 1 {blank} class A : NEWLINE NEWLINE INDENT {HEAD}"
    assert " ".join(given.after) == f"{blank} y = f ( 1 )"
    assert given.function == "f"


def test_a_placeholder_elsewhere_leaves_an_empty_function_alone() -> None:
    given = given_code("# YOUR CODE HERE\ndef f(x):\n    pass")
    assert given.before == ()
    assert " ".join(given.after).endswith(f"{HEAD} pass")


def test_a_placeholder_that_is_in_no_code_does_not_hide_the_empty_function() -> None:
    stub = "def f():\n    '''\n    # YOUR CODE HERE\n    '''\n    pass"
    assert "# YOUR CODE HERE".replace(" ", "␠") in given_code(stub, "lossless").before[-2]
    several_lines = "def f(x):\n    raise NotImplementedError(\n        'f'\n    )"
    assert given_code(several_lines) == Given(tuple(HEAD.split()), (), "f")


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


def test_an_answer_ends_where_it_leaves_the_block_that_is_given() -> None:
    given = given_code("def f(x):\n    pass\n\nf(1)", "lossless")
    left = given.without_after(
        "if x : NEWLINE INDENT y NEWLINE DEDENT return y NEWLINE DEDENT g ( )"
    )
    assert restore(left.split()).strip() == "if x :\n    y\nreturn y"
    assert Given().without_after("x NEWLINE DEDENT y") == "x NEWLINE DEDENT y"


DEEPER = ": NEWLINE INDENT"


@pytest.mark.parametrize(
    ("retrieved", "inside"),
    [
        ("def g(x):\n    'It.'\n    x = 2\n    return x", "x = 2"),
        ("def g(x):\n    return x", "return x"),
        ("def g(x):\n    'It.'", "'jupyter_string'"),
        ("def g(x):\n    return x\n    x = 1", "return x NEWLINE x = 1"),
        (
            "def g(x):\n    y = 2\n    if x:\n        return x",
            f"y = 2 NEWLINE if x {DEEPER} return x",
        ),
        ("x = 1\nreturn x", "x = 1 NEWLINE return x"),
        ("import a\ndef g(x):\n    y = 2\n    return x\nprint(g(1))", "y = 2"),
        ("def g():\n    x = 1\ndef h():\n    def i():\n        x = 2", f"def i ( ) {DEEPER} x = 2"),
        ("class A:\n    def area(r):\n        x = 1\n\ndef h():\n    x = 2", "x = 1"),
        ("class A:\n    x = 1", f"class A {DEEPER} x = 1"),
        ("@cached\nasync def g(x):\n    y = await x", "y = await x"),
    ],
)
def test_of_a_retrieved_function_stays_what_stands_in_it(retrieved: str, inside: str) -> None:
    found = given_code(STUB).inside(retrieved)
    assert " ".join(found) == inside
    assert parses(found)


def test_without_a_given_function_the_whole_cell_stays() -> None:
    whole = "def f ( ) : NEWLINE INDENT return 1"
    for stub in (
        None,
        "x = 1\n# YOUR CODE HERE",
        "def f():\n    for x in y:\n        # YOUR CODE HERE",
    ):
        assert " ".join(given_code(stub).inside("def f():\n    return 1")) == whole


def test_a_retrieved_cell_that_is_no_python_is_said() -> None:
    with pytest.raises(NotPython):
        given_code(STUB).inside("def f(:")


ANSWERS = ("return x", "if x:\n    y = 1\nelse:\n    y = 2\nreturn y", "def g():\n    return\ng()")


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize(
    "stub",
    [
        "def f(x):\n    pass",
        "def f(x): 'It.'",
        "def f(x):\n    'It.'\n    return\nprint(f(1))",
        "class A:\n    def f(x):\n        ...\n    def g(x):\n        return 1",
    ],
)
def test_a_cell_that_is_filled_in_parses(stub: str, answer: str) -> None:
    given = given_code(stub)
    assert parses([*given.before, *Given().inside(answer), *given.after])
