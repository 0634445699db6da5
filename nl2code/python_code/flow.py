"""Names at the top level of a cell, in the order in which it runs."""

# ruff: noqa: D102  (a visitor's methods are named for what they visit)

from __future__ import annotations

import ast


class Flow(ast.NodeVisitor):
    """Walks a module in running order; bodies of functions and classes are left to `symtable`.

    `symtable` knows scopes but no order: for it `df = df.dropna()` needs no `df` from above.
    """

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.ever_bound: set[str] = set()
        self.variables: set[str] = set()
        self.methods: set[str] = set()
        self._bound: set[str] = set()
        self._comprehension: tuple[str, ...] = ()

    def _use(self, name: str) -> None:
        if name not in self._bound and name not in self._comprehension:
            self.used.add(name)

    def _bind(self, name: str | None, kind: set[str] | None = None) -> None:
        if name is None:
            return
        self._unbind(name)
        self._bound.add(name)
        self.ever_bound.add(name)
        if kind is not None:
            kind.add(name)

    def _unbind(self, name: str) -> None:
        for names in (self._bound, self.variables, self.methods):
            names.discard(name)

    def _visit_all(self, *nodes: ast.AST | list[ast.AST] | None) -> None:
        for node in nodes:
            if isinstance(node, list):
                self._visit_all(*node)
            elif node is not None:
                self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id, self.variables)
            return
        self._use(node.id)
        if isinstance(node.ctx, ast.Del):
            self._unbind(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._visit_all(node.value, [*node.targets])

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._use(node.target.id)
        self._visit_all(node.value, node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_all(node.annotation, node.value)
        if node.value or not isinstance(node.target, ast.Name):
            self.visit(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._visit_all(node.value, node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._visit_all(node.iter, node.target, [*node.body], [*node.orelse])

    visit_AsyncFor = visit_For  # noqa: N815

    def _visit_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        around = self._comprehension
        for generator in node.generators:
            self.visit(generator.iter)
            names = [n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)]
            self._comprehension += tuple(names)
            self._visit_all([*generator.ifs])
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._visit_all([*results])
        self._comprehension = around

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension  # noqa: N815

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_all([*node.decorator_list], node.args, node.returns)
        self._bind(node.name, self.methods)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all([*node.decorator_list], [*node.bases], [*node.keywords])
        self._bind(node.name, self.methods)

    def visit_alias(self, node: ast.alias) -> None:
        self._bind(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._visit_all(node.type)
        self._bind(node.name)
        self._visit_all([*node.body])
        if node.name:  # Python deletes it at the end of the block
            self._unbind(node.name)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._visit_all(node.pattern)
        self._bind(node.name, self.variables)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._bind(node.name, self.variables)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._visit_all([*node.keys], [*node.patterns])
        self._bind(node.rest, self.variables)
