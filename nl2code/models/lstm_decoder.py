"""The LSTM decoder with Luong's global attention, and the state that generation carries along."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.cache_utils import Cache

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .lstm_config import LSTMSeq2SeqConfig
from .lstm_encoder import fused_precision
from .lstm_feeding import run_steps
from .lstm_steps import Weights


class DecoderState(NamedTuple):
    """All that one step hands to the next."""

    hidden: Tensor  # (layers, batch, hidden)
    cell: Tensor  # (layers, batch, hidden)
    feed: Tensor  # (batch, hidden): the last attentional output


class LSTMCache(Cache):
    """The decoder's state as `generate` knows it: of one size, however long the text."""

    is_compileable = False
    is_croppable = False
    is_linear = [True]  # noqa: RUF012 (a property of the base class)

    def __init__(self, state: DecoderState, length: int) -> None:
        super().__init__(layers=[])
        self.state = state
        self.length = length

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """How many tokens the state has seen."""
        return self.length

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Let row i continue what row `beam_idx[i]` began."""
        hidden, cell, feed = self.state
        self.state = DecoderState(hidden[:, beam_idx], cell[:, beam_idx], feed[beam_idx])


class GlobalAttention(nn.Module):
    """Luong's "general" score h W m over all source positions, then tanh(W_c [c; h])."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.score = nn.Linear(hidden_size, hidden_size, bias=False)
        self.combine = nn.Linear(2 * hidden_size, hidden_size, bias=False)

    def forward(self, states: Tensor, memory: Tensor, masked: Tensor) -> Tensor:
        """Return the attentional outputs (batch, target, hidden).

        Args:
            states: (batch, target, hidden)
            memory: (batch, source, hidden)
            masked: (batch, 1, source), true where the memory is padding
        """
        scores = self.score(states) @ memory.transpose(1, 2)  # (batch, target, source)
        scores = scores.masked_fill(masked, torch.finfo(scores.dtype).min)
        context = scores.softmax(-1).to(memory.dtype) @ memory  # (batch, target, hidden)
        return torch.tanh(self.combine(torch.cat([context, states], -1)))


class LSTMDecoder(nn.Module):
    """LSTM layers, attention on the top one, dropout between layers and on the output.

    With input feeding the output goes, after its dropout, into the next step beside the embedding.
    """

    def __init__(self, config: LSTMSeq2SeqConfig) -> None:
        super().__init__()
        self.input_feeding = config.input_feeding
        self.embedding_size = config.embedding_size
        self.lstm = nn.LSTM(
            config.embedding_size + config.input_feeding * config.hidden_size,
            config.hidden_size,
            config.layers,
            batch_first=True,
            dropout=config.dropout if config.layers > 1 else 0.0,
        )
        self.attention = GlobalAttention(config.hidden_size)
        self.dropout = config.dropout

    def forward(
        self, embedded: Tensor, state: DecoderState, memory: Tensor, masked: Tensor
    ) -> tuple[Tensor, DecoderState]:
        """Return the outputs (batch, target, hidden) and the state after the last of them."""
        if self.input_feeding:
            return self._step_by_step(embedded, state, memory, masked)
        with fused_precision(embedded.device):
            tops, (hidden, cell) = self.lstm(embedded, (state.hidden, state.cell))
        outputs = self.attention(tops, memory, masked)
        outputs = functional.dropout(outputs, self.dropout, self.training)
        return outputs, DecoderState(hidden, cell, outputs[:, -1])

    def _step_by_step(
        self, embedded: Tensor, state: DecoderState, memory: Tensor, masked: Tensor
    ) -> tuple[Tensor, DecoderState]:
        (first, *layers), biases = self._joined_weights()
        of_embedding, of_state = first.tensor_split([self.embedding_size], 1)
        gates = functional.linear(embedded, of_embedding, biases[0])  # (batch, target, 4 * hidden)
        attention = self.attention
        weights = Weights(
            layers=(of_state.contiguous(), *layers),
            biases=tuple(biases[1:]),
            score=attention.score.weight,
            combine=attention.combine.weight,
        )
        keep = self._dropout_masks(embedded)
        outputs, hidden, cell = run_steps(gates, *state, memory, masked, keep, weights)
        return outputs, DecoderState(hidden, cell, outputs[:, -1])

    def _joined_weights(self) -> tuple[list[Tensor], list[Tensor]]:
        """For each layer the weights of [input; hidden], and the sum of the two biases."""
        weights, biases = [], []
        for weight_ih, weight_hh, bias_ih, bias_hh in self.lstm.all_weights:
            weights.append(torch.cat([weight_ih, weight_hh], 1))
            biases.append(bias_ih + bias_hh)
        return weights, biases

    def _dropout_masks(self, embedded: Tensor) -> Tensor | None:
        """Masks (target, layers, batch, hidden), all at once; the last layer's are the output's."""
        if not self.training or not self.dropout:
            return None
        batch, target, _ = embedded.shape
        ones = embedded.new_ones(target, self.lstm.num_layers, batch, self.lstm.hidden_size)
        return functional.dropout(ones, self.dropout)
