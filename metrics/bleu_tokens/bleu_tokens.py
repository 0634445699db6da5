"""Corpus BLEU of whitespace-joined code tokens, for `evaluate.load`."""

from typing import Any

import evaluate

from nl2code.metrics.bleu import bleu_nltk3, bleu_sacre
from nl2code.metrics.features import INPUTS, TOKEN_FEATURES

_DESCRIPTION = "Corpus BLEU twice: NLTK with smoothing method 3 (the authors'), and sacreBLEU."
_RETURNS = """Returns:
    bleu_nltk3: a fraction.
    bleu_sacre: a fraction.
    signature: how the two were made, joined by a blank.
"""


class BleuTokens(evaluate.Metric):  # type: ignore[misc]
    """`bleu_nltk3` and `bleu_sacre` with their signatures."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=INPUTS + _RETURNS,
            features=TOKEN_FEATURES,
        )

    def _compute(self, predictions: list[str], references: list[Any]) -> dict[str, float | str]:
        scores = (bleu_nltk3(predictions, references), bleu_sacre(predictions, references))
        values: dict[str, float | str] = {score.name: score.value for score in scores}
        return values | {"signature": " ".join(score.signature for score in scores)}
