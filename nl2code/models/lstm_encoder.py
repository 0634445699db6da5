"""The bidirectional LSTM encoder, batched with padding that changes nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers.utils.generic import ModelOutput

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .lstm_config import LSTMSeq2SeqConfig


@dataclass
class LSTMEncoderOutput(ModelOutput):
    """What the decoder starts from, batch first, so that beam search can repeat rows."""

    last_hidden_state: Tensor | None = None  # (batch, source, hidden)
    final_hidden: Tensor | None = None  # (batch, layers, hidden)
    final_cell: Tensor | None = None  # (batch, layers, hidden)


class LSTMEncoder(nn.Module):
    """Layers of two LSTMs, one a direction, each of half the hidden size; dropout between layers.

    A layer's final state is the forward LSTM's after the last token beside the backward one's
    after the first token.
    """

    main_input_name = "input_ids"

    def __init__(self, config: LSTMSeq2SeqConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(
            config.vocab_size, config.embedding_size, padding_idx=config.pad_token_id
        )
        half = config.hidden_size // 2
        sizes = [config.embedding_size] + [config.hidden_size] * (config.layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(size, half, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(size, half, batch_first=True) for size in sizes)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any
    ) -> LSTMEncoderOutput:
        """Encode (batch, source) ids; where the mask is 0 they count for nothing."""
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        states: Tensor = self.embedding(input_ids)  # (batch, source, embedding)
        finals = []
        for index, pair in enumerate(zip(self.forwards, self.backwards, strict=True)):
            states = self.dropout(states) if index else states
            states, *final = _run_both_ways(*pair, states, attention_mask)
            finals.append(final)
        hidden, cell = (torch.stack(layer, 1) for layer in zip(*finals, strict=True))
        return LSTMEncoderOutput(last_hidden_state=states, final_hidden=hidden, final_cell=cell)


def _run_both_ways(
    forwards: nn.Module, backwards: nn.Module, states: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    assert isinstance(forwards, nn.LSTM)
    assert isinstance(backwards, nn.LSTM)
    ahead = run_masked(forwards, states, mask)
    back = run_masked(backwards, states.flip(1), mask.flip(1))
    outputs = torch.cat([ahead[0], back[0].flip(1)], -1)  # (batch, source, hidden)
    hidden, cell = (torch.cat([ahead[i], back[i]], -1) for i in (1, 2))  # (batch, hidden)
    return outputs, hidden, cell


def run_masked(lstm: nn.LSTM, inputs: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return a one-layer LSTM's outputs and its hidden and cell state after each row's last token.

    Packed sequences say the same and leave the fused kernels (0.6 of the speed on a CPU). Here one
    more input marks the masked steps; it shuts the input gate and opens the forget gate, so that
    the cell passes through such a step untouched.
    """
    weight_ih, weight_hh, bias_ih, bias_hh = lstm.all_weights[0]
    marked = torch.cat([weight_ih, _gates_of_a_masked_step(weight_ih)], 1)
    masked = (mask == 0).unsqueeze(-1).to(inputs.dtype)  # (batch, time, 1)
    start = inputs.new_zeros(1, inputs.size(0), lstm.hidden_size)
    with fused_precision(inputs.device):
        outputs, _, cell = torch.lstm(
            torch.cat([inputs, masked], -1),
            (start, start),
            [marked, weight_hh, bias_ih, bias_hh],
            has_biases=True,
            num_layers=1,
            dropout=0.0,
            train=lstm.training,
            bidirectional=False,
            batch_first=True,
        )
    time = torch.arange(mask.size(1), device=mask.device)
    last = (time * (mask != 0)).amax(1)  # (batch)
    rows = torch.arange(mask.size(0), device=mask.device)
    return outputs, outputs[rows, last], cell[0]


def fused_precision(device: torch.device) -> AbstractContextManager[Any]:
    """Where torch's LSTM is to run; no autocast on a CPU.

    There it is twice as fast forwards in bfloat16, but takes twice as long on the way back: 1.3 of
    the time together.
    """
    return torch.autocast("cpu", enabled=False) if device.type == "cpu" else nullcontext()


def _gates_of_a_masked_step(weight_ih: Tensor) -> Tensor:
    # 1e4 saturates a sigmoid to exactly 0 and 1, and half precision can still hold it.
    shift = weight_ih.new_tensor([-1e4, 1e4, 0.0, 0.0])  # input, forget, cell and output gate
    return shift.repeat_interleave(weight_ih.size(0) // 4).unsqueeze(1)  # (4 * hidden, 1)
