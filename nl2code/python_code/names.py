"""Names a cell defines, and names it takes from the cells above (paper, Table 2)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nl2code.python_code.flow import Flow
from nl2code.python_code.parsing import read_python, refusing_depth
from nl2code.python_code.scopes import Kind


@dataclass(frozen=True, slots=True)
class Names:
    """The names a cell leaves behind at the top level, by kind.

    Functions and classes are methods, which the cells below call by name. What it imports is
    neither: a module is not defined above, and with `np` and `plt` almost every target would be
    contextual. A lambda that is given a name is a variable.
    """

    variables: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    """Names that are neither any more: deleted, or those of an import now."""


def names_defined(code: str) -> Names:
    r"""What the cells below can use.

    Raises:
        NotPython: With the reason.

    >>> sorted(names_defined("import os\nfor i, (a, b) in pairs: s = [k for k in a]").variables)
    ['a', 'b', 'i', 's']
    """
    return names_of(read_python(code)[1])[0]


def names_used(code: str) -> frozenset[str]:
    r"""Names used before the cell defines them, builtins among them.

    To tell variables from methods, meet them with what `names_defined` gives for the cells above.

    Raises:
        NotPython: With the reason.

    >>> sorted(names_used("df = df.dropna()\nx = 1\ndef f(a): return a + x + scale"))
    ['df', 'scale']
    """
    return names_of(read_python(code)[1])[1]


def find_names(code: str, tree: ast.Module) -> tuple[Names, frozenset[str]]:
    """`names_of` the tree."""
    return names_of(tree)


@refusing_depth()
def names_of(tree: ast.Module) -> tuple[Names, frozenset[str]]:
    """`names_defined` and `names_used` of a cell that was parsed already."""
    flow = Flow()
    flow.visit(tree)
    return names_by_kind(flow.scopes.kinds), frozenset(flow.scopes.used())


def names_by_kind(kinds: dict[str, Kind]) -> Names:
    """The names whose last definition made them a variable, a method, or neither."""

    def those(*wanted: Kind) -> frozenset[str]:
        return frozenset(name for name, kind in kinds.items() if kind in wanted)

    return Names(those("variable"), those("method"), those("import", "deleted"))
