"""Scores of Bash commands (NL2Bash, spec §6): the best of the first k, over several references.

Predictions may be anything: what is no Bash scores, as low as it deserves. Fractions.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import nltk
from nltk.translate.bleu_score import sentence_bleu

from nl2code.bash_code import closed_words
from nl2code.metrics.candidates import Candidates, Ranked, bash_signature, best, ranked
from nl2code.metrics.command_forms import form_of, template_of, tree_of
from nl2code.metrics.nlc2cmd import accuracy, utilities_with_flags
from nl2code.metrics.pairs import References
from nl2code.records import Score


def command_match(predictions: Candidates, references: References, k: int = 1) -> Score:
    """Exact match of the canonical commands; what is no Bash matches nothing but itself.

    >>> command_match(["ls -la", "ls"], ["ls -l -a", "pwd"]).value
    0.5
    """
    pairs = ranked(predictions, references, k)
    value = best(pairs, lambda one, golds: float(form_of(one) in map(form_of, golds)))
    signature = bash_signature("command_match", pairs, k, "form:canonical")
    return Score("command_match", value, signature, _counts(pairs))


def template_match(predictions: Candidates, references: References, k: int = 1) -> Score:
    """Exact match of the templates: the same command, whatever its arguments.

    >>> template_match(["ls /tmp", "find . -name x"], ["ls /usr", "find . -type f"]).value
    0.5
    """
    pairs = ranked(predictions, references, k)
    value = best(pairs, lambda one, golds: float(template_of(one) in _templates(golds)))
    signature = bash_signature("template_match", pairs, k)
    return Score("template_match", value, signature, _counts(pairs))


def char_bleu(predictions: Candidates, references: References, k: int = 1) -> Score:
    """The mean of NLTK's sentence BLEU over characters, unsmoothed, of the text as it stands.

    So is the published one; a command under four characters scores 0, even against itself.

    >>> char_bleu([["pwd", "ls -l"]], [["ls -a", "ls -l"]], k=2).value
    1.0
    """
    pairs = ranked(predictions, references, k)
    with warnings.catch_warnings():
        # Its advice to smooth; the published figures do not.
        warnings.filterwarnings("ignore", message="(?s).*hypothesis contains 0 counts")
        value = best(pairs, _sentence_bleu)
    details = ("nltk.sentence_bleu", "tok:char", "smooth:none", f"nltk:{nltk.__version__}")
    signature = bash_signature("char_bleu", pairs, k, *details)
    return Score("char_bleu", value, signature, _counts(pairs))


def _sentence_bleu(prediction: str, references: Sequence[str]) -> float:
    if not prediction:
        return 0.0
    return min(1.0, float(sentence_bleu([list(gold) for gold in references], list(prediction))))


def tm(predictions: Candidates, references: References, k: int = 1) -> Score:
    """TM: how many words of the closed vocabulary two templates have in common, no accuracy.

    The cosine of the two bags of words, common words over the geometric mean of their sizes. The
    spec says "cosine of the counts"; that of the plain count vectors is .02 above its figures on
    test. This reading was chosen for those figures (within .01 there, .015 on dev).

    >>> round(tm(["ls -l a"], ["ls -a b | wc"]).value, 4)
    0.3536
    """
    pairs = ranked(predictions, references, k)
    value = best(pairs, _closest)
    signature = bash_signature("tm", pairs, k, "cosine:bags")
    return Score("tm", value, signature, _counts(pairs))


def _closest(prediction: str, references: Sequence[str]) -> float:
    return max(_cosine(_words(prediction), _words(gold)) for gold in references)


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    common = (one & other).total()
    return common / math.sqrt(one.total() * other.total()) if common else 0.0


def nlc2cmd(predictions: Candidates, references: References, k: int = 1) -> Score:
    """The competition's accuracy, from -1 to 1: utilities by position, then their flags.

    Of all pairs of a candidate and a reference the best counts if it is above 0, else the mean.
    What is no Bash calls no utility.

    >>> nlc2cmd(["ls -l | wc"], ["ls -l | sort"]).value
    0.0
    """
    pairs = ranked(predictions, references, k)
    value = sum(map(_best_or_mean, pairs)) / len(pairs)
    signature = bash_signature("nlc2cmd", pairs, k, "otherwise:mean")
    return Score("nlc2cmd", value, signature, _counts(pairs))


def _best_or_mean(pair: Ranked) -> float:
    calls = [utilities_with_flags(tree_of(one)) for one in pair.candidates or ("",)]
    golds = [utilities_with_flags(tree_of(gold)) for gold in pair.references]
    values = [accuracy(call, gold) for call in calls for gold in golds]
    return max(values) if max(values) > 0 else sum(values) / len(values)


def _templates(commands: Iterable[str]) -> set[str]:
    return {found for command in commands if (found := template_of(command)) is not None}


@lru_cache(maxsize=1 << 16)
def _words(command: str) -> Counter[str]:
    tree = tree_of(command)
    return Counter(closed_words(tree) if tree else ())


def _counts(pairs: Sequence[Ranked]) -> dict[str, int | float]:
    return {
        "pairs": len(pairs),
        "candidates": sum(len(pair.candidates) for pair in pairs),
        "no_bash": sum(tree_of(one) is None for pair in pairs for one in pair.candidates),
        "references_no_bash": sum(
            tree_of(gold) is None for pair in pairs for gold in pair.references
        ),
    }
