"""Character BLEU of Bash commands, for `evaluate.load`."""

from typing import Any

import evaluate

from nl2code.metrics.bash import char_bleu
from nl2code.metrics.features import RANKED_FEATURES, RANKED_INPUTS

_DESCRIPTION = "The mean over examples of NLTK's unsmoothed sentence BLEU over characters."
_RETURNS = """Returns:
    char_bleu: a fraction.
    signature: what beside the data decides the figure.
"""


class CharBleu(evaluate.Metric):  # type: ignore[misc]
    """`char_bleu` of the first k predictions over one or several references."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=RANKED_INPUTS + _RETURNS,
            features=RANKED_FEATURES,
        )

    def _compute(self, predictions: list[Any], references: list[Any], k: int = 1) -> dict[str, Any]:
        score = char_bleu(predictions, references, k)
        return {"char_bleu": score.value, "signature": score.signature}
