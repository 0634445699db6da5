"""Predictions beside their references, as tokens: what every metric begins with."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

References = Sequence[str] | Sequence[Sequence[str]]
"""One reference a prediction, or a list of them; the lists may differ in length."""

VERSION = f"nl2code-{version('nl2code')}"

Pair = tuple[list[str], list[list[str]]]


def token_pairs(predictions: Sequence[str], references: References) -> list[Pair]:
    """The tokens of each prediction with the tokens of each of its references.

    >>> token_pairs(["x = 1", ""], ["x = 2", ["y", "y z"]])
    [(['x', '=', '1'], [['x', '=', '2']]), ([], [['y'], ['y', 'z']])]

    Raises:
        ValueError: There is nothing to score, or the two differ in length.
        TypeError: Something is no string. A list of tokens would be scored too, and wrongly.
    """
    if isinstance(predictions, str) or isinstance(references, str):
        raise TypeError("predictions and references are lists of strings, not one string")
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions, but {len(references)} references")
    if not predictions:
        raise ValueError("no predictions: there is nothing to score")
    return [
        (_tokens(prediction), [_tokens(one) for one in _listed(reference)])
        for prediction, reference in zip(predictions, references, strict=True)
    ]


def _listed(reference: str | Sequence[str]) -> Sequence[str]:
    if isinstance(reference, str):
        return [reference]
    if not reference:
        raise ValueError("a prediction has an empty list of references")
    return reference


def _tokens(text: object) -> list[str]:
    if not isinstance(text, str):
        kind = type(text).__name__
        raise TypeError(f"tokens are given as one string, joined by blanks, not as {kind}")
    return text.split()


def number_of_references(pairs: Sequence[Pair]) -> str:
    """How many references a prediction has, in sacreBLEU's words.

    >>> number_of_references([([], [["a"]]), ([], [["a"], ["b"]])])
    'var'
    """
    counts = {len(references) for _, references in pairs}
    return str(counts.pop()) if len(counts) == 1 else "var"
