"""The bi-GRU models, step by step: a beam takes its state along, the source is its sentence's."""

from __future__ import annotations

import torch
from torch import Tensor

from nl2code.decoding.output_layer import apply_output_layer
from nl2code.models import GRUForConditionalGeneration
from nl2code.models.gru_decoder import Source, State, joined


class GRUSteps:
    """The decoder over several beams of each sentence, which share the encoder's states."""

    def __init__(
        self, model: GRUForConditionalGeneration, ids: Tensor, mask: Tensor, beams: int
    ) -> None:
        """Encode (sentence, source) ids; where the mask is 0 they count for nothing."""
        self.model = model
        self.source, self.state = model.begin(model.encoder(ids, mask), mask, beams)

    def __call__(self, tokens: Tensor) -> Tensor:
        """Read a token a beam (sentence, beam); return the next one's logits (…, vocab)."""
        decoder = self.model.decoder
        gates = decoder.token_gates(self.model.encoder.embed(tokens))
        same = decoder.same(tokens, self.source)
        context, self.state = decoder.step(gates, same, self.state, self.source)
        output = decoder.output(self.state.hidden, context)
        scores = apply_output_layer(self.model.lm_head, output)
        if not self.model.config.copying:
            return scores
        return joined(scores, self.state.copying, self.source)

    def follow(self, parents: Tensor) -> None:
        """Let each beam go on from the one of its sentence that `parents` (sentence, beam) says."""
        sentences = torch.arange(len(parents), device=parents.device)[:, None]
        self.state = State(*(each[sentences, parents] for each in self.state))

    def keep(self, sentences: Tensor) -> None:
        """Go on with the sentences at these places (kept,) only."""
        self.source = Source(*(each[sentences] for each in self.source))
        self.state = State(*(each[sentences] for each in self.state))
