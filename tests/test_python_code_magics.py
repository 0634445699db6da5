"""IPython's syntax leaves a cell; Python that looks like it stays."""

from __future__ import annotations

import ast
import inspect
import sys
import time
from collections.abc import Callable

import pytest

from nl2code.python_code import NotPython, analyse, names_used, normal_form, strip_magics
from nl2code.python_code.parsing import MAX_DEPTH


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("%matplotlib inline\nx = 1\n", "x = 1"),
        ("x = 1\n\n%matplotlib inline", "x = 1\n"),  # as in the released files
        ("%%time\nx = 1", "x = 1"),
        ("# why\n%%timeit -n 1\nf(x)", "# why\nf(x)"),
        ("%time x = f()", "x = f()"),  # x outlives it
        ("% time f()", "f()"),
        ("%timeit f()\ny", "y"),
        ("%run a.py \\\n  --fast\ny", "y"),
        ("if x:\n    %pdb on\n    y", "if x:\n    y"),
        ("\ufeff%pylab\r\nx = 1\r\n", "x = 1"),
    ],
)
def test_magics_leave_the_python_around_them(source: str, code: str) -> None:
    assert strip_magics(source) == code


@pytest.mark.parametrize(
    "kept",
    [
        'x = ("%s"\n% d["a"])',
        "x = 7 \\\n% 4",
        '"""\n%d items\n!ls\nwhat?\n"""',
        "y = x  # why?",
    ],
)
def test_what_only_looks_like_a_magic_stays(kept: str) -> None:
    assert strip_magics(kept) == kept
    assert strip_magics("%matplotlib inline\n" + kept) == kept


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("%%bash\nls", "cell_magic"),
        ("# a table\n\n%%bigquery\nSELECT 1", "cell_magic"),
        ("%%writefile a.py\nx = 1", "cell_magic"),
        ("x = 1\n!pip install y", "shell_command"),
        ("files = !ls", "shell_command"),
        ("a, b = ! ls", "shell_command"),
        ('d["k"] = !ls', "shell_command"),
        ("%time !ls", "shell_command"),
        ("%%capture\n!ls", "shell_command"),
        ("path = %env PATH", "line_magic"),
        ("?str.join", "help"),
        ("str.join?", "help"),
        ("x\nstr.join??", "help"),
        (">>> x = 1\n1", "pasted_prompt"),
        ("In [3]: import os", "pasted_prompt"),
        ("print x", "python2_syntax"),
        ("print 'n=%d' % n", "python2_syntax"),
        ('exec "x = 1"', "python2_syntax"),
        ("try: x\nexcept E, e: y", "python2_syntax"),
        ("x = 0777", "python2_syntax"),
        ("`x`", "python2_syntax"),
        ('ur"a"', "python2_syntax"),
        ("x =", "syntax_error"),
        ("x\xa0= 1", "syntax_error"),
        ("x = “a”", "syntax_error"),
        ("if x:\n\ty\n        z", "syntax_error"),
        ("x = 1\0", "null_byte"),
        ("x = '\ud800'", "lone_surrogate"),
        ("x = " + "-" * 200 + "1", "too_deep"),
        ("x = " + "-" * 100_000 + "1", "too_deep"),
        ("x = " + " + ".join(["a"] * 2_000), "too_deep"),
        ("@a" + ".a" * 200 + "\ndef f(): pass", "too_deep"),
        ("x = 0x" + "f" * 6_000, "huge_number"),
        ("x = 0o" + "7" * 6_000, "huge_number"),
        ("x = -0b" + "1_1" * 8_000, "huge_number"),
        ("x = f'{" + "9" * 4_301 + "}'", "huge_number"),
    ],
)
def test_a_cell_that_is_no_python_has_a_reason(source: str, reason: str) -> None:
    with pytest.raises(NotPython) as raised:
        analyse(source)
    assert raised.value.reason == reason


@pytest.mark.parametrize("read", [normal_form, names_used])
def test_deep_code_near_the_interpreters_limit_has_a_reason(read: Callable[[str], object]) -> None:
    deep = "x = " + "(" * 140 + "0" + ",)" * 140
    read(deep)
    with pytest.raises(NotPython, match="too_deep"):
        _call_below(read, deep, frames=sys.getrecursionlimit() - len(inspect.stack()) - 120)


def _call_below(read: Callable[[str], object], code: str, frames: int) -> None:
    if frames:
        _call_below(read, code, frames - 1)
    else:
        read(code)


@pytest.mark.parametrize("levels", range(140, 152))
def test_a_tree_of_the_allowed_depth_is_read_and_no_deeper_one(levels: int) -> None:
    for code in ("x = " + "-" * levels + "1", "f(" + "-" * levels + "1,\n  2)"):
        if _depth(ast.parse(code)) <= MAX_DEPTH:
            analyse(code)
        else:
            with pytest.raises(NotPython, match="too_deep"):
                analyse(code)


def _depth(node: ast.AST) -> int:
    return 1 + max(map(_depth, ast.iter_child_nodes(node)), default=0)


def test_numbers_that_any_interpreter_prints_are_kept() -> None:
    assert "1" + "0" * 4_299 in analyse("x = 1" + "0" * 4_299).tokens


@pytest.mark.parametrize("scheme", ["juice", "lossless"])
def test_a_huge_number_is_refused_in_both_schemes(scheme: str) -> None:
    with pytest.raises(NotPython, match="huge_number"):
        normal_form("x = 0x" + "f" * 6_000, scheme)


@pytest.mark.parametrize(
    ("many", "reason"),
    [
        ("\n" * 50_000 + "x =", "syntax_error"),
        ("x = 0" + "7" * 50_000 + "x", "syntax_error"),
        ("x =?" + " " * 50_000 + "x", "syntax_error"),
        ("?" + " " * 50_000 + "?x", "syntax_error"),
        ("# why\n%pdb\n" * 10_000 + "%%bash", "cell_magic"),
    ],
    ids=["blank lines", "digits", "blanks after a ?", "blanks between two ?", "comments"],
)
def test_no_cell_takes_quadratic_time(many: str, reason: str) -> None:
    begin = time.process_time()
    with pytest.raises(NotPython, match=reason):
        analyse(many)
    assert time.process_time() - begin < 2  # what was quadratic took ten times that, or more


def test_a_format_may_hold_braces_with_a_format() -> None:
    assert names_used("f'{x:{y:>9}}'") == {"x", "y"}


def test_return_and_await_at_the_top_level_are_python() -> None:
    assert analyse("x = await f()\nreturn x").api_sequence == ("f",)


@pytest.mark.parametrize(
    "newer",
    [
        "f'{a['b']}'",
        'f"{f"{x}"}"',
        "f'{\"\\n\".join(x)}'",
        "f'{x\n}'",
        "f'''{\nx  # why\n}'''",
        "f'{*x}'",
        "f'{x:{y:{z}}}'",
        "type X = int",
        "def f[T](x): pass",
    ],
)
def test_syntax_newer_than_python_3_11_is_refused_on_every_interpreter(newer: str) -> None:
    with pytest.raises(NotPython, match="syntax_error"):
        analyse(newer)
