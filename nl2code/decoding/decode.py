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
from nl2code.decoding.search import Hypothesis, Search, Steps, beam_search
from nl2code.decoding.transformer_steps import CopySteps, MarianSteps
from nl2code.models import (
    CopyTransformerForConditionalGeneration,
    GRUForConditionalGeneration,
    LSTMForConditionalGeneration,
)

Sources = Sequence[Sequence[int] | NDArray[np.int32]]
"""The token ids of each source."""

Texts = Sequence[Sequence[int]]
"""Those of each target."""

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
    model: PreTrainedModel, sources: Sources, how: Search, begun: Texts = ()
) -> list[list[list[int]]]:
    """The tokens of each source's beams, best first, perhaps with padding or ends behind the end.

    Args:
        model: In evaluation mode.
        sources: What to answer.
        how: The width of the search, and its limits.
        begun: The beginning of each text, all of one length; what follows it is returned.
    """
    if not has_steps(model):
        return generate(model, sources, how, begun)
    found = search(model, sources, how, begun)
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
    model: PreTrainedModel, sources: Sources, how: Search, begun: Texts = ()
) -> list[list[Hypothesis]]:
    """The hypotheses of our own beam search for each source, best first."""
    wishes: Any = model.generation_config
    ids, mask = padded(model, sources)
    steps = _STEPS[type(model)](model, ids, mask, how.beams)
    return beam_search(steps, _start(model, ids, begun), how, end=wishes.eos_token_id)


@torch.inference_mode()
def generate(
    model: PreTrainedModel, sources: Sources, how: Search, begun: Texts = ()
) -> list[list[list[int]]]:
    """What `decode` returns, as `transformers` finds it."""
    ids, mask = padded(model, sources)
    start = _start(model, ids, begun)
    theirs: Any = model.generate
    found = theirs(
        input_ids=ids,
        attention_mask=mask,
        decoder_input_ids=start,
        num_beams=how.beams,
        num_return_sequences=how.beams,
        max_new_tokens=how.longest,
        no_repeat_ngram_size=how.no_repeat,
        length_penalty=how.length_penalty,
        do_sample=False,
    )  # (batch * beams, target)
    texts = found[:, start.size(1) :].tolist()
    return [texts[place : place + how.beams] for place in range(0, len(texts), how.beams)]


def _start(model: PreTrainedModel, ids: Tensor, begun: Texts) -> Tensor:
    """What the decoder reads first (sentence, begun): its start, and what is begun."""
    wishes: Any = model.generation_config
    start = ids.new_full((len(ids), 1), wishes.decoder_start_token_id)
    return torch.cat([start, ids.new_tensor(begun)], 1) if begun else start


def padded(model: PreTrainedModel, sources: Sources) -> tuple[Tensor, Tensor]:
    """Ids and mask (batch, source), on the model's device."""
    rows = Sequences.of(sources)
    ids, real = rows.padded(np.arange(len(rows)), model.config.pad_token_id)
    return (
        torch.from_numpy(ids).to(model.device),
        torch.from_numpy(real.astype(np.int64)).to(model.device),
    )
