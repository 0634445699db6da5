"""Names a cell defines, and names it needs from above."""

from __future__ import annotations

import pytest

from nl2code.python_code import names_defined, names_used


@pytest.mark.parametrize(
    ("code", "variables"),
    [
        ("a = b, (c, *d) = e", "a b c d"),
        ("for i, (j, _) in x: k = i", "_ i j k"),
        ("with open(p) as f, g as (h, i): pass", "f h i"),
        ("[i for i in x if (n := i)]", "n"),
        ("x: int = 1\ny: int", "x"),
        ("x.a = y[0] = 1", ""),
        ("try: x\nexcept E as e: y = 1", "y"),
        ("a = b = 1\ndel a", "b"),
        ("f = 1\ndef f(): pass", ""),
        ("def f():\n  global g\n  g = h = 1", "g"),
        ("match x:\n  case [a, *b]: pass\n  case {'k': c, **d}: pass", "a b c d"),
        ("import a.b, c as d", ""),
    ],
)
def test_variables_are_what_the_cells_below_can_read(code: str, variables: str) -> None:
    assert sorted(names_defined(code).variables) == variables.split()


def test_functions_and_classes_are_methods_but_not_their_insides() -> None:
    names = names_defined("class A:\n  b = 1\n  def c(self): pass\nasync def d():\n  e = 1")
    assert sorted(names.methods) == ["A", "d"]
    assert not names.variables


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("df = df.dropna()", "df"),
        ("n += 1", "n"),
        ("x = 1\ny = x + z", "z"),
        ("x\nx = 1", "x"),
        ("for i in x: i, y", "x y"),
        ("[i + n for i in x for j in i if j]", "n x"),
        ("x = [i for i in i]", "i"),
        ("{k: v for k, v in d}", "d"),
        ("import np.a as b, c.d\nb, c, d", "d"),
        ("def f(a, b=c, *, d: e = 1): return a + b + g + f(h)\nh = 1", "c e g"),
        ("def top(n): return [{x: n} for x in y]", "y"),
        ("f = lambda a: a + b", "b"),
        ("class A(B):\n  c = d\n  def e(self): return c", "B c d"),
        ("with a as b: b", "a"),
        ("x.y = z.w", "x z"),
        ("f'{a} {b!r:>{c}}'", "a b c"),
        ("try: a\nexcept B as e: e", "B a"),
        ("x = 1\ndel x\nx", "x"),
        ("@a\ndef f(): pass", "a"),
        ("f(x=y)", "f y"),
        ("def f():\n  x = 1\n  def g(): return x, z\n  return g", "z"),
        ("nonlocal x\ny", "y"),
    ],
)
def test_used_is_what_must_come_from_above(code: str, used: str) -> None:
    assert sorted(names_used(code)) == used.split()
