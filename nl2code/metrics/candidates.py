"""Ranked candidates beside their references: what every metric of Bash begins with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nl2code.metrics.pairs import VERSION, References

Candidates = Sequence[str] | Sequence[Sequence[str]]
"""One prediction an example, or a list of them, best first; the lists may differ in length."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The first k candidates of one example, and its references."""

    candidates: tuple[str, ...]
    references: tuple[str, ...]


def ranked(predictions: Candidates, references: References, k: int) -> list[Ranked]:
    """The first `k` candidates of each example with its references.

    >>> ranked(["ls"], [["ls", "ls -a"]], k=3)
    [Ranked(candidates=('ls',), references=('ls', 'ls -a'))]

    Raises:
        ValueError: There is nothing to score, the two differ in length, or k is under 1.
        TypeError: Something is no string.
    """
    if isinstance(predictions, str) or isinstance(references, str):
        raise TypeError("predictions and references are lists, not one string")
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions, but {len(references)} references")
    if not predictions:
        raise ValueError("no predictions: there is nothing to score")
    if k < 1:
        raise ValueError(f"k is {k}, but must be 1 or more")
    return [
        Ranked(_strings(ours, "candidates")[:k], _strings(theirs, "references"))
        for ours, theirs in zip(predictions, references, strict=True)
    ]


def _strings(given: str | Sequence[str], what: str) -> tuple[str, ...]:
    strings = (given,) if isinstance(given, str) else tuple(given)
    if not strings and what == "references":
        raise ValueError("a prediction has an empty list of references")
    for one in strings:
        if not isinstance(one, str):
            raise TypeError(f"{what} are strings, not {type(one).__name__}")
    return strings


def best(pairs: Sequence[Ranked], score: Callable[[str, Sequence[str]], float]) -> float:
    """The mean over examples of their best candidate's score; none at all counts 0."""
    return sum(
        max((score(one, pair.references) for one in pair.candidates), default=0.0) for pair in pairs
    ) / len(pairs)


def bash_signature(name: str, pairs: Sequence[Ranked], k: int, *details: str) -> str:
    """What beside the data decides the figure `name`."""
    counts = {len(pair.references) for pair in pairs}
    nrefs = str(counts.pop()) if len(counts) == 1 else "var"
    return "|".join([name, f"nrefs:{nrefs}", f"k:{k}", *details, f"version:{VERSION}"])
