"""The LSTM, step by step: its state is small, so beams that are exchanged take it along."""

from __future__ import annotations

import torch
from torch import Tensor

from nl2code.decoding.output_layer import apply_output_layer
from nl2code.models import LSTMForConditionalGeneration


class LSTMSteps:
    """The decoder over several beams of each sentence, which share the encoder's states."""

    def __init__(
        self, model: LSTMForConditionalGeneration, ids: Tensor, mask: Tensor, beams: int
    ) -> None:
        """Encode (sentence, source) ids; where the mask is 0 they count for nothing."""
        self.model = model
        encoded = model.encoder(ids, mask)
        self.memory = encoded.last_hidden_state  # (sentence, source, hidden)
        self.masked = (mask == 0)[:, None]  # (sentence, 1, source)
        states = (encoded.final_hidden, encoded.final_cell)  # (sentence, layers, hidden)
        # The layers last but one, so that a beam's state lies in one piece.
        self.hidden, self.cell = (each[:, None].repeat(1, beams, 1, 1) for each in states)
        self.feed = torch.zeros_like(self.hidden[:, :, 0])  # (sentence, beam, hidden)

    def __call__(self, tokens: Tensor) -> Tensor:
        """Read a token a beam (sentence, beam); return the next one's logits (…, vocab)."""
        decoder = self.model.decoder
        read = self.model.decoder_embedding()(tokens)  # (sentence, beam, embedding)
        if decoder.input_feeding:
            read = torch.cat([read, self.feed], -1)
        states = tuple(
            each.flatten(0, 1).transpose(0, 1).contiguous() for each in (self.hidden, self.cell)
        )  # (layers, sentence * beam, hidden)
        tops, states = decoder.lstm(read.flatten(0, 1)[:, None], states)
        self.hidden, self.cell = (
            each.transpose(0, 1).unflatten(0, tokens.shape) for each in states
        )
        # Here the beams stand where else the target's tokens do.
        self.feed = decoder.attention(
            tops[:, 0].unflatten(0, tokens.shape), self.memory, self.masked
        )
        return apply_output_layer(self.model.lm_head, self.feed)

    def follow(self, parents: Tensor) -> None:
        """Let each beam go on from the one of its sentence that `parents` (sentence, beam) says."""
        sentences = torch.arange(len(parents), device=parents.device)[:, None]
        self.hidden, self.cell, self.feed = (
            each[sentences, parents] for each in (self.hidden, self.cell, self.feed)
        )

    def keep(self, sentences: Tensor) -> None:
        """Go on with the sentences at these places (kept,) only."""
        self.memory, self.masked = self.memory[sentences], self.masked[sentences]
        self.hidden, self.cell, self.feed = (
            each[sentences] for each in (self.hidden, self.cell, self.feed)
        )
