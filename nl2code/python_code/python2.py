"""Python 2 → Python 3, for the code of one cell: the fixers of 2to3, and what they leave."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable

from nl2code.python_code.magics import NotPython
from nl2code.python_code.parsing import read_python

MAX_CHARACTERS = 20_000
"""Of a cell to convert, many times a target's: the work grows with the square of a statement."""

_FUTURES = ("division", "print_function", "unicode_literals")
_FUTURE = re.compile(r"^[ \t]*from[ \t]+__future__[ \t]+import\b(.*)", re.MULTILINE)
_TAB, _BLANK = (re.compile(rf"^[ \t]*{blank}", re.MULTILINE) for blank in "\t ")
_HOPELESS = frozenset(["too_deep", "huge_number", "null_byte", "lone_surrogate"])


def python_version(kernel: str, language_version: str) -> int | None:
    """The major version that a notebook's metadata name, or None.

    The interpreter's own word goes before the kernel's name, which people choose.

    >>> python_version("python3", "2.7.18"), python_version("conda-env-Python2-py", "")
    (2, 2)
    """
    named = re.match(r"[23]\b", language_version) or re.search(r"(?<=python)[23]", kernel.lower())
    return int(named[0]) if named else None


def futures(sources: Iterable[str]) -> frozenset[str]:
    """What the cells up to here import from `__future__`: IPython keeps it for all that follow.

    >>> sorted(futures(["from __future__ import division, print_function"]))
    ['division', 'print_function']
    """
    lines = [line for source in sources for line in _FUTURE.findall(source)]
    return frozenset(name for name in _FUTURES if any(name in line for line in lines))


def to_python3(code: str, *, is_python2: bool = False, future: Collection[str] = ()) -> str:
    r"""Return the code in Python 3; IPython's syntax was taken out before (`strip_magics`).

    Code that Python 3 reads comes back as it is, byte for byte, unless `is_python2` says that it
    was written for Python 2, where some of it means something else: `print ("a", b)` prints a
    tuple, `d.keys()`, `map` and `range` give lists, `input` evaluates. Then, as in code that only
    Python 2 reads, all of it is converted to do in Python 3 what it did in Python 2.

    What the types of names decide stays as written: `/`, except between integers in figures
    (`1/2` becomes `1//2`), and `sort(cmp=f)`, `round` and the like. Each call sees one cell: a
    module that Python 3 renamed gets its new name in the `import` and in the rest of this cell.

    Args:
        code: The Python of a cell.
        is_python2: Whether the notebook's Python is known to be 2 (`python_version`).
        future: What the notebook imports from `__future__` up to here (`futures`): with
            `print_function`, `print ("a", b)` prints two things; with `division`, `/` stays.

    Raises:
        NotPython: The reason why it is neither Python 3 nor Python 2, or `python2_unconverted`.

    >>> to_python3("print 'n', n\nx = 0777")
    "print('n', n)\nx = 0o777"
    """
    reason = _why_not_python3(code)
    if reason is None and not is_python2:
        return code
    if len(code) > MAX_CHARACTERS:
        raise NotPython("long_code")
    if reason and reason in _HOPELESS:
        raise NotPython(reason)
    try:
        converted = _convert(code, futures([code]).union(future))
    except RecursionError:
        raise NotPython("too_deep") from None
    except _NotPython2:
        if reason is None:
            return code
        raise NotPython(reason) from None
    if _why_not_python3(converted):
        raise NotPython("python2_unconverted")
    return converted


def _why_not_python3(code: str) -> str | None:
    try:
        read_python(code)
    except NotPython as error:
        return error.reason
    return None


class _NotPython2(ValueError):
    """Python 2 does not read it either."""


def _convert(code: str, future: frozenset[str]) -> str:
    # Loading it takes long, reads and writes a cache, and few builds need it.
    from nl2code.python_code.fixers import converter, divide_integers

    tool = converter()
    names = [name for name in _FUTURES if name in future]
    first = f"from __future__ import {', '.join(names)}\n" if names else ""
    # The grammar wants the newline; more would be taken for an empty line.
    ended = "" if code.endswith("\n") else "\n"
    try:
        tree = tool.refactor_string(first + _indented_by_blanks(code) + ended, "cell")
        if "division" not in future:
            divide_integers(tree)
    except RecursionError:
        raise
    except Exception as error:  # tokenizer, parser and fixers each raise their own, or assert
        raise _NotPython2 from error
    finally:
        tool.fixer_log.clear()  # the converter keeps its warnings for ever
    return str(tree).removeprefix(first).removesuffix(ended)


def _indented_by_blanks(code: str) -> str:
    """Return the code with tabs of eight columns, as Python 2 read them, where blanks indent too.

    Lines that begin inside a string stay.
    """
    from fissix.pgen2 import tokenize

    if not (_TAB.search(code) and _BLANK.search(code)):
        return code
    lines = code.split("\n")
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code + "\n").readline):
        if token[0] == tokenize.STRING:
            inside.update(range(token[2][0] + 1, token[3][0] + 1))
    for number, line in enumerate(lines, 1):
        text = line.lstrip(" \t\f")
        if number not in inside:
            lines[number - 1] = line[: len(line) - len(text)].expandtabs(8) + text
    return "\n".join(lines)
