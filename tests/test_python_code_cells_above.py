"""What a cell above leaves, IPython's syntax and Python 2 included."""

from __future__ import annotations

import time

import pytest

from nl2code.python_code.cells_above import names_left


@pytest.mark.parametrize(
    ("source", "variables"),
    [
        ("x = 1", "x"),
        ("%time x = 1", "x"),
        ("%matplotlib inline\nx = 1", "x"),
        ("%run a.py", ""),
        ("!pip install y\nx = 1", "x"),
        ("files = !ls \\\n  -l\nx = 1", "files x"),
        ("a, b = ! ls", "a b"),
        ('d["k"] = !ls', ""),
        ("path = %env PATH", "path"),
        ("for i in x:\n    !cat {i}\n    y = !ls {i}", "i y"),
        ("x?\ny = 1\n?z", "y"),
        ("s = '''\n!ls\nf?\n'''\n!ls", "s"),
        ("%%time\nx = 1", "x"),
        ("%%capture out\nx = 1", "out x"),
        ("# why\n\n%%capture --no-stderr out\n!ls\nx = 1\r\n", "out x"),
        ("\ufeff%%capture\nx = 1", "x"),
        ("%%timeit\nx = 1", ""),  # in a function of its own
        ("%%python3\nx = 1", ""),  # in another process
        ("%%bash\nx = 1", ""),
        ("%%bash --out a --err b\nx=1", "a b"),
        ("%%writefile out.py\nx = 1", ""),
        ("%%bigquery df --project $P\nSELECT 1", "df"),
        ("%%bigquery --project {P} --verbose df\nSELECT 1", "df"),
        ("%%bigquery --params {'n': 1}\nSELECT 1", ""),
        ("%%R -i a,b -o c,d\ne <- 1", "c d"),
        ("x =\ny = 1", ""),  # did not run
        (">>> x = 1", ""),
    ],
)
def test_a_cell_leaves_what_ipython_makes_of_it(source: str, variables: str) -> None:
    assert sorted(names_left(source).variables) == variables.split()


def test_a_cell_of_python_2_has_run_only_in_python_2() -> None:
    cell = "%pylab inline\nprint 1\nx = 0777\ndef f((a, b)): pass\nimport y"
    for python in (2, None):
        names = names_left(cell, python)
        assert (names.variables, names.methods, names.gone) == ({"x"}, {"f"}, {"y"})
    assert not names_left(cell, 3).variables
    assert names_left("if x:\n\ty = 1\n        z = 1", 2).variables == {"y", "z"}


@pytest.mark.parametrize(
    "many", ["x" * 50_000, "[" * 50_000, "a[" * 25_000, "--a " * 10_000, "\\\n"]
)
@pytest.mark.parametrize("magic", ["!ls\n", "%%capture ", "%%bash "])
def test_no_cell_takes_quadratic_time(magic: str, many: str) -> None:
    begin = time.process_time()
    names_left(magic + (many if len(many) > 2 else many * 20_000))
    assert time.process_time() - begin < 2
