import pytest

from nl2code.corpus.given_names import from_outside
from nl2code.python_code import names_used

BANDWIDTH = 'def get_bandwidth(df, column=0):\n    """Silverman\'s."""\n    # YOUR CODE HERE\n'
STUB = "def f(x, *y, z=1, **k):\n    # YOUR CODE HERE\n"
METHOD = "class A:\n    n = 1\n    def f(self, x):\n        # YOUR CODE HERE\n        pass"
INNER = "def f(x):\n    def g(y):\n        # YOUR CODE HERE\n        return z\n    return g"


def outside(code, given):
    return " ".join(sorted(from_outside(names_used(code), code, given)))


@pytest.mark.parametrize(
    ("given", "code", "expected"),
    [
        (BANDWIDTH, "data = df[column]\nreturn scale * data", "scale"),
        (STUB, "return x, y, z, k, other", "other"),
        ("def f(x): pass", "return x + a", "a"),
        ("async def f(x):\n    # YOUR CODE HERE\n    return y", "y = await x(a)", "a"),
        ("def f():\n    n = 1\n    # YOUR CODE HERE\n    m = 2", "return n, m, a", "a"),
        ("def f():\n    for i in a:\n        # YOUR CODE HERE\n        pass", "g(i)", "g"),
        ("def f():\n    global n\n    # YOUR CODE HERE\n    n = 2", "n += a", "a n"),
        (STUB, "if a:\n    b = 1\nelse:\n    c(b)", "a c"),  # its own wherever it is bound
        (STUB, "def g(): return x, a\nreturn g()", "a"),
        (METHOD, "self.x = n * x", "n"),  # a method does not see what its class binds
        (INNER, "z = x + y + a", "a"),
        (
            "def f(x):\n    print x\n    # YOUR CODE HERE\n    return y",
            "y = x + a",
            "a",
        ),  # Python 2
    ],
)
def test_what_the_given_function_binds_is_its_own(given, code, expected):
    assert outside(code, given) == expected


@pytest.mark.parametrize(
    ("given", "code", "expected"),
    [
        (None, "a + b", "a b"),
        ("", "a + b", "a b"),
        ("a = 1\n# YOUR CODE HERE", "a + b", "a b"),
        (STUB, "f(x - 1)", "f"),
        ("def f(x):\n    return x\n# YOUR CODE HERE", "x + f(a)", "a f x"),
        ("def f(x):\n    return x\ndef g(y):\n    # YOUR CODE HERE\n    pass", "x + y", "x"),
        ("for x in y:", "x + a", "a x"),
    ],
)
def test_what_given_code_defines_outside_of_the_function_is_from_above(given, code, expected):
    assert outside(code, given) == expected


def test_an_answer_to_a_lone_function_goes_into_it_unless_it_calls_it():
    given = "import os\ndef f(xs):\n    n = None\n    return n"
    assert outside("n = len(xs) + a", given) == "a len"
    assert outside("f(xs) + a", given) == "a f xs"
    assert outside("n = len(xs)", f"{given}\ndef g(): return 1") == "len xs"
    assert outside("n = len(xs)", f"{given}\nn = 2") == "len xs"


def test_a_target_that_is_the_whole_cell_stands_in_no_function():
    assert outside("def f(x): return x\ny = f(x)", STUB) == "x"
