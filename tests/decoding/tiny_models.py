"""Tiny models of each class, whose texts end early, late, or not at all."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from transformers import MarianMTModel, PreTrainedModel

from nl2code.models import (
    CopyTransformerConfig,
    CopyTransformerForConditionalGeneration,
    GRUForConditionalGeneration,
    GRUSeq2SeqConfig,
    LSTMForConditionalGeneration,
    LSTMSeq2SeqConfig,
)
from nl2code.models.transformer import transformer_config

VOCABULARY = {
    "vocab_size": 23, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    "decoder_start_token_id": 1,
}  # fmt: skip
SOURCES = [[5, 9, 4, 7, 11, 22, 2], [8, 3, 3, 2], [2], [13, 6, 2], [5, 9, 4, 7, 11, 21, 2]]


def lstm(feeding: bool) -> PreTrainedModel:
    sizes = {"embedding_size": 6, "hidden_size": 8, "input_feeding": feeding}
    return LSTMForConditionalGeneration(LSTMSeq2SeqConfig(**sizes, **VOCABULARY))


def marian() -> PreTrainedModel:
    sizes = {"hidden_size": 8, "layers": 2, "heads": 2, "feed_forward": 12, "max_positions": 64}
    return MarianMTModel(transformer_config(**sizes, **VOCABULARY))


def copying(copy_heads: int) -> PreTrainedModel:
    sizes = {"hidden_size": 8, "layers": 2, "heads": 2, "feed_forward": 12}
    config = CopyTransformerConfig(copy_heads=copy_heads, **sizes, **VOCABULARY)
    return CopyTransformerForConditionalGeneration(config)


def gru(copying: bool) -> PreTrainedModel:
    sizes = {"embedding_size": 6, "hidden_size": 8}
    return GRUForConditionalGeneration(GRUSeq2SeqConfig(copying=copying, **sizes, **VOCABULARY))


Kind = tuple[Callable[[], PreTrainedModel], int, float]

KINDS: dict[str, Kind] = {
    "lstm": (lambda: lstm(feeding=False), 3, 1.0),
    "lstm-feeding": (lambda: lstm(feeding=True), 3, 4.0),
    "marian": (marian, 4, 5.0),
    "copying": (lambda: copying(copy_heads=2), 2, 3.0),
    "copying-nothing": (lambda: copying(copy_heads=0), 3, 2.0),
    "gru": (lambda: gru(copying=False), 12, 3.0),
    "gru-copying": (lambda: gru(copying=True), 17, 3.0),
}
"""Each with the seed and the bias of the end with which its texts end early, late or not at all."""


def make(kind: str) -> PreTrainedModel:
    """Weights so wide that all that is read matters; in double, so that no rounding decides."""
    build, seed, ending = KINDS[kind]
    torch.manual_seed(seed)
    model = build().eval().double()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                nn.init.normal_(parameter, std=0.8)
        output_bias(model)[:] = 0.0
    make_ending(model, ending)
    return model


def make_ending(model: PreTrainedModel, bias: float) -> None:
    """Say how likely a text is to end."""
    with torch.no_grad():
        output_bias(model)[VOCABULARY["eos_token_id"]] = bias


def output_bias(model: PreTrainedModel) -> Any:
    if isinstance(model, MarianMTModel):
        return model.final_logits_bias[0]
    head = model.head.vocabulary if hasattr(model, "head") else model.lm_head
    return head.bias
