"""Whether an answer adds anything to what was given: weak tests pass for `pass`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from nl2code.corpus.nbgrader.placeholders import is_placeholder
from nl2code.python_code.magics import NotPython
from nl2code.python_code.parsing import read_python


def adds_nothing(source: str, releases: Iterable[str]) -> bool:
    r"""Whether an answer has no statement of its own, or none that some release lacks.

    Functions that do nothing, docstrings, `return None` and imports for them are none; imports
    alone are, and have a reason of their own. An answer that is no Python is not judged.

    >>> adds_nothing("def f(x):\n    pass", []), adds_nothing("def f(x):\n    return x", [])
    (True, False)
    >>> adds_nothing("x = 1\ny = 2", ["x = 1\n# YOUR CODE HERE\ny = 2"])
    True
    """
    said = _statements(source)
    if said is None:
        return False
    given = (_statements(release) for release in ("", *releases))
    return any(said <= one for one in given if one is not None)


@lru_cache(maxsize=4096)
def _statements(source: str) -> frozenset[str] | None:
    """The lines of the code that say something, laid out alike; None where it is no Python."""
    tree = _tree(source) or _tree("\n".join(map(_mark_as_pass, source.split("\n"))))
    if tree is None:
        return None
    if tree.body and all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body):
        return frozenset([source])
    lines = ast.unparse(_Telling().visit(tree)).split("\n")
    return frozenset(line.strip() for line in lines) - {"", "pass"}


def _tree(source: str) -> ast.Module | None:
    try:
        return read_python(source)[1]
    except NotPython:
        return None


def _mark_as_pass(line: str) -> str:
    return re.sub(r"\S.*", "pass", line) if is_placeholder(line) else line


class _Telling(ast.NodeTransformer):
    """Leaves out what says nothing, and functions with nothing else in them."""

    def generic_visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            return node
        super().generic_visit(node)
        match node:
            case ast.Pass() | ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return None
            case ast.Return(value=None | ast.Constant(value=None)):
                return None
            case ast.FunctionDef(body=[]) | ast.AsyncFunctionDef(body=[]):
                return None
            case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
                return None if name == "NotImplementedError" else node
        if (body := getattr(node, "body", None)) == []:
            body.append(ast.Pass())
        return node
