"""Exact match: the share of predictions with the same tokens as a reference."""

from __future__ import annotations

from collections.abc import Sequence

from nl2code.metrics.pairs import VERSION, References, number_of_references, token_pairs
from nl2code.records import Score


def exact_match(predictions: Sequence[str], references: References) -> Score:
    """The share of predictions whose list of tokens equals one of their references'.

    >>> exact_match(["x = 1", "x=1"], ["x  =  1", "x = 1"]).value
    0.5
    """
    pairs = token_pairs(predictions, references)
    matches = sum(prediction in candidates for prediction, candidates in pairs)
    counts: dict[str, int | float] = {"matches": matches, "pairs": len(pairs)}
    signature = exact_match_signature(number_of_references(pairs))
    return Score("exact_match", matches / len(pairs), signature, counts)


def exact_match_signature(nrefs: str = "1") -> str:
    """What beside the data decides the figure."""
    return f"exact_match|nrefs:{nrefs}|tok:whitespace|version:{VERSION}"
