"""Exact match of whitespace-joined code tokens, for `evaluate.load`."""

from typing import Any

import evaluate

from nl2code.metrics.exact_match import exact_match
from nl2code.metrics.features import INPUTS, TOKEN_FEATURES

_DESCRIPTION = "The share of predictions whose list of tokens equals one of their references'."
_RETURNS = """Returns:
    exact_match: a fraction.
"""


class ExactMatchCode(evaluate.Metric):  # type: ignore[misc]
    """`exact_match` over one or several references."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=INPUTS + _RETURNS,
            features=TOKEN_FEATURES,
        )

    def _compute(self, predictions: list[str], references: list[Any]) -> dict[str, float]:
        return {"exact_match": exact_match(predictions, references).value}
