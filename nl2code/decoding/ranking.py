"""Texts that others wrote, ranked among a model's own beams by the model itself.

A beam search misses long texts that a model finds likely: each of their first tokens may be beaten
by that of a short text. What another system wrote is such a text at times.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from nl2code.decoding.decode import Texts, padded


@torch.inference_mode()
def log_probabilities(
    model: PreTrainedModel, source: Sequence[int], begun: Sequence[int], texts: Texts
) -> list[float]:
    """The log-probability of each text after `begun`, given the source.

    Args:
        model: In evaluation mode.
        source: The token ids of the input.
        begun: Those that every text begins with; they cost nothing.
        texts: Those of what follows, the end included.
    """
    start: int = model.generation_config.decoder_start_token_id
    whole, real = padded(model, [[start, *begun, *text] for text in texts])  # (text, target)
    ids, mask = padded(model, [source] * len(texts))
    logits = model(
        input_ids=ids, attention_mask=mask, decoder_input_ids=whole[:, :-1], use_cache=False
    ).logits
    scores = logits.float().log_softmax(-1).gather(-1, whole[:, 1:, None])[..., 0]
    said: list[float] = (scores * real[:, 1:])[:, len(begun) :].sum(-1).tolist()
    return said


def ranked(scores: Sequence[float], texts: Texts, length_penalty: float) -> list[int]:
    """The places of the texts, best first, as `Search.length_penalty` ranks beams.

    >>> ranked([-2.0, -3.0], [[5, 2], [5, 6, 7, 2]], length_penalty=1.0)
    [1, 0]
    """
    values = [
        score / len(text) ** length_penalty for score, text in zip(scores, texts, strict=True)
    ]
    return sorted(range(len(texts)), key=lambda place: -values[place])
