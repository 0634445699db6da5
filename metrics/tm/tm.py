"""TM of Bash commands, for `evaluate.load`."""

from typing import Any

import evaluate

from nl2code.metrics.bash import tm
from nl2code.metrics.features import RANKED_FEATURES, RANKED_INPUTS

_DESCRIPTION = "How many utilities, flags and operators prediction and reference share."
_RETURNS = """Returns:
    tm: a fraction.
    signature: what beside the data decides the figure.
"""


class Tm(evaluate.Metric):  # type: ignore[misc]
    """`tm` of the first k predictions over one or several references."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=RANKED_INPUTS + _RETURNS,
            features=RANKED_FEATURES,
        )

    def _compute(self, predictions: list[Any], references: list[Any], k: int = 1) -> dict[str, Any]:
        score = tm(predictions, references, k)
        return {"tm": score.value, "signature": score.signature}
