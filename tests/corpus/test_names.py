import pytest

from nl2code.corpus.names import Scope, contextual_fields
from nl2code.python_code import names_defined, names_used


def fields(*cells, nl="", python=None):
    """The columns of the last cell, below the others."""
    *above, target = cells
    scope = Scope(python)
    for number, source in enumerate(above):
        scope.add_source(source, number)
    columns = contextual_fields(names_used(target), scope, nl)
    return " ".join(columns["uses_variables"]), " ".join(columns["uses_methods"]), columns


@pytest.mark.parametrize(
    ("cells", "variables", "methods"),
    [
        (["x = 1", "print(x, y)"], "x", ""),
        (["def f(): pass", "f()"], "", "f"),
        (["class A: pass", "A()"], "", "A"),
        (["f = lambda: 1", "f()"], "f", ""),
        (["import numpy as np\nfrom math import pi", "np.sum(pi)"], "", ""),
        (["a, (b, *c) = d", "a.x, c[0]"], "a c", ""),
        (["for i in x: j = i", "i + j"], "i j", ""),
        (["[i for i in x]", "i"], "", ""),
        (["def f(a): b = 1", "a, b"], "", ""),
        (["x = y = 1", "o.x = o[y]"], "y", ""),
        (["x = 1", "x = 2\nx"], "", ""),
        (["x = 1", "x += 1"], "x", ""),
        (["x = 1", "[x for x in y]"], "", ""),
        (["x = 1", "def f(x): return x"], "", ""),
        (["x = 1", "def f(): return x"], "x", ""),
        (["x = 1", "f = lambda a=x: a"], "x", ""),
        (["x = 1", "del x"], "x", ""),
        (["x = 1", "del x", "x"], "", ""),
        (["x = 1", "import x", "x"], "", ""),
        (["x = 1", "def x(): pass", "x()"], "", "x"),
        (["def x(): pass", "x = 1", "x"], "x", ""),
        (["%%capture out\nx = 1", "out, x"], "out x", ""),
        (["!ls\nx = !ls", "x"], "x", ""),
        (["%%bash\nx=1", "x"], "", ""),
        (["x =", "x"], "", ""),
        (["len = 1", "len(x)"], "len", ""),  # a builtin, until it is defined above
    ],
)
def test_what_is_defined_above_and_used_counts(cells, variables, methods):
    assert fields(*cells)[:2] == (variables, methods)
    assert fields(*cells)[2]["contextual"] == bool(variables or methods)


@pytest.mark.parametrize(
    ("cells", "multi_cell"),
    [
        (["x = y = 1", "x, y"], False),
        (["x = 1", "y = 1", "x, y"], True),
        (["x = 1", "def f(): pass", "f(x)"], True),
        (["x = y = 1", "y = 2", "x, y"], True),
        (["x = 1", "x = 2", "x"], False),  # of its last cell
        (["x = 1", "y = 1", "x"], False),
    ],
)
def test_multi_cell_is_names_of_two_cells(cells, multi_cell):
    assert fields(*cells)[2]["multi_cell"] is multi_cell


def test_what_the_nl_mentions_does_not_count():
    cells = ("df = 1", "def clean(): pass", "clean(df, dfs)")
    assert fields(*cells, nl="# Now `clean()` the **data**")[:2] == ("df", "")
    assert fields(*cells, nl="clean df.")[:2] == ("", "")
    assert fields(*cells, nl="DF, df_2, cleaned")[:2] == ("df", "clean")


def test_a_cell_of_python_2_counts_in_a_notebook_of_python_2():
    assert fields("print 1\nx = 1", "x", python=2)[0] == "x"
    assert fields("print 1\nx = 1", "x", python=3)[0] == ""


def test_names_that_are_known_are_not_looked_for_again():
    scope = Scope()
    scope.add_source("this is not read", 0, names_defined("x = 1"))
    scope.add_source("%%capture out\ny = 1", 1, names_defined("y = 1"))
    assert scope.variables == {"x": 0, "y": 1, "out": 1}
