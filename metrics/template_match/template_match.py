"""Template match of Bash commands, for `evaluate.load`."""

from typing import Any

import evaluate

from nl2code.metrics.bash import template_match
from nl2code.metrics.features import RANKED_FEATURES, RANKED_INPUTS

_DESCRIPTION = "The share of examples with a prediction whose template equals a reference's."
_RETURNS = """Returns:
    template_match: a fraction.
    signature: what beside the data decides the figure.
"""


class TemplateMatch(evaluate.Metric):  # type: ignore[misc]
    """`template_match` of the first k predictions over one or several references."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=RANKED_INPUTS + _RETURNS,
            features=RANKED_FEATURES,
        )

    def _compute(self, predictions: list[Any], references: list[Any], k: int = 1) -> dict[str, Any]:
        score = template_match(predictions, references, k)
        return {"template_match": score.value, "signature": score.signature}
