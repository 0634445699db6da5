"""Names that a target takes from the cells above (paper, section 3.3 and Table 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from nl2code.python_code import NotPython, names_defined
from nl2code.python_code.names import Names


@dataclass(slots=True)
class Scope:
    """What the cells read so far define: each name's kind and the last cell that defined it."""

    variables: dict[str, int] = field(default_factory=dict)
    methods: dict[str, int] = field(default_factory=dict)

    def add(self, names: Names, cell: int) -> None:
        """Enter what a cell defines; a name is what its last definition made it."""
        for name in names.variables:
            self.methods.pop(name, None)
            self.variables[name] = cell
        for name in names.methods:
            self.variables.pop(name, None)
            self.methods[name] = cell

    def add_source(self, source: str, cell: int) -> None:
        """Enter what a code cell defines, if it is Python."""
        try:
            self.add(names_defined(source), cell)
        except NotPython:
            return


def contextual_fields(used: frozenset[str], scope: Scope, nl: str) -> dict[str, Any]:
    """Return the columns that say what the target takes from above.

    A name that the NL mentions does not count: it could be known without the context.
    """
    wanted = used - set(re.findall(r"\w+", nl))
    variables = sorted(wanted & scope.variables.keys())
    methods = sorted(wanted & scope.methods.keys())
    cells = {scope.variables[name] for name in variables} | {
        scope.methods[name] for name in methods
    }
    return {
        "uses_variables": variables,
        "uses_methods": methods,
        "contextual": bool(cells),
        "multi_cell": len(cells) > 1,
    }
