"""What a model writes for a batch of sources: by our own search, or by `generate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import MarianMTModel, PreTrainedModel

from nl2code.batches import Sequences
from nl2code.decoding.gru_steps import GRUSteps
from nl2code.decoding.lstm_steps import LSTMSteps
from nl2code.decoding.search import Hypothesis, Steps, beam_search
from nl2code.decoding.transformer_steps import CopySteps, MarianSteps
from nl2code.models import (
    CopyTransformerForConditionalGeneration,
    GRUForConditionalGeneration,
    LSTMForConditionalGeneration,
)

Sources = Sequence[Sequence[int] | NDArray[np.int32]]
"""The token ids of each source."""

_STEPS: dict[type[PreTrainedModel], Callable[..., Steps]] = {
    LSTMForConditionalGeneration: LSTMSteps,
    MarianMTModel: MarianSteps,
    CopyTransformerForConditionalGeneration: CopySteps,
    GRUForConditionalGeneration: GRUSteps,
}

_NO_WISHES = frozenset(
    [
        *("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id", "use_cache"),
        *("output_attentions", "output_hidden_states", "_from_model_config"),
        "transformers_version",
    ]
)
"""Settings of generation that change nothing in what a search with given beams finds."""


def decode(
    model: PreTrainedModel,
    sources: Sources,
    *,
    beams: int,
    longest: int,
    no_repeat: int = 0,
    length_penalty: float = 1.0,
) -> list[list[list[int]]]:
    """The tokens of each source's beams, best first, perhaps with padding or ends behind the end.

    Args:
        model: In evaluation mode.
        sources: What to answer.
        beams: The width of the search; 1 is greedy.
        longest: The most tokens of a text, the end included.
        no_repeat: No text holds a run of so many tokens twice; 0 for any.
        length_penalty: Scores are divided by the length to this power.
    """
    if not has_steps(model):
        return generate(model, sources, beams, longest, no_repeat, length_penalty)
    found = search(model, sources, beams, longest, no_repeat, length_penalty)
    return [[list(text.tokens) for text in texts] for texts in found]


def has_steps(model: PreTrainedModel) -> bool:
    """Whether our own search serves the model: one of ours, without wishes such as banned words."""
    wishes = model.generation_config.to_diff_dict()
    return (
        type(model) in _STEPS
        and wishes.keys() <= _NO_WISHES
        and isinstance(wishes.get("eos_token_id"), int)
    )


@torch.inference_mode()
def search(
    model: PreTrainedModel,
    sources: Sources,
    beams: int,
    longest: int,
    no_repeat: int = 0,
    length_penalty: float = 1.0,
) -> list[list[Hypothesis]]:
    """The hypotheses of our own beam search for each source, best first."""
    wishes: Any = model.generation_config
    ids, mask = _padded(model, sources)
    steps = _STEPS[type(model)](model, ids, mask, beams)
    start = ids.new_full((len(ids), beams), wishes.decoder_start_token_id)
    end = wishes.eos_token_id
    return beam_search(
        steps,
        start,
        end=end,
        longest=longest,
        no_repeat=no_repeat,
        length_penalty=length_penalty,
    )


@torch.inference_mode()
def generate(
    model: PreTrainedModel,
    sources: Sources,
    beams: int,
    longest: int,
    no_repeat: int = 0,
    length_penalty: float = 1.0,
) -> list[list[list[int]]]:
    """What `decode` returns, as `transformers` finds it."""
    ids, mask = _padded(model, sources)
    theirs: Any = model.generate
    found = theirs(
        input_ids=ids,
        attention_mask=mask,
        num_beams=beams,
        num_return_sequences=beams,
        max_new_tokens=longest,
        no_repeat_ngram_size=no_repeat,
        length_penalty=length_penalty,
        do_sample=False,
    )  # (batch * beams, target)
    texts = found[:, 1:].tolist()
    return [texts[place : place + beams] for place in range(0, len(texts), beams)]


def _padded(model: PreTrainedModel, sources: Sources) -> tuple[Tensor, Tensor]:
    """Ids and mask (batch, source), on the model's device."""
    rows = Sequences.of(sources)
    ids, real = rows.padded(np.arange(len(rows)), model.config.pad_token_id)
    return (
        torch.from_numpy(ids).to(model.device),
        torch.from_numpy(real.astype(np.int64)).to(model.device),
    )
