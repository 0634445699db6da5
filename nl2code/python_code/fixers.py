"""The converter of `python2`: which of 2to3's fixers it takes, and two of our own."""

from __future__ import annotations

import logging
import re
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import fissix

try:
    from fissix import pygram
except OSError:  # it keeps the grammar's tables in the user's cache, which may not be writable
    with tempfile.TemporaryDirectory() as _folder:
        fissix.CACHE_DIR = Path(_folder)
        from fissix import pygram

from fissix.fixes.fix_print import FixPrint
from fissix.refactor import RefactoringTool

# Those of 2to3 that keep what the code does. Not `import`, which looks for files beside the code;
# nor `future`, which takes out lines that Python 3 reads; nor those of style.
_FIXERS = """
    apply asserts basestring dict except exec execfile exitfunc filter funcattrs getcwdu has_key
    imports imports2 input intern isinstance itertools itertools_imports long map metaclass
    methodattrs ne next nonzero numliterals operator paren raise raw_input reduce reload renames
    repr standarderror sys_exc throw tuple_params types unicode urllib xrange xreadlines zip
"""
_INTEGER = re.compile(r"0[xob][0-9a-f]+|[0-9]+", re.IGNORECASE)


@cache
def converter() -> RefactoringTool:
    """Return the converter, which takes long to make; it is for one thread at a time."""
    logging.getLogger("RefactoringTool").addHandler(logging.NullHandler())
    return _Converter([f"fissix.fixes.fix_{name}" for name in _FIXERS.split()])


class _Converter(RefactoringTool):  # type: ignore[misc]
    def get_fixers(self) -> tuple[list[Any], list[Any]]:
        before, after = super().get_fixers()
        return before, [_FixPrint(self.options, self.fixer_log), *after]


class _FixPrint(FixPrint):  # type: ignore[misc]
    """Leaves `print ("a" + b)` as it is, where the library would add a second parenthesis."""

    def transform(self, node: Any, results: dict[str, Any]) -> Any:
        argument = node.children[1] if len(node.children) == 2 else None
        if argument is not None and argument.type == self.syms.atom:
            inside = argument.children[1:-1]
            is_tuple = not inside or inside[0].type in (
                self.syms.testlist_gexp,
                self.syms.yield_expr,
            )
            if argument.children[0].value == "(" and not is_tuple:
                return None
        return super().transform(node, results)


def divide_integers(tree: Any) -> None:
    """Write `1/2` as `1//2`, which is what Python 2 made of it.

    In `1/2*x` too, but not in `x*1/2`, whose first half may be a float.
    """
    for term in tree.pre_order():
        if term.type != pygram.python_symbols.term:
            continue
        signs, sides = term.children[1::2], term.children[::2]
        for sign, (left, right) in zip(signs, pairwise(sides), strict=True):
            if sign.value not in ("/", "//", "*", "%") or not (_is_int(left) and _is_int(right)):
                break
            if sign.value == "/":
                sign.value = "//"


def _is_int(node: Any) -> bool:
    if node.type == pygram.python_symbols.factor:  # -1
        node = node.children[-1]
    return _INTEGER.fullmatch(str(node).strip()) is not None
