"""What a cell binds and reads at its top level, in running order; the same on every Python.

`symtable` knows scopes but no order (`df = df.dropna()` needs a `df` from above), and what it says
of class bodies and comprehensions depends on the interpreter.
"""

# ruff: noqa: D102  (a visitor's methods are named for what they visit)

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from nl2code.python_code.scopes import Body, Scopes

_LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue


class Flow(ast.NodeVisitor):
    """Walks a module in running order, and tells its scopes.

    Loops, a `try` and the branches of an `if` are taken to run: in real cells where a name is bound
    in one branch and read below, the cell is whole in itself. A lambda runs where it stands, unless
    it is given a name.
    """

    def __init__(self) -> None:
        self.scopes = Scopes()

    def visit(self, node: ast.AST) -> None:
        _VISITS[type(node)](self, node)

    def generic_visit(self, node: ast.AST) -> None:
        for name in _FIELDS[type(node)]:  # faster than the library's
            child = getattr(node, name)
            if isinstance(child, ast.AST):
                _VISITS[type(child)](self, child)
            elif isinstance(child, list):
                for item in child:
                    if isinstance(item, ast.AST):
                        _VISITS[type(item)](self, item)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        pass

    def _visit_all(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _visit_branches(self, *branches: Sequence[ast.AST | None]) -> None:
        before = self.scopes.now.bound
        ends = []
        for branch in branches:
            self.scopes.now.bound = set(before)
            self._visit_all(*branch)
            if not (branch and isinstance(branch[-1], _LEAVING)):
                ends.append(self.scopes.now.bound)
        self.scopes.now.bound = before.union(*ends)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.scopes.bind(node.id)
        else:
            self.scopes.read(node.id)
        if isinstance(node.ctx, ast.Del):
            self.scopes.delete(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(node.value, ast.Lambda) and isinstance(target, ast.Name):
            body = self._visit_function(node.value, [node.value.body])
            self._visit_all(*node.targets)
            self.scopes.keep(body, target.id)
        else:
            self._visit_all(node.value, *node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.scopes.read(node.target.id)
        self._visit_all(node.value, node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_all(node.annotation, node.value)
        if node.value or not isinstance(node.target, ast.Name):
            self.visit(node.target)
        else:  # binds nothing, and yet makes the name a function's own
            self.scopes.now.ever_bound.add(node.target.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        with self.scopes.around_comprehensions():
            self.scopes.bind(node.target.id)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._visit_all(node.iter, node.target, *node.body, *node.orelse)

    visit_AsyncFor = visit_For  # noqa: N815

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._visit_branches(node.body, node.orelse)

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        cases = ([case.pattern, case.guard, *case.body] for case in node.cases)
        self._visit_branches(*cases)

    def visit_Try(self, node: ast.Try | ast.TryStar) -> None:
        before = set(self.scopes.now.bound)
        self._visit_all(*node.body)
        succeeded, kinds = self.scopes.now.bound, dict(self.scopes.kinds)
        for handler in node.handlers:
            self.scopes.now.bound = set(before)
            self.visit(handler)
        self.scopes.now.bound = succeeded
        self.scopes.kinds |= kinds  # `except ImportError: plt = None` makes no variable of a module
        self._visit_all(*node.orelse, *node.finalbody)

    visit_TryStar = visit_Try  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._visit_all(node.type)
        if node.name:
            self.scopes.bind(node.name, "caught")
        self._visit_all(*node.body)
        if node.name:  # Python deletes it at the end of the block
            self.scopes.now.bound.discard(node.name)

    def _visit_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        self.visit(node.generators[0].iter)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        with self.scopes.inside("comprehension"):
            for number, loop in enumerate(node.generators):
                self._visit_all(loop.iter if number else None, loop.target, *loop.ifs)
            self._visit_all(*results)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension  # noqa: N815

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_all(*node.decorator_list, node.returns)
        body = self._visit_function(node, node.body)
        self.scopes.bind(node.name, "method")
        self.scopes.keep(body, node.name)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.scopes.keep(self._visit_function(node, [node.body]))

    def _visit_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, body: Sequence[ast.AST]
    ) -> Body:
        """Return what the body takes from outside; defaults and annotations are read here."""
        self.visit(node.args)
        with self.scopes.inside("function") as inside:
            for argument in ast.iter_child_nodes(node.args):
                if isinstance(argument, ast.arg):
                    self.scopes.bind(argument.arg)
            self._visit_all(*body)
        inside.body.reads -= inside.ever_bound
        return inside.body

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all(*node.decorator_list, *node.bases, *node.keywords)
        with self.scopes.inside("class") as inside:
            self._visit_all(*node.body)
        self.scopes.bind(node.name, "method")
        self.scopes.keep(inside.body, node.name)

    def visit_Global(self, node: ast.Global) -> None:
        self.scopes.declare(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        self.scopes.bind(node.asname or node.name.partition(".")[0], "import")

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._visit_all(node.pattern)
        self._bind_if_named(node.name)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._bind_if_named(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._visit_all(*node.keys, *node.patterns)
        self._bind_if_named(node.rest)

    def _bind_if_named(self, name: str | None) -> None:
        if name:
            self.scopes.bind(name)


# Fields with no name in them: operators, contexts, and what is text or a number.
_BARE = frozenset(
    ["ctx", "op", "ops", "attr", "kind", "level", "module", "conversion", "type_comment", "simple"]
)


class _Visits(dict[type[ast.AST], Callable[[Flow, Any], None]]):
    """What visits each type of node, looked up once."""

    def __missing__(self, kind: type[ast.AST]) -> Callable[[Flow, Any], None]:
        visit: Callable[[Flow, Any], None]
        visit = getattr(Flow, f"visit_{kind.__name__}", Flow.generic_visit)
        return self.setdefault(kind, visit)


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each type of node that may hold nodes with names in them."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = tuple(name for name in kind._fields if name not in _BARE)
        return self.setdefault(kind, fields)


_VISITS, _FIELDS = _Visits(), _Fields()
