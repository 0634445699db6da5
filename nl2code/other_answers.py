"""Another system's answer in the place of a model's, where the model itself finds it likelier.

A beam search misses long texts that a model finds likely: a short one beats each of their first
tokens. A baseline such as Ret-Context copies long ones, and the model tells whether they fit.
"""

from __future__ import annotations

import math

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from nl2code.decoding import Search, log_probabilities, ranked
from nl2code.encoding import tokenize
from nl2code.linearisation import read_prediction
from nl2code.questions import Question


def is_likelier(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    question: Question,
    other: str,
    own: str,
    how: Search,
) -> bool:
    """Whether the other answer makes a likelier cell than the model's own.

    Both are read where they stand, with what is given below them. An empty answer is never
    likelier, nor is one with which the cell outgrows the model's positions.

    Args:
        model: In evaluation mode.
        tokenizer: The model's.
        question: What they answer.
        other: In the form of the references.
        own: The text of the best beam.
        how: The search, whose length penalty ranks.
    """
    own = question.given.without_after(read_prediction(own))
    cells = [" ".join([text, *question.given.after]).strip() for text in (own, other)]
    ids = tokenize(cells, tokenizer)
    positions = getattr(model.config, "max_position_embeddings", None) or math.inf
    if not other or own == other or len(question.begun) + max(map(len, ids)) > positions:
        return False
    scores = log_probabilities(model, question.source, question.begun, ids)
    return ranked(scores, ids, how.length_penalty)[0] == 1
