"""The bidirectional GRU encoder, batched with padding that changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.utils.generic import ModelOutput

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .gru_config import GRUSeq2SeqConfig
from .lstm_encoder import fused_precision


@dataclass
class GRUEncoderOutput(ModelOutput):
    """What the decoder starts from, batch first, so that beam search can repeat rows."""

    last_hidden_state: Tensor | None = None  # (batch, source, hidden)
    final_hidden: Tensor | None = None  # (batch, hidden)
    source_ids: Tensor | None = None  # (batch, source)


class GRUEncoder(nn.Module):
    """Two GRUs of half the hidden size, one a direction.

    The final state is the forward GRU's after the last token beside the backward one's after the
    first token.
    """

    main_input_name = "input_ids"

    def __init__(self, config: GRUSeq2SeqConfig) -> None:
        super().__init__()
        size, half = config.embedding_size, config.hidden_size // 2
        self.embedding = nn.Embedding(config.vocab_size, size, padding_idx=config.pad_token_id)
        self.forwards = nn.GRU(size, half, batch_first=True)
        self.backwards = nn.GRU(size, half, batch_first=True)
        self.dropout = config.dropout

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any
    ) -> GRUEncoderOutput:
        """Encode (batch, source) ids; where the mask is 0 they count for nothing."""
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        read = self.embed(input_ids)  # (batch, source, embedding)
        ahead, last = run_masked(self.forwards, read, attention_mask)
        back, first = run_masked(self.backwards, read.flip(1), attention_mask.flip(1))
        states = torch.cat([ahead, back.flip(1)], -1)  # (batch, source, hidden)
        return GRUEncoderOutput(
            last_hidden_state=drop_all_along(states, self.dropout, self.training),
            final_hidden=torch.cat([last, first], -1),
            source_ids=input_ids,
        )

    def embed(self, ids: Tensor) -> Tensor:
        """The embeddings (batch, time, embedding) that either GRU reads."""
        return drop_all_along(self.embedding(ids), self.dropout, self.training)


def drop_all_along(values: Tensor, rate: float, training: bool) -> Tensor:
    """Variational dropout of (batch, time, size): a row loses the same places at all times."""
    if not training or not rate:
        return values
    return values * functional.dropout(torch.ones_like(values[:, :1]), rate)


def run_masked(gru: nn.GRU, inputs: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """A one-layer GRU's outputs, and its state after each row's last token.

    One more input marks the masked steps; it opens the update gate, so that the state passes
    through such a step untouched. Packed sequences say the same, slower.
    """
    weight_ih, weight_hh, bias_ih, bias_hh = gru.all_weights[0]
    # 1e4 saturates a sigmoid to exactly 1; the gates are reset, update and new.
    shift = weight_ih.new_tensor([0.0, 1e4, 0.0]).repeat_interleave(gru.hidden_size)
    masked = (mask == 0).unsqueeze(-1).to(inputs.dtype)  # (batch, time, 1)
    with fused_precision(inputs.device):
        outputs, last = torch.gru(
            torch.cat([inputs, masked], -1),
            inputs.new_zeros(1, inputs.size(0), gru.hidden_size),
            [torch.cat([weight_ih, shift[:, None]], 1), weight_hh, bias_ih, bias_hh],
            has_biases=True,
            num_layers=1,
            dropout=0.0,
            train=gru.training,
            bidirectional=False,
            batch_first=True,
        )
    return outputs, last[0]
