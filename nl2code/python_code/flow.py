"""What a cell binds and reads at its top level, in running order; the same on every Python.

`symtable` knows scopes but no order (`df = df.dropna()` needs a `df` from above), and what it says
of class bodies and comprehensions depends on the interpreter.
"""

# ruff: noqa: D102  (a visitor's methods are named for what they visit)

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["variable", "method", "import", "caught", "deleted"]
_LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue


@dataclass(slots=True)
class Body:
    """What runs when a function is called: the globals that it reads before it writes them."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Scope:
    kind: Literal["module", "class", "function", "comprehension"]
    parent: _Scope | None = None
    bound: set[str] = field(default_factory=set)
    """Names that are there by now."""
    ever_bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    """Names declared `global` or `nonlocal`."""
    body: Body = field(default_factory=Body)


class Flow(ast.NodeVisitor):
    """Walks a module in running order.

    Loops, a `try` and the branches of an `if` are taken to run: in real cells where a name is bound
    in one branch and read below, the cell is whole in itself. The body of a function runs where the
    module first reads its name, or else at the end; that of a lambda at once, unless it is named.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, Kind] = {}
        self._used: set[str] = set()
        self._bodies: dict[str, Body] = {}
        self._module = self._scope = _Scope("module")

    def used(self) -> set[str]:
        """Return what the module read before it bound it."""
        there = set(self._module.ever_bound)
        for body in self._bodies.values():
            there |= body.writes
        return self._used.union(*(body.reads - there for body in self._bodies.values()))

    def generic_visit(self, node: ast.AST) -> None:
        for name in node._fields:  # twice as fast as the library's
            child = getattr(node, name)
            if isinstance(child, list):
                for item in child:
                    if isinstance(item, ast.AST):
                        self.visit(item)
            elif isinstance(child, ast.AST):
                self.visit(child)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        pass

    def _read(self, name: str) -> None:
        scope = self._scope
        if scope.kind == "class" and name in scope.bound:
            return
        while scope.parent and scope.kind != "function":
            if scope.kind == "comprehension" and name in scope.bound:
                return
            scope = scope.parent
        if scope.kind == "function":
            if name not in scope.outer or name not in scope.bound:
                scope.body.reads.add(name)
        else:
            self._read_global(name)

    def _read_global(self, name: str) -> None:
        if name not in self._module.bound:
            self._used.add(name)
        elif body := self._bodies.pop(name, None):
            self._run(body)

    def _run(self, body: Body) -> None:
        for name in sorted(body.reads):  # in an order, as the next may read what this one writes
            self._read_global(name)
        self._module.bound |= body.writes
        self._module.ever_bound |= body.writes

    def _bind(self, name: str, kind: Kind = "variable") -> None:
        scope = self._scope
        if name not in scope.outer:
            scope.ever_bound.add(name)
        elif name not in scope.body.reads:
            scope.body.writes.add(name)
        scope.bound.add(name)
        if scope is self._module:
            self.kinds[name] = kind
            self._bodies.pop(name, None)

    def _delete(self, name: str) -> None:
        self._bind(name, "deleted")
        self._scope.bound.discard(name)

    def _visit_all(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _visit_branches(self, *branches: Sequence[ast.AST | None]) -> None:
        before = self._scope.bound
        ends = []
        for branch in branches:
            self._scope.bound = set(before)
            self._visit_all(*branch)
            if not (branch and isinstance(branch[-1], _LEAVING)):
                ends.append(self._scope.bound)
        self._scope.bound = before.union(*ends)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id)
            return
        self._read(node.id)
        if isinstance(node.ctx, ast.Del):
            self._delete(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(node.value, ast.Lambda) and isinstance(target, ast.Name):
            body = self._visit_function(node.value, [node.value.body])
            self._visit_all(*node.targets)
            self._keep(body, target.id)
        else:
            self._visit_all(node.value, *node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._read(node.target.id)
        self._visit_all(node.value, node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_all(node.annotation, node.value)
        if node.value or not isinstance(node.target, ast.Name):
            self.visit(node.target)
        else:  # binds nothing, and yet makes the name a function's own
            self._scope.ever_bound.add(node.target.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        inside = self._scope
        while self._scope.kind == "comprehension" and self._scope.parent:
            self._scope = self._scope.parent
        self._bind(node.target.id)
        self._scope = inside

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
        before = set(self._scope.bound)
        self._visit_all(*node.body)
        succeeded, kinds = self._scope.bound, dict(self.kinds)
        for handler in node.handlers:
            self._scope.bound = set(before)
            self.visit(handler)
        self._scope.bound = succeeded
        self.kinds |= kinds  # `except ImportError: plt = None` makes no variable of a module
        self._visit_all(*node.orelse, *node.finalbody)

    visit_TryStar = visit_Try  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._visit_all(node.type)
        if node.name:
            self._bind(node.name, "caught")
        self._visit_all(*node.body)
        if node.name:  # Python deletes it at the end of the block
            self._scope.bound.discard(node.name)

    def _visit_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        self.visit(node.generators[0].iter)
        self._scope = inside = _Scope("comprehension", self._scope)
        for position, generator in enumerate(node.generators):
            self._visit_all(generator.iter if position else None, generator.target, *generator.ifs)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._visit_all(*results)
        assert inside.parent
        self._scope = inside.parent

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension  # noqa: N815

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_all(*node.decorator_list, node.returns)
        body = self._visit_function(node, node.body)
        self._bind(node.name, "method")
        self._keep(body, node.name)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._keep(self._visit_function(node, [node.body]))

    def _visit_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, body: Sequence[ast.AST]
    ) -> Body:
        """Return what the body takes from outside; defaults and annotations are read here."""
        self.visit(node.args)
        around = self._scope
        self._scope = inside = _Scope("function", around)
        for argument in ast.iter_child_nodes(node.args):
            if isinstance(argument, ast.arg):
                self._bind(argument.arg)
        self._visit_all(*body)
        self._scope = around
        inside.body.reads -= inside.ever_bound
        inside.body.writes -= inside.ever_bound  # what a function in it declares `nonlocal`
        return inside.body

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all(*node.decorator_list, *node.bases, *node.keywords)
        around = self._scope
        self._scope = inside = _Scope("class", around)
        self._visit_all(*node.body)
        self._scope = around
        self._bind(node.name, "method")
        self._keep(inside.body, node.name)

    def _keep(self, body: Body, name: str | None = None) -> None:
        """Note what the function called `name` will read; without a name it runs at once."""
        scope = self._scope
        while scope.kind == "comprehension" and scope.parent:
            body.reads -= scope.bound
            scope = scope.parent
        if scope is not self._module:
            scope.body.reads |= body.reads
            scope.body.writes |= body.writes
        elif name:
            self._bodies[name] = body
            for write in body.writes:
                self.kinds.setdefault(write, "variable")
        else:
            self._run(body)

    def visit_Global(self, node: ast.Global) -> None:
        if self._scope is not self._module:
            self._scope.outer.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.outer.update(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        self._bind(node.asname or node.name.partition(".")[0], "import")

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
            self._bind(name)
