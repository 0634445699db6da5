r"""Names that a cell above leaves behind, where it may be more than Python.

A target must be pure Python; what stands above it need not: `!pip install x` beside `x = 1`, the
`files = !ls` and `%%bigquery df` of IPython, `print x` in a notebook of Python 2.
"""

from __future__ import annotations

import re

from nl2code.python_code.magics import PYTHON_CELL_MAGICS, NotPython, strip_magics
from nl2code.python_code.names import Names, names_defined
from nl2code.python_code.python2 import to_python3

_CELL_MAGIC = re.compile(r"(?:[ \t]*(?:#.*)?\n)*[ \t]*%%[ \t]*(\w+)(.*)")
_ELSEWHERE = frozenset(["px", "pypy", "python", "python3", "timeit"])
"""Cell magics over Python that leave nothing: another process, or a function's own names."""
_FILLING = frozenset(["bigquery", "capture"])
"""Cell magics whose one argument is the variable that they fill."""
_OUTPUT = re.compile(r"(?<!\S)(?:--out|--err|--output|-o)(?:[ \t]+|=)([\w,]+)")
_OPTION = re.compile(r"--(?:no|use|verbose|dry)[\w-]*|-\S*=\S*|--?\w\S*[ \t]+(?:\{.*?\}|\S+)")

_IPYTHON = frozenset(["shell_command", "line_magic", "help"])
_REST = r"(?:.*\\\n)*.*$"
_TIMED = re.compile(r"^([ \t]*)%[ \t]*time[ \t]+", re.MULTILINE)
_ASSIGNED = re.compile(rf"^((?:[\w.,* \t]|\[[^]\n]*\])+=)[ \t]*[!%]{_REST}", re.MULTILINE)
_LINE = re.compile(rf"^([ \t]*)(?:[!?%]{_REST}|[^\s#?(=]+[ \t]*\?{{1,2}};?[ \t]*$)", re.MULTILINE)


def names_left(source: str, python: int | None = None) -> Names:
    r"""What the cells below can use; nothing, where the cell cannot have run.

    What `%run`, `from x import *` and `exec` define cannot be known.

    Args:
        source: A code cell as in the notebook.
        python: The notebook's Python, where it is known (`python_version`): a cell that only
            Python 2 reads has not run in Python 3.

    >>> sorted(names_left("!pip install x\nfiles = !ls\n%time y = 1").variables)
    ['files', 'y']
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    magic = _CELL_MAGIC.match(source) if "%%" in source else None
    if not magic:
        return _names_of_code(source, python)
    name, arguments = magic.groups()
    names = Names()
    if name in PYTHON_CELL_MAGICS - _ELSEWHERE:
        names = _names_of_code(source[magic.end() :], python)
    return Names(names.variables | _filled(name, arguments), names.methods, names.gone)


def _filled(magic: str, arguments: str) -> frozenset[str]:
    """The variables that hold a cell magic's output.

    >>> sorted(_filled("bigquery", " --project $P df")), sorted(_filled("bash", "--out a --err b"))
    (['df'], ['a', 'b'])
    """
    if magic in _FILLING:
        words = _OPTION.sub(" ", arguments).split()
    elif magic not in PYTHON_CELL_MAGICS:
        words = [word for words in _OUTPUT.findall(arguments) for word in words.split(",")]
    else:
        words = []
    return frozenset(word for word in words if word.isidentifier())


def _names_of_code(source: str, python: int | None) -> Names:
    names = _names_or_reason(source)
    if names in _IPYTHON:
        source = _without_ipython(source)
        names = _names_or_reason(source)
    if python != 3 and names in ("python2_syntax", "syntax_error"):
        names = _names_of_python2(source)
    return names if isinstance(names, Names) else Names()


def _names_or_reason(source: str) -> Names | str:
    try:
        return names_defined(source)
    except NotPython as error:
        return error.reason


def _without_ipython(source: str) -> str:
    r"""The source with Python in the place of IPython's lines, for its names only.

    Inside a string that does no harm.

    >>> _without_ipython("if x:\n  !ls \\\n -l\n  a, b = !ls\nf?")
    'if x:\n  pass\n  a, b = None\npass'
    """
    source = _TIMED.sub(r"\1", source)
    source = _ASSIGNED.sub(r"\1 None", source)
    return _LINE.sub(r"\1pass", source)


def _names_of_python2(source: str) -> Names | str:
    try:
        return _names_or_reason(to_python3(strip_magics(source)))
    except NotPython as error:
        return error.reason
