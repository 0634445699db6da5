"""Names a cell defines, and names it takes from the cells above (paper, Table 2)."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

from nl2code.python_code.flow import Flow
from nl2code.python_code.magics import quiet
from nl2code.python_code.parsing import read_python, refusing_depth


@dataclass(frozen=True, slots=True)
class Names:
    """The names a cell leaves behind at the top level, by kind; what it imports is neither."""

    variables: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    """Functions and classes, which the cells below call by name."""


def names_defined(code: str) -> Names:
    r"""What the cells below can use.

    Raises:
        NotPython: With the reason.

    >>> sorted(names_defined("import os\nfor i, (a, b) in pairs: s = [k for k in a]").variables)
    ['a', 'b', 'i', 's']
    """
    return find_names(*read_python(code))[0]


def names_used(code: str) -> frozenset[str]:
    r"""Names used before the cell defines them, builtins among them.

    To tell variables from methods, meet them with what `names_defined` gives for the cells above.

    Raises:
        NotPython: With the reason.

    >>> sorted(names_used("df = df.dropna()\nx = 1\ndef f(a): return a + x + scale"))
    ['df', 'scale']
    """
    return find_names(*read_python(code))[1]


@refusing_depth()
def find_names(code: str, tree: ast.Module) -> tuple[Names, frozenset[str]]:
    """`names_defined` and `names_used` of a cell that was parsed already."""
    flow = Flow()
    flow.visit(tree)
    read_later, written_later = set(), set()
    for symbol in _symbols_of_bodies(code):
        # For symtable, all that a function called `top` binds is global, and local as well.
        if symbol.is_global() and symbol.is_referenced() and not symbol.is_local():
            read_later.add(symbol.get_name())
        if symbol.is_declared_global() and symbol.is_assigned():
            written_later.add(symbol.get_name())
    names = Names(frozenset(flow.variables | written_later), frozenset(flow.methods))
    # A body runs when it is called: whatever the cell binds anywhere is there by then.
    return names, frozenset(flow.used | (read_later - flow.ever_bound - written_later))


def _symbols_of_bodies(code: str) -> Iterator[symtable.Symbol]:
    """The symbols of all scopes below the top level: functions, lambdas, classes and so on."""
    try:
        with quiet():
            tables = symtable.symtable(code, "cell", "exec").get_children()
    except (SyntaxError, RecursionError, MemoryError):  # `nonlocal x` at the top parses, for one
        return
    while tables:
        table = tables.pop()
        yield from table.get_symbols()
        tables += table.get_children()
