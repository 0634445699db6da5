"""What stays of a stub beside an answer: marks, the student's remarks on them, and `raise`s."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from nl2code.corpus.nbgrader.additions import adds_nothing
from nl2code.corpus.nbgrader.placeholders import is_placeholder
from nl2code.python_code.magics import NotPython
from nl2code.python_code.parsing import read_python

_MOST = 0.5
_REMARK = re.compile(r"(.*?\byour\b.*?\b(?:here|below)\b)\W*\w.*", re.IGNORECASE)


def leftovers(source: str) -> set[int]:
    r"""The numbers of the lines that are no answer: marks, and the stub's `raise`.

    A `raise NotImplementedError` is the answer's own where a branch does nothing else, and where
    its message has a value in it.

    >>> leftovers("def f(x):\n    # YOUR CODE HERE\n    return x\n    raise NotImplementedError()")
    {1, 3}
    >>> leftovers("if x:\n    y = x\nelse:\n    raise NotImplementedError")
    set()
    """
    lines = source.split("\n")
    found = {number for number, line in enumerate(lines) if is_placeholder(line)}
    return found - _own_raises(source) if any(map(_raises, lines)) else found


def above_mark(lines: list[str], marks: Iterable[int]) -> set[int]:
    """The numbers of the lines above the place of the answer, as far as a line marks it.

    A `raise` below statements marks nothing: it was left there, with the answer above it.
    """
    for mark in sorted(marks):
        head = "\n".join([*lines[:mark], re.sub(r"\S.*", "pass", lines[mark])])
        if not _raises(lines[mark]) or adds_nothing(head, []):
            return set(range(mark))
    return set()


def without_remarks(boilerplate: str, others: Iterable[str]) -> str:
    r"""The given code without what one student wrote behind a mark: most others lack it.

    >>> without_remarks("# YOUR CODE HERE (late assignment)", ["# YOUR CODE HERE\nx = 1"])
    '# YOUR CODE HERE'
    """
    marked = [{line.strip() for line in other.split("\n") if _is_mark(line)} for other in others]
    marked = list(filter(None, marked))
    lines = boilerplate.split("\n")
    return "\n".join(line if _is_shared(line, marked) else _without_remark(line) for line in lines)


def _is_shared(line: str, marked: list[set[str]]) -> bool:
    return sum(line.strip() in marks for marks in marked) > _MOST * len(marked)


def _without_remark(line: str) -> str:
    mark = _REMARK.fullmatch(line) if _is_mark(line) else None
    return mark[1] if mark else line


def _is_mark(line: str) -> bool:
    return is_placeholder(line) and not _raises(line)


def _raises(line: str) -> bool:
    # Students comment it out, too.
    return line.lstrip("# \t").startswith("raise")


def _own_raises(source: str) -> set[int]:
    try:
        _, tree = read_python(source)
    except NotPython:
        return set()
    own: set[int] = set()
    for node in ast.walk(tree):
        is_body = isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)
        for block in (value for _, value in ast.iter_fields(node) if isinstance(value, list)):
            alone = len(block) == 1 and not is_body
            raises = [one for one in block if isinstance(one, ast.Raise)]
            own |= {one.lineno - 1 for one in raises if alone or _has_value(one)}
    return own


def _has_value(node: ast.Raise) -> bool:
    match node.exc:
        case ast.Call(args=[*arguments]):
            return not all(isinstance(one, ast.Constant) for one in arguments)
    return False
