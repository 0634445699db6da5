"""API sequences: precision and recall of the set of calls, averaged over examples (paper §7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nl2code.metrics.pairs import VERSION, References, number_of_references, token_pairs
from nl2code.records import Score


@dataclass(frozen=True, slots=True)
class ApiScores:
    """The two figures of the API sequence task."""

    precision: Score
    recall: Score


def api_sequence_scores(predictions: Sequence[str], references: References) -> ApiScores:
    """Macro-averaged precision and recall of the set of calls.

    An empty prediction scores 0 in both, and so does an empty reference, even against each other.
    `NO_API_SEQUENCE` is a token like any call, as in the authors' script. Among several
    references the one with the best F1 counts.

    >>> scores = api_sequence_scores(["fit fit plot", ""], ["DecisionTreeClassifier fit", "fit"])
    >>> scores.precision.value, scores.recall.value
    (0.25, 0.25)
    """
    pairs = token_pairs(predictions, references)
    best = [
        max((_overlap(set(calls), set(gold)) for gold in golds), key=_f1) for calls, golds in pairs
    ]
    nrefs = number_of_references(pairs)
    counts: dict[str, int | float] = {
        "pairs": len(pairs),
        "empty_predictions": sum(not calls for calls, _ in pairs),
    }
    precision, recall = (sum(values) / len(pairs) for values in zip(*best, strict=True))
    return ApiScores(
        Score("precision", precision, api_signature("precision", nrefs), counts),
        Score("recall", recall, api_signature("recall", nrefs), counts),
    )


def api_signature(name: str, nrefs: str = "1") -> str:
    """What beside the data decides the figure `name`, precision or recall."""
    return f"api_{name}|nrefs:{nrefs}|calls:set|average:macro|empty:0|version:{VERSION}"


def _overlap(calls: set[str], gold: set[str]) -> tuple[float, float]:
    if not calls or not gold:
        return 0.0, 0.0
    common = len(calls & gold)
    return common / len(calls), common / len(gold)


def _f1(scores: tuple[float, float]) -> float:
    precision, recall = scores
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
