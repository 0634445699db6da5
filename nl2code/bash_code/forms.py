"""The one form that `find` and `xargs` are written in (spec §3)."""

from __future__ import annotations

from nl2code.bash_code.tree import Argument, Call, Flag, Nested, Part, Reserved

REPLACES = frozenset({"-I", "-i", "--replace", "-J"})
_BEFORE_PATHS = frozenset({"-H", "-L", "-P", "-O", "-D", "-s", "-d", "-x", "-X", "-f", "-E"})


def settled(utility: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """`find` with a path; `xargs` with one `-I {}`, last before its command.

    >>> settled("find", (Flag("-print"),))
    (Argument(text='.', type='Path', inner=()), Flag(name='-print', argument=None, joined=False))
    """
    if utility == "find":
        return _with_path(parts)
    if utility == "xargs" and isinstance(parts[-1] if parts else None, Call | Nested | Argument):
        return _with_one_replacement(parts)
    return parts


def _with_path(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    place = 0
    for part in parts:
        if not isinstance(part, Flag) or part.name not in _BEFORE_PATHS:
            break
        place += 1
    if place < len(parts) and not isinstance(parts[place], Flag | Reserved):
        return parts
    if place < len(parts) and parts[place] == Reserved("{}"):
        return parts
    return (*parts[:place], Argument(".", "Path"), *parts[place:])


def _with_one_replacement(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    *flags, last, command = parts
    dropped = REPLACES | {"--"}
    kept = [part for part in flags if not isinstance(part, Flag) or part.name not in dropped]
    return (*kept, last, command)
