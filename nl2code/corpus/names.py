"""Names that a target takes from the cells above (paper, section 3.3 and Table 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from nl2code.corpus.remembered import names_above
from nl2code.python_code.names import Names


@dataclass(slots=True)
class Scope:
    """What the cells read so far define: each name's kind and the last cell that defined it."""

    python: int | None = None
    """The notebook's Python, where it is known (`python_version`)."""
    variables: dict[str, int] = field(default_factory=dict)
    methods: dict[str, int] = field(default_factory=dict)

    def add(self, names: Names, cell: int) -> None:
        """Enter what a cell defines; a name is what its last definition made it."""
        for name in names.variables | names.methods | names.gone:
            self.variables.pop(name, None)
            self.methods.pop(name, None)
        self.variables |= dict.fromkeys(names.variables, cell)
        self.methods |= dict.fromkeys(names.methods, cell)

    def add_source(self, source: str, cell: int, names: Names | None = None) -> None:
        """Enter what a code cell defines, whatever it is; `names` are its Python's, if known."""
        if names is None or "%%" in source:
            names = names_above(source, self.python)
        self.add(names, cell)


def contextual_fields(used: frozenset[str], scope: Scope, nl: str) -> dict[str, Any]:
    """Return the columns that say what the target takes from above.

    A name that the NL mentions does not count: it could be known without the context. `multi_cell`
    is for names of two or more code cells, each name of the cell that defined it last.
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
