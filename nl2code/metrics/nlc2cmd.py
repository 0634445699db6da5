"""NLC2CMD's accuracy of one command against another (NeurIPS 2020 competition; spec §6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from nl2code.bash_code import Pipeline
from nl2code.bash_code.tree import Call, Flag, walk

Calls = Sequence[tuple[str, frozenset[str]]]


def utilities_with_flags(tree: Pipeline | None) -> Calls:
    """The utilities called, nested ones too, each with the set of its own flags."""
    return [
        (node.utility, frozenset(part.name for part in node.parts if isinstance(part, Flag)))
        for node in (walk(tree) if tree else ())
        if isinstance(node, Call) and node.utility
    ]


def accuracy(predicted: Calls, reference: Calls) -> float:
    """Utilities paired by position: (1 + F) / 2 for the same one, -1 for another or for none.

    F compares the flags: 1 for the same, -1 at worst.

    >>> accuracy([("ls", frozenset())], [("ls", frozenset({"-a"}))])
    0.0
    >>> accuracy([("ls", frozenset())], [("ls", frozenset()), ("wc", frozenset())])
    0.0
    """
    pairs = list(zip_longest(predicted, reference))
    return sum(_pair(one, other) for one, other in pairs) / len(pairs) if pairs else 0.0


def _pair(
    one: tuple[str, frozenset[str]] | None, other: tuple[str, frozenset[str]] | None
) -> float:
    if one is None or other is None or one[0] != other[0]:
        return -1.0
    ours, theirs = one[1], other[1]
    if not ours and not theirs:
        return 1.0
    common, either = len(ours & theirs), len(ours | theirs)
    return (1 + (2 * common - either) / max(1, len(ours), len(theirs))) / 2
