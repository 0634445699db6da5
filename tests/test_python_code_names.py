"""Names a cell defines, and names it needs from above."""

from __future__ import annotations

import os
import subprocess
import sys

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
        ("from a import *\nc = 1", "c"),
        ("*a, b.c, d[e] = f", "a"),
        ("x += 1", "x"),
        ("if (n := f()): pass", "n"),
        ("if a: b = 1\nelse: c = 1", "b c"),
        ("[[n := i for i in x] for j in (m := y)]", "m n"),
        ("while True: i = 1", "i"),
        ("f = lambda a, *b: (c := 1)", "f"),
        ("x = 1\nimport x", ""),
        ("del a, b.c, d[e]\nf = 1", "f"),
        ("x = 1\ndel x\nx = 2", "x"),
        ("class A:\n  b = c = 1\n  for i in x: pass", ""),
        ("try: import a\nexcept ImportError: a = None", ""),
        ("try: pass\nfinally: a = 1\nasync with b as c: pass\nasync for d in e: pass", "a c d"),
        ("e = 1\ntry: x\nexcept E as e: pass", "e"),
        ("try: x\nexcept* E as e: y = 1", "y"),
        ("def f():\n  def g():\n    nonlocal h\n    h = 1\n  h = 2", ""),
        ("class A:\n  def f(self):\n    global g\n    g = 1", "g"),
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
        ("global x\nx\nx = 1", "x"),
        # An order within the cell.
        ("a, *b = c, a", "a c"),
        ("(y := x) + y", "x"),
        ("x[0] = 1\ny.z += 1\ndel u['a']", "u x y"),
        ("x: int = x\ny: int\ny", "int x y"),
        ("for x in x: pass", "x"),
        ("async for x in x: pass", "x"),
        ("for i in a: b = i\nb", "a"),
        ("if a: x = 1\nelse: x", "a x"),
        ("if a: x = 1\nx", "a"),
        ("if a: x = 1; raise b\nx", "a b x"),
        ("try: x = a\nexcept B: x", "B a x"),
        ("try: x = a\nexcept* B: x", "B a x"),
        ("try: a\nexcept B as e: pass\ne", "B a e"),
        ("match a:\n  case [b, *c] if b: c\n  case D(e=f): f, b", "D a b"),
        ("import a.b\nfrom c import d as e\na, b, e, d", "b d"),
        ("from x import *\ny", "y"),
        # Comprehensions have a scope of their own, but for `:=` and the first `in`.
        ("[i for i in x]\ni", "i x"),
        ("[(i, j) for i in x for j in i if j > n]", "n x"),
        ("[(y := i, i) for i in x]\ny", "x"),
        ("{i: {j for j in i} for i in x}", "x"),
        ("class A:\n  n = 1\n  m = [n for i in range(n)]", "n range"),
        # Functions and classes.
        ("def f(*a, b, **c):\n  return a, b, c, d", "d"),
        ("def f(a, /): a.b = a[c]", "c"),
        ("def f():\n  print(x)\n  x = 1", "print"),
        ("def f():\n  x: int\n  return x", "int"),
        ("def f():\n  import a\n  from b import c as d\n  with e as g: a, d, g", "e"),
        ("def f():\n  for i in a: pass\n  return i, [j for j in i], j", "a j"),
        ("def f(): return f()", ""),
        ("def f(): return x\nf()\nx = 1", "x"),  # the body runs where it is called
        ("def f(): return x\nx = 1\nf()", ""),
        ("def f(): return g()\ndef g(): return x\nf()\nx = 1", "x"),
        ("class A:\n  def f(self): return x\nA().f()\nx = 1", "x"),
        ("f = lambda: x\nx = 1\nf()", ""),
        ("a.apply(lambda r: r * x)\nx = 1", "a x"),
        ("[lambda: i + j for i in x]", "j x"),
        ("def f():\n  global n\n  n += 1", "n"),
        ("def f():\n  global n\n  n = 1\nf()\nn", ""),
        ("def f():\n  global n\n  n = 1\n  return n\ndef g(): return n", ""),
        ("def f():\n  n = 0\n  def g():\n    nonlocal n\n    n += m\n  return g", "m"),
        ("def f(x):\n  class A:\n    y = x\n    def g(self): return x, y\n  return A", "y"),
        ("class A:\n  x = x\n  y = x", "x"),
        ("class A:\n  def f(self): return self.g(A, g)\n  def g(self): pass", "g"),
        ("class A(metaclass=B):\n  @c\n  def f(self, d=e) -> g: pass", "B c e g"),
        ("@a(b)\nclass C: pass", "a b"),
        ("def f(): yield (yield from a)\nasync def g(): return await b", "a b"),
    ],
)
def test_used_is_what_must_come_from_above(code: str, used: str) -> None:
    assert sorted(names_used(code)) == used.split()


def test_what_was_deleted_or_imported_over_is_no_name_of_a_cell_above() -> None:
    names = names_defined("del a\nimport b\nfrom c import d\ne = 1\ndel e\ndef f(): pass\nf = 1")
    assert (names.gone, names.variables, names.methods) == ({"a", "b", "d", "e"}, {"f"}, set())


def test_names_do_not_depend_on_the_hash_seed() -> None:
    code = "\n".join(f"def f{i}():\n  global g{i}\n  g{i} = 1\n  return g{i - 1}" for i in range(9))
    code = (
        f"from nl2code.python_code import *; print(sorted(names_used({code + chr(10) + 'f8()'!r})))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(runs) == 1


@pytest.mark.parametrize(
    "code",
    [
        "while a < b: pass",
        "assert a, b",
        "a if b else 0",
        "if a: b",
        "[0 for _ in a if b]",
        "a[b:]",
    ],
)
def test_a_condition_reads_its_names(code):
    assert names_used(code) == {"a", "b"}
