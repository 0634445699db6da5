"""The scopes of a cell: which names are bound by now, and which the cell takes from above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["variable", "method", "import", "caught", "deleted"]


@dataclass(slots=True)
class Body:
    """What runs when a function is called: the globals that it reads before it writes them."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Scope:
    """One module, class, function or comprehension."""

    kind: Literal["module", "class", "function", "comprehension"]
    parent: Scope | None = None
    bound: set[str] = field(default_factory=set)
    """Names that are there by now."""
    ever_bound: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    """Names declared `global`; of `nonlocal` ones, none can come from above."""
    body: Body = field(default_factory=Body)


class Scopes:
    """A stack of scopes, told of each binding and reading in running order.

    The body of a function runs where the module first reads its name, or else at the end.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, Kind] = {}
        """What its last binding made of each name of the module."""
        self._used: set[str] = set()
        self._bodies: dict[str, Body] = {}
        self._module = self.now = Scope("module")

    def used(self) -> set[str]:
        """Return what the module read before it bound it."""
        bodies = self._bodies.values()
        there = self._module.ever_bound.union(*(body.writes for body in bodies))
        return self._used.union(*(body.reads - there for body in bodies))

    @contextmanager
    def inside(self, kind: Literal["class", "function", "comprehension"]) -> Iterator[Scope]:
        """Enter a new scope."""
        around = self.now
        self.now = Scope(kind, around)
        yield self.now
        self.now = around

    @contextmanager
    def around_comprehensions(self) -> Iterator[None]:
        """Go to where `:=` binds."""
        inside = self.now
        while self.now.kind == "comprehension" and self.now.parent:
            self.now = self.now.parent
        yield
        self.now = inside

    def bind(self, name: str, kind: Kind = "variable") -> None:
        """Bind a name in the present scope."""
        scope = self.now
        if name not in scope.declared:
            scope.ever_bound.add(name)
        elif name not in scope.body.reads:
            scope.body.writes.add(name)
        scope.bound.add(name)
        if scope is self._module:
            self.kinds[name] = kind
            self._bodies.pop(name, None)

    def delete(self, name: str) -> None:
        """Delete a name; in a function it is the function's own all the same."""
        self.bind(name, "deleted")
        self.now.bound.discard(name)

    def declare(self, names: Sequence[str]) -> None:
        """Note that names are the module's."""
        if self.now is not self._module:
            self.now.declared.update(names)

    def read(self, name: str) -> None:
        """Read a name in the present scope; what is in a class, only the class itself sees."""
        scope = self.now
        if scope.kind == "class" and name in scope.bound:
            return
        while scope.parent and scope.kind != "function":
            if scope.kind == "comprehension" and name in scope.bound:
                return
            scope = scope.parent
        if scope is self._module:
            self._read_global(name)
        elif name not in scope.declared or name not in scope.bound:
            scope.body.reads.add(name)

    def _read_global(self, name: str) -> None:
        if name not in self._module.bound:
            self._used.add(name)
        elif body := self._bodies.pop(name, None):
            self._run(body)

    def _run(self, body: Body) -> None:
        for name in sorted(body.reads):  # in an order, as one may bring what the next one needs
            self._read_global(name)
        self._module.bound |= body.writes
        self._module.ever_bound |= body.writes

    def keep(self, body: Body, name: str | None = None) -> None:
        """Keep what the function called `name` will read; without a name it runs at once."""
        scope = self.now
        while scope.kind == "comprehension" and scope.parent:
            body.reads -= scope.bound
            scope = scope.parent
        if scope is not self._module:
            scope.body.reads |= body.reads
            scope.body.writes |= body.writes
        elif name is None:
            self._run(body)
        else:
            self._bodies[name] = body
            for write in body.writes:
                self.kinds.setdefault(write, "variable")
