"""API sequences, comments, imports, and why a cell is no target."""

from __future__ import annotations

import pytest

from nl2code.python_code import analyse, api_sequence, comments, imports, why_not_a_target


@pytest.mark.parametrize(
    ("code", "calls"),
    [
        ("print(len(x))", "NO_API_SEQUENCE"),
        ("np.sum(x); sum(x)", "sum"),
        ("DecisionTreeClassifier().fit(x)(y)", "DecisionTreeClassifier fit"),
        ("def f(x): return g(x)", "g"),
        ("reduce(f, x); m.reduce(f, x)", "reduce"),
        ("if (x): return (y)", "NO_API_SEQUENCE"),
        ("f'{g(x)}'; 'h()'", "NO_API_SEQUENCE"),
        ("aiter(x), anext(y)", "aiter anext"),  # builtins since Python 3.10, not in 3.6
        ("import os", ""),
        ("from os import path", "NO_API_SEQUENCE"),
        ("x \\\n.fit \\\n(y)", "fit"),
    ],
)
def test_api_sequence_is_the_calls_in_order(code: str, calls: str) -> None:
    assert api_sequence(code) == calls.split()


def test_comments_hold_strings_that_begin_a_block() -> None:
    code = '# One\ndef f():  # two\n    """Three."""\n    x = """four"""'
    assert " ".join(comments(code)) == (
        "# One COMMENTSEP # two COMMENTSEP docstring Three. docstring COMMENTSEP"
    )


def test_imports_are_the_words_after_import_in_all_cells() -> None:
    cells = ("import numpy as np\nx = 1", "%pylab\nfrom a.b import C3, d\n!important")
    assert imports(*cells) == ["numpy", "np", "C", "d"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f():\n  def g(): pass", "several_functions"),
        ("class A: pass", "class"),
        (";".join(["f()"] * 16), "many_api_calls"),
        (";".join(["f()"] * 15), None),
        ("x" + " + 1" * 60, "long_code"),
        ("x" + " + 1" * 59, None),
        ("# only a comment", "no_statement"),
        ("%matplotlib inline", "no_statement"),
        ("def f(): pass", None),
    ],
)
def test_a_cell_that_is_no_target_has_a_reason(source: str, reason: str | None) -> None:
    assert why_not_a_target(analyse(source)) == reason


def test_a_cell_of_too_many_words_is_dropped_without_being_printed() -> None:
    cell = analyse("x" + " + x" * 120)
    assert why_not_a_target(cell) == "long_code"
    assert "tokens" not in vars(cell)


def test_long_targets_can_be_kept() -> None:
    assert why_not_a_target(analyse("x" + " + 1" * 60), max_tokens=None) is None


def test_one_analysis_says_all() -> None:
    cell = analyse("%time y = f(x)  # slow")
    assert cell.code == "y = f(x)  # slow"
    assert cell.tokens == ("y", "=", "f", "(", "x", ")")
    assert cell.api_sequence == ("f",)
    assert cell.comments == ("#", "slow", "COMMENTSEP")
    assert cell.names_defined.variables == {"y"}
    assert cell.names_used == {"f", "x"}
