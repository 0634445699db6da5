"""Corpus BLEU on whitespace tokens, twice: as the authors' script has it, and sacreBLEU's.

The two differ in smoothing and in how they count predictions under four tokens, so a figure
means something only beside its signature. Fractions, not percentages.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import nltk
import sacrebleu
from nltk.translate.bleu_score import SmoothingFunction, closest_ref_length, corpus_bleu

from nl2code.metrics.pairs import Pair, References, number_of_references, token_pairs
from nl2code.records import Score


def bleu_nltk3(predictions: Sequence[str], references: References) -> Score:
    """NLTK's corpus BLEU with smoothing method 3 (spec: the authors' scorer).

    NLTK counts one n-gram of each order that a prediction under four tokens is too short for, so
    exact predictions may score below 1:

    >>> round(bleu_nltk3(["f ( x )", "x"], ["f ( x )", "x"]).value, 4)
    0.7071
    """
    pairs = token_pairs(predictions, references)
    hypotheses = [prediction for prediction, _ in pairs]
    value = corpus_bleu(
        [candidates for _, candidates in pairs],
        hypotheses,
        smoothing_function=SmoothingFunction().method3,
    )
    signature = (
        f"nltk.corpus_bleu|nrefs:{number_of_references(pairs)}|tok:whitespace"
        f"|smooth:method3|version:{nltk.__version__}"
    )
    return Score("bleu_nltk3", float(value), signature, _lengths(pairs))


def _lengths(pairs: Sequence[Pair]) -> dict[str, int | float]:
    return {
        "pairs": len(pairs),
        "prediction_tokens": sum(len(prediction) for prediction, _ in pairs),
        "reference_tokens": sum(closest_ref_length(refs, len(tokens)) for tokens, refs in pairs),
    }


def bleu_sacre(predictions: Sequence[str], references: References) -> Score:
    """The BLEU of sacreBLEU on the tokens as given (`tokenize=none`), with its own signature.

    >>> score = bleu_sacre(["f ( x )"], ["f ( x )"])
    >>> score.value
    1.0
    >>> score.signature.rpartition("|")[0]
    'sacrebleu|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp'
    """
    pairs = token_pairs(predictions, references)
    hypotheses = [" ".join(prediction) for prediction, _ in pairs]
    # sacreBLEU wants one stream a reference; None fills up where references are fewer.
    streams = zip_longest(*([" ".join(tokens) for tokens in refs] for _, refs in pairs))
    # force: code is meant to be tokenized, which sacreBLEU would warn about.
    scorer = sacrebleu.BLEU(tokenize="none", force=True)
    result = scorer.corpus_score(hypotheses, [list(stream) for stream in streams])
    counts = _lengths(pairs)
    for order, (matches, total) in enumerate(zip(result.counts, result.totals, strict=True), 1):
        counts |= {f"matches_{order}": matches, f"total_{order}": total}
    value = result.score / 100
    return Score("bleu_sacre", min(value, 1.0), f"sacrebleu|{scorer.get_signature()}", counts)
