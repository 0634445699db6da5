"""NLC2CMD accuracy of Bash commands, for `evaluate.load`."""

from typing import Any

import evaluate

from nl2code.metrics.bash import nlc2cmd
from nl2code.metrics.features import RANKED_FEATURES, RANKED_INPUTS

_DESCRIPTION = "The accuracy of the NLC2CMD competition, from -1 to 1."
_RETURNS = """Returns:
    nlc2cmd: from -1 to 1.
    signature: what beside the data decides the figure.
"""


class Nlc2cmd(evaluate.Metric):  # type: ignore[misc]
    """`nlc2cmd` of the first k predictions over one or several references."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=RANKED_INPUTS + _RETURNS,
            features=RANKED_FEATURES,
        )

    def _compute(self, predictions: list[Any], references: list[Any], k: int = 1) -> dict[str, Any]:
        score = nlc2cmd(predictions, references, k)
        return {"nlc2cmd": score.value, "signature": score.signature}
