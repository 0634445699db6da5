"""How far annotators agree: raw, and beyond chance (Cohen's kappa)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sklearn.metrics import cohen_kappa_score

Answers = Sequence[bool | None]
"""One annotator's answers, None where there is none."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of two annotators, over what both answered."""

    first: str
    second: str
    items: int
    raw: float | None
    """None without an item."""
    kappa: float | None
    """None where chance alone agrees as well: everyone always gave one answer."""


def agreements(answers: dict[str, Answers]) -> list[Agreement]:
    """The agreement of each pair of annotators.

    >>> (found,) = agreements({"a": [True, True, False, None], "b": [True, False, False, True]})
    >>> (found.items, round(found.raw, 3), round(found.kappa, 3))
    (3, 0.667, 0.4)
    """
    return [_agreement(one, other, answers) for one, other in combinations(answers, 2)]


def _agreement(first: str, second: str, answers: dict[str, Answers]) -> Agreement:
    both = [
        (one, other)
        for one, other in zip(answers[first], answers[second], strict=True)
        if one is not None and other is not None
    ]
    raw = sum(one == other for one, other in both) / len(both) if both else None
    kappa = None
    if len({answer for pair in both for answer in pair}) == 2:
        kappa = float(cohen_kappa_score(*zip(*both, strict=True)))
    return Agreement(first, second, len(both), raw, kappa)
