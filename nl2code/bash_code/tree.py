"""The tree of a command: every word belongs to a utility or a flag, every argument has a type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Argument:
    """A word of the open vocabulary."""

    text: str
    """As written, quotes included."""
    type: str
    """One of the spec's types: `File`, `Regex`, `Quantity` …"""
    inner: tuple[Pipeline, ...] = ()
    """The commands inside the text: one in `"since $(date)"`."""


@dataclass(frozen=True, slots=True)
class Reserved:
    r"""A word that means itself: `{}`, `\;`, `+`, `!`, `\(`."""

    text: str


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag in the form that we write, and what it takes."""

    name: str
    argument: Part | None = None
    joined: bool = False
    """Whether the argument follows without a blank: `--lines=5`, `-5`."""


@dataclass(frozen=True, slots=True)
class Nested:
    """A pipeline in a word's place: `$(…)`, `<(…)`, or the string that `ssh` runs."""

    opener: str
    body: Pipeline
    closer: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=value`, before a command or instead of one."""

    name: str
    operator: str
    value: Part | None


@dataclass(frozen=True, slots=True)
class Redirect:
    """`2>&1`, `> file`."""

    operator: str
    target: Part


@dataclass(frozen=True, slots=True)
class Call:
    """A utility with its flags and arguments, in the order written."""

    utility: str
    """Its name; empty where `program` or nothing but assignments stands."""
    parts: tuple[Part, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    program: Part | None = None
    """What is called when it is no utility of the table: a path, a variable, a substitution."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Calls joined by `|` or `|&`: what `parse` returns."""

    calls: tuple[Call, ...]
    operators: tuple[str, ...] = ()
    background: bool = False


Part: TypeAlias = Argument | Reserved | Flag | Nested | Call | Assignment
Tree: TypeAlias = Pipeline | Redirect | Part
"""Any node."""


def walk(tree: Tree) -> Iterator[Tree]:
    """A tree's nodes, each before what it holds, in the order of the text."""
    stack: list[Tree | None] = [tree]
    while stack:
        node = stack.pop()
        if node is None:
            continue
        yield node
        stack += reversed(_children(node))


def _children(node: Tree) -> tuple[Tree | None, ...]:
    match node:
        case Pipeline():
            return node.calls
        case Call():
            return (*node.assignments, node.program, *node.parts, *node.redirects)
        case Flag():
            return (node.argument,)
        case Nested():
            return (node.body,)
        case Assignment():
            return (node.value,)
        case Redirect():
            return (node.target,)
        case Argument():
            return node.inner
        case Reserved():
            return ()
