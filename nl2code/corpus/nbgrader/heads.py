"""The signature and docstring on top of a solution cell, which an instructor gave."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from itertools import takewhile

from nl2code.corpus.nbgrader.placeholders import is_placeholder
from nl2code.python_code.magics import NotPython
from nl2code.python_code.parsing import read_python

_MOST = 0.75
_IMPORTS = (ast.Import, ast.ImportFrom)


def head_of(source: str) -> list[str]:
    r"""The lines from the top to the end of the first statement's docstring, if it has one.

    >>> head_of('def f(x):\n    "Twice."\n    return 2 * x')
    ['def f(x):', '    "Twice."']
    """
    try:
        _, tree = read_python(source)
    except NotPython:
        return []
    match tree.body[:1]:
        case [ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as text, *_])]:
            return source.split("\n")[: text.end_lineno]
    return []


def imports_above(source: str) -> tuple[list[str], str]:
    r"""The import lines above a function with nothing else above it, and what is below them.

    Not those that cannot stand in the function: `import *`, and of `__future__`.

    >>> imports_above("import re\n\ndef f(x):\n    return re.sub(*x)")
    (['import re'], 'def f(x):\n    return re.sub(*x)')
    """
    try:
        _, tree = read_python(source)
    except NotPython:
        return [], source
    above = list(takewhile(lambda node: isinstance(node, _IMPORTS), tree.body))
    below = tree.body[len(above) :][:1]
    lines = source.split("\n")
    match below:
        case [ast.FunctionDef(lineno=start, decorator_list=[])] if all(map(_is_local, above)):
            top = (line for line in lines[: start - 1] if line.strip() and not is_placeholder(line))
            return list(top), "\n".join(lines[start - 1 :])
    return [], source


def _is_local(node: ast.stmt) -> bool:
    match node:
        case ast.ImportFrom(module="__future__") | ast.ImportFrom(names=[ast.alias(name="*")]):
            return False
    return True


def rebuilt_release(source: str, others: Iterable[str]) -> str | None:
    r"""What an answer was given, as far as other answers to the same prompt tell; or None.

    That is a signature and docstring that most have who kept a docstring, and their `return`.
    Students also agree on what was not given, `x = np.load("x.npy")`; on a docstring, never.

    >>> others = ['def f(x):\n    "Twice."\n    return x + x', "def f(x): return 2 * x"]
    >>> rebuilt_release("def f(x):\n    return x * 2", others)
    'def f(x):\n    "Twice."'
    """
    described = [(other.rstrip(), head) for other in others if (head := head_of(other))]
    if not described:
        return None
    counts = Counter(" ".join(_words(head)) for _, head in described)
    usual, count = max(counts.items(), key=lambda item: (item[1], item[0]))
    head = min(head for _, head in described if " ".join(_words(head)) == usual)
    if count < _MOST * len(described) or head[0].split() != _first_line(source).split():
        return None
    ends = [other.rsplit("\n", 1)[-1] for other, _ in described]
    last = source.rstrip().rsplit("\n", 1)[-1]
    shared = last.lstrip().startswith("return ") and ends.count(last) >= _MOST * len(ends)
    return "\n".join([*head, last] if shared else head)


def _words(lines: list[str]) -> list[str]:
    return " ".join(line for line in lines if not is_placeholder(line)).split()


def _first_line(source: str) -> str:
    lines = (line for line in source.split("\n") if line.strip() and not is_placeholder(line))
    return next(lines, "")


def body_alone(source: str) -> set[int] | None:
    r"""The numbers of the lines of the body of a function with only calls to try it below.

    >>> body_alone("def f(x):\n    return 2 * x\n\nprint(f(1))")
    {1}
    """
    try:
        _, tree = read_python(source)
    except NotPython:
        return None
    match tree.body:
        case [ast.FunctionDef(body=[*body]), ast.Expr(), *rest]:
            if all(isinstance(node, ast.Expr) for node in rest):
                first, last = body[0], body[-1]
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    first = body[min(1, len(body) - 1)]
                return set(range(first.lineno - 1, last.end_lineno or last.lineno))
    return None


def in_several_functions(source: str, numbers: set[int]) -> bool:
    r"""Whether these lines belong to more than one function whose `def` is not among them.

    >>> in_several_functions("def f():\n    x = 1\ndef g():\n    y = 2", {1, 3})
    True
    """
    try:
        _, tree = read_python(source)
    except NotPython:
        return False
    owners = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = {line - 1 for one in node.body for line in _code_lines(one)}
            if node.lineno - 1 not in numbers and body & numbers:
                owners.add((node.lineno, node.end_lineno))
    outer = [one for one in owners if not any(_is_within(one, other) for other in owners)]
    return len(outer) > 1


def _code_lines(node: ast.stmt) -> Iterable[int]:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_within(one: tuple[int, int | None], other: tuple[int, int | None]) -> bool:
    return one != other and other[0] <= one[0] and (one[1] or 0) <= (other[1] or 0)
