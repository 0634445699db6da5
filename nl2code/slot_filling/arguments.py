"""Every argument of a command, with its utility and flag, changed in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from nl2code.bash_code.tree import (
    Argument,
    Assignment,
    Call,
    Flag,
    Nested,
    Part,
    Pipeline,
    Redirect,
)

Change = Callable[[Argument, str, str], Argument]
"""What stands for the argument of this utility and flag; the flag of a positional one is empty."""


def with_arguments(tree: Pipeline, change: Change) -> Pipeline:
    """The tree with each argument changed, in the order of the text.

    What is inside an argument, such as the `date` of `"$(date).log"`, belongs to it.
    """
    return replace(tree, calls=tuple(_call(call, change) for call in tree.calls))


def _call(call: Call, change: Change) -> Call:
    part = partial(_part, utility=call.utility, flag="", change=change)
    return replace(
        call,
        assignments=tuple(_assignment(one, call.utility, change) for one in call.assignments),
        program=part(call.program) if call.program is not None else None,
        parts=tuple(map(part, call.parts)),
        redirects=tuple(Redirect(one.operator, part(one.target)) for one in call.redirects),
    )


def _part(part: Part, utility: str, flag: str, change: Change) -> Part:
    match part:
        case Argument():
            return change(part, utility, flag)
        case Flag(argument=Argument() | Nested() | Call() as taken):
            return replace(part, argument=_part(taken, utility, part.name, change))
        case Nested():
            return replace(part, body=with_arguments(part.body, change))
        case Call():
            return _call(part, change)
        case Assignment():
            return _assignment(part, utility, change)
        case _:
            return part


def _assignment(part: Assignment, utility: str, change: Change) -> Assignment:
    if part.value is None:
        return part
    return replace(part, value=_part(part.value, utility, "", change))
