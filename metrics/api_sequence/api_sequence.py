"""Precision and recall of the set of calls in API sequences, for `evaluate.load`."""

from typing import Any

import evaluate

from nl2code.metrics.api import api_sequence_scores
from nl2code.metrics.features import INPUTS, TOKEN_FEATURES

_DESCRIPTION = "Precision and recall of the set of calls, averaged over examples (JuICe, §7)."
_RETURNS = """Returns:
    precision: a fraction.
    recall: a fraction.
"""


class ApiSequence(evaluate.Metric):  # type: ignore[misc]
    """`precision` and `recall` of the set of calls."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=INPUTS + _RETURNS,
            features=TOKEN_FEATURES,
        )

    def _compute(self, predictions: list[str], references: list[Any]) -> dict[str, float]:
        scores = api_sequence_scores(predictions, references)
        return {"precision": scores.precision.value, "recall": scores.recall.value}
