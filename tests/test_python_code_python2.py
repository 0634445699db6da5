"""Python 2 becomes Python 3 that does the same; what does not has a reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nl2code.python_code import NotPython
from nl2code.python_code.python2 import futures, python_version, to_python3


@pytest.mark.parametrize(
    ("python2", "python3"),
    [
        ("print x", "print(x)"),
        ("print 'a', b,", "print('a', b, end=' ')"),
        ("print 1; print >>f, 'a'", "print(1); print('a', file=f)"),
        ("print x  # why", "print(x)  # why"),
        ("print x\n\n", "print(x)\n\n"),
        ('exec "x = 1" in names', 'exec("x = 1", names)'),
        ("`x`", "repr(x)"),
        ("x = 0777 + 10L", "x = 0o777 + 10"),
        ('x = ur"a\\d"', 'x = r"a\\d"'),
        ("x <> y", "x != y"),
        ("try: x\nexcept (A, B), e: y", "try: x\nexcept (A, B) as e: y"),
        ('raise E, "x"', 'raise E("x")'),
        ("print d.has_key(k)", "print(k in d)"),
        ("for k, v in d.iteritems(): print k", "for k, v in d.items(): print(k)"),
        ("for i in xrange(3): print unicode(i)", "for i in range(3): print(str(i))"),
        ("print map(f, x), range(3)", "print(list(map(f, x)), list(range(3)))"),
        ("print raw_input(), input()", "print(input(), eval(input()))"),
        ("print reduce(f, x)", "from functools import reduce\nprint(reduce(f, x))"),
        ("import cPickle\nprint cPickle.load(f)", "import pickle\nprint(pickle.load(f))"),
        (
            "def f((a, b)):\n    c",
            "def f(xxx_todo_changeme):\n    (a, b) = xxx_todo_changeme\n    c",
        ),
        ("if x:\n\ty\n        print z", "if x:\n        y\n        print(z)"),
        ("if x:\n\tprint y", "if x:\n\tprint(y)"),  # tabs alone are Python 3 as well
        ("if x:\n\ty\n        print '''\n\ta'''", "if x:\n        y\n        print('''\n\ta''')"),
        ("print 'é', u'ñ'", "print('é', 'ñ')"),
        (
            "from __future__ import print_function\nprint(0777, file=f)",
            "from __future__ import print_function\nprint(0o777, file=f)",
        ),
    ],
)
def test_what_only_python_2_reads_is_converted(python2: str, python3: str) -> None:
    assert to_python3(python2) == to_python3(python2, is_python2=True) == python3


@pytest.mark.parametrize(
    "code",
    [
        'print ("a", b)',
        "x = 1/2\n\n",
        "for k in d.keys(): range(3)",
        "print",
        "if x:\n\ty",
        "f'{x!r:>{n}}'\nmatch x:\n  case 1: (y := 2)",
    ],
)
def test_what_python_3_reads_stays_byte_for_byte(code: str) -> None:
    assert to_python3(code) == code


@pytest.mark.parametrize(
    ("python2", "python3"),
    [
        ('print ("a", b)', 'print(("a", b))'),
        ("print (x for x in y)", "print((x for x in y))"),
        ('print ("a" + b)', 'print ("a" + b)'),  # no second parenthesis
        ("print", "print()"),
        ("print >>f, 'a'", "print('a', file=f)"),
        ("x = 1/2*y", "x = 1//2*y"),
        ("x = -1/2/0x2 / y", "x = -1//2//0x2 / y"),
        ("x = y*1/2 + a/b + 1./2", "x = y*1/2 + a/b + 1./2"),  # may be floats
        ("x = range(3); y = d.keys()", "x = list(range(3)); y = list(d.keys())"),
        ("df.head( 3 )\n", "df.head( 3 )\n"),
        ("match x:\n  case 1: range(3)", "match x:\n  case 1: range(3)"),  # no Python 2
    ],
)
def test_what_means_something_else_is_converted_where_python_2_is_known(
    python2: str, python3: str
) -> None:
    assert to_python3(python2, is_python2=True) == python3


def test_what_the_notebook_imports_from_the_future_holds_below() -> None:
    future = futures(["from __future__ import division\nfrom __future__ import (print_function)"])
    assert future == {"division", "print_function"}
    code = 'print ("a", b); 1/2; 0777'
    assert to_python3(code, is_python2=True, future=future) == 'print ("a", b); 1/2; 0o777'
    assert to_python3("from __future__ import division\n1/2; 0777").endswith("1/2; 0o777")
    assert futures(["# from __future__ import division", "import os"]) == frozenset()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("x =", "syntax_error"),
        ("print x =", "python2_syntax"),
        ("print x\n  y", "python2_syntax"),
        ("x = “a”", "syntax_error"),
        ("raise 'a', b", "python2_unconverted"),
        ("print x\0", "null_byte"),
        ("x = " + "-" * 200 + "1", "too_deep"),
        ("print x, " + "(" * 5000, "too_deep"),
        ("print 1\n" * 2_600, "long_code"),
    ],
)
def test_what_does_not_convert_has_a_reason(code: str, reason: str) -> None:
    with pytest.raises(NotPython) as raised:
        to_python3(code)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("kernel", "language_version", "version"),
    [
        ("python3", "2.7.18", 2),
        ("python2", "3.4.3", 3),
        ("python2", "", 2),
        ("conda-env-Python3-py", "", 3),
        ("ir", "", None),
        ("", "20", None),
    ],
)
def test_the_interpreter_is_believed_before_the_kernels_name(
    kernel: str, language_version: str, version: int | None
) -> None:
    assert python_version(kernel, language_version) == version


def test_one_cells_conversion_leaves_no_trace_in_the_next() -> None:
    first = to_python3("def f((a, b)): print a")
    to_python3("import StringIO\nprint x")
    assert to_python3("def f((a, b)): print a") == first
    assert to_python3("print StringIO.StringIO()") == "print(StringIO.StringIO())"


def test_a_home_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no folder")
    code = "from nl2code.python_code.python2 import to_python3 as f; print(f('print x'))"
    environment = os.environ | {"HOME": str(home), "XDG_CACHE_HOME": str(home)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert run.stdout.decode().strip() == "print(x)", run.stderr.decode()
