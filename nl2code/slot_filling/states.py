"""The states of a trained encoder-decoder at the tokens of a sentence and of its template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nl2code.slot_filling.alignment import States

if TYPE_CHECKING:  # the rest of this package works without the [train] extra
    from torch import Tensor
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


def token_states(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    source: Sequence[str],
    target: Sequence[str],
) -> tuple[States, States]:
    """The encoder's states (source, size), and the decoder's that wrote each target (target, size).

    A token of several symbols has the state of its first.

    Args:
        model: In evaluation mode; `decoder_hidden_states` are used where it returns them, else
            what its output layer reads.
        tokenizer: The model's.
        source: What it reads, a marker perhaps before the sentence's tokens.
        target: What it is taken to have written.
    """
    import torch

    source_ids, source_places = _encoded(tokenizer, source)
    target_ids, target_places = _encoded(tokenizer, target)
    theirs: Any = model
    inputs = torch.tensor([source_ids], device=model.device)
    labels = torch.tensor([target_ids], device=model.device)
    with torch.inference_mode():
        encoder, decoder = _states(
            theirs,
            input_ids=inputs,
            attention_mask=torch.ones_like(inputs),
            decoder_input_ids=theirs.prepare_decoder_input_ids_from_labels(labels),
            output_hidden_states=True,
        )
    return _rows(encoder, source_places), _rows(decoder, target_places)


def _states(model: Any, **inputs: Any) -> tuple[Tensor, Tensor]:
    """The last states (1, source, size) and (1, target, size)."""
    read: list[Tensor] = []
    hook = model.get_output_embeddings().register_forward_pre_hook(
        lambda _, arguments: read.append(arguments[0])
    )
    try:
        outputs = model(**inputs, use_cache=False)
    finally:
        hook.remove()
    hidden = outputs.get("decoder_hidden_states")
    return outputs.encoder_last_hidden_state, hidden[-1] if hidden else read[-1]


def _encoded(
    tokenizer: PreTrainedTokenizerFast, words: Sequence[str]
) -> tuple[list[int], list[int]]:
    """The ids of the blank-joined words, and where each word's first symbol is."""
    encoded = tokenizer(" ".join(words), return_offsets_mapping=True)
    ends = [end for _, end in encoded["offset_mapping"]]
    places, before = [], 0  # where the word before ends
    for word in words:
        # The blank may be a symbol of its own, or belong to the first; the last special ends at 0.
        places.append(next((at for at, end in enumerate(ends) if end > before), len(ends) - 1))
        before += len(word) + bool(before)
    return encoded["input_ids"], places


def _rows(states: Tensor, places: Sequence[int]) -> States:
    found: States = states[0, list(places)].float().cpu().numpy()
    return np.asarray(found)
