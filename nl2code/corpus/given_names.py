"""Names that the given function around a target binds, which the target has not from above."""

from __future__ import annotations

import ast

from nl2code.corpus.places import ANSWER, functions_of, is_answer, with_answer
from nl2code.python_code import NotPython, strip_magics
from nl2code.python_code.flow import Flow
from nl2code.python_code.parsing import read_python, refusing_depth
from nl2code.python_code.python2 import to_python3
from nl2code.python_code.scopes import Scope, Scopes


def from_outside(used: frozenset[str], code: str, given: str | None) -> frozenset[str]:
    r"""Names that a target uses, but for those which the given function around it binds.

    Its parameters and what it assigns are its own, whatever has the same name above. What given
    code defines outside of the function stands in the context, and is from above.

    Args:
        used: The names that the target uses, by itself.
        code: The target.
        given: Its `boilerplate_code`.

    >>> given = "def f(x):\n    # YOUR CODE HERE\n    return y"
    >>> sorted(from_outside(frozenset(["x", "z"]), "y = x + z", given))
    ['z']
    """
    if not given:
        return used
    try:
        around, (_, target) = _around(given, used), read_python(code)
        # A released target may be the whole cell, what was given included.
        whole = {one.name for one in functions_of(around)} & {f.name for f in functions_of(target)}
        return used if whole else used - _own_names(around, target)
    except NotPython:
        return used


def _around(given: str, used: frozenset[str]) -> ast.Module:
    """The tree of given code with `ANSWER` in it, if the place of the answer is known.

    Below a function that stands alone and is not called, no answer makes sense: it is in there.

    Raises:
        NotPython: With the reason.
    """
    placed = with_answer(given) or with_answer(given := to_python3(strip_magics(given)))
    if placed:
        return read_python(placed[0])[1]
    _, tree = read_python(given)
    match functions_of(tree):
        case [function] if tree.body[-1] is function and function.name not in used:
            function.body.append(ast.Expr(ast.Name(ANSWER, ast.Load())))
    return tree


@refusing_depth()
def _own_names(given: ast.Module, target: ast.Module) -> frozenset[str]:
    """What the functions around `ANSWER` bind, the target in its place."""
    flow = Flow()
    flow.scopes = place = _Place()
    flow.visit(_Inserting(target.body).visit(given))
    own: set[str] = set()
    scope = place.around
    while scope:
        own |= scope.ever_bound if scope.kind == "function" else set()
        scope = scope.parent
    return frozenset(own)


class _Place(Scopes):
    """Remembers the scope that `ANSWER` stands in."""

    around: Scope | None = None

    def read(self, name: str) -> None:
        if name == ANSWER:
            self.around = self.now
        super().read(name)


class _Inserting(ast.NodeTransformer):
    """Inserts statements below `ANSWER`."""

    def __init__(self, statements: list[ast.stmt]) -> None:
        self._statements = statements

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        return [node, *self._statements] if is_answer(node) else node
