"""The Transformers, step by step: keys and values stay where they are, whatever beams do."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import MarianMTModel

from nl2code.decoding.output_layer import apply_output_layer
from nl2code.models import CopyTransformerForConditionalGeneration
from nl2code.models.copy_head import UNREAD
from nl2code.models.copy_transformer_layers import (
    KeysValues,
    join_heads,
    rotate,
    rotation,
    split_heads,
)

_ROOM = 16
"""Steps that more memory is taken for at once."""


class Written:
    """The keys and values of all that the beams of each sentence have written.

    A step adds a slot a beam. Which slots a beam descends from, itself included, is a row of
    `mask`; beams that are exchanged move these rows, where a cache per beam would be copied.
    """

    def __init__(self, layers: int, beams: int, like: Tensor) -> None:
        """Begin with nothing written.

        Args:
            layers: Of the decoder.
            beams: Of each sentence.
            like: Keys (sentence, heads, source, size of a head).
        """
        sentences, heads, _, size = like.shape
        self.beams = beams
        self.values = like.new_empty(2 * layers, sentences, heads, 0, size)
        self.mask = torch.ones(sentences, 1, beams, 0, dtype=torch.bool, device=like.device)

    @property
    def steps(self) -> int:
        """How many tokens each beam has read, this step's included."""
        return self.mask.size(-1) // self.beams

    def begin_step(self) -> None:
        """Add a slot to each beam, which only this beam sees."""
        own = torch.eye(self.beams, dtype=torch.bool, device=self.mask.device)
        self.mask = torch.cat([self.mask, own.expand(len(self.mask), 1, -1, -1)], -1)
        if self.mask.size(-1) > self.values.size(3):
            shape = list(self.values.shape)
            shape[3] = _ROOM * self.beams
            self.values = torch.cat([self.values, self.values.new_empty(shape)], 3)

    def add(self, layer: int, keys: Tensor, values: Tensor) -> KeysValues:
        """Fill this step's slots (sentence, heads, beam, size of a head); return all slots."""
        slots = self.mask.size(-1)
        both = []
        for place, new in ((2 * layer, keys), (2 * layer + 1, values)):
            self.values[place, :, :, slots - self.beams : slots] = new
            both.append(self.values[place, :, :, :slots])
        return both[0], both[1]

    def follow(self, parents: Tensor) -> None:
        """Give each beam the slots of its parent (sentence, beam)."""
        sentences = torch.arange(len(parents), device=parents.device)[:, None]
        self.mask = self.mask[sentences, 0, parents][:, None]

    def keep(self, sentences: Tensor) -> None:
        """Forget all but these sentences (kept,)."""
        self.values, self.mask = self.values[:, sentences], self.mask[sentences]


class _TransformerSteps:
    """What both Transformers carry along. A beam is to a sentence what a position is to a text."""

    source: list[KeysValues]  # a layer's, each (sentence, heads, source, size of a head)
    visible: Tensor  # (sentence, 1, 1, source)
    written: Written

    def follow(self, parents: Tensor) -> None:
        """Let each beam go on from the one of its sentence that `parents` (sentence, beam) says."""
        self.written.follow(parents)

    def keep(self, sentences: Tensor) -> None:
        """Go on with the sentences at these places (kept,) only."""
        self.source = [(keys[sentences], values[sentences]) for keys, values in self.source]
        self.visible = self.visible[sentences]
        self.written.keep(sentences)


class MarianSteps(_TransformerSteps):
    """The paper's Transformer over several beams of each sentence."""

    def __init__(self, model: MarianMTModel, ids: Tensor, mask: Tensor, beams: int) -> None:
        """Encode (sentence, source) ids; where the mask is 0 they count for nothing."""
        self.model, self.decoder = model, model.model.decoder
        memory = model.model.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        self.visible = (mask != 0)[:, None, None]
        self.source = [_keys_values(layer.encoder_attn, memory) for layer in self.decoder.layers]
        self.written = Written(len(self.source), beams, self.source[0][0])

    def __call__(self, tokens: Tensor) -> Tensor:
        """Read a token a beam (sentence, beam); return the next one's logits (…, vocab)."""
        decoder, written = self.decoder, self.written
        written.begin_step()
        states = decoder.embed_tokens(tokens) * decoder.embed_scale  # (sentence, beam, size)
        states = states + decoder.embed_positions.weight[written.steps - 1]
        for number, layer in enumerate(decoder.layers):
            past = written.add(number, *_keys_values(layer.self_attn, states))
            seen = _attend(layer.self_attn, states, past, written.mask)
            states = layer.self_attn_layer_norm(states + seen)
            seen = _attend(layer.encoder_attn, states, self.source[number], self.visible)
            states = layer.encoder_attn_layer_norm(states + seen)
            inner = layer.fc2(layer.activation_fn(layer.fc1(states)))
            states = layer.final_layer_norm(states + inner)
        return apply_output_layer(self.model.lm_head, states) + self.model.final_logits_bias


def _keys_values(attention: Any, states: Tensor) -> KeysValues:
    """The keys and values (batch, heads, time, size of a head) of states (batch, time, size)."""
    parts = (attention.k_proj(states), attention.v_proj(states))
    keys, values = (split_heads(part, attention.num_heads).contiguous() for part in parts)
    return keys, values


def _attend(attention: Any, states: Tensor, past: KeysValues, mask: Tensor) -> Tensor:
    """What each beam gathers (sentence, beam, size)."""
    queries = split_heads(attention.q_proj(states), attention.num_heads)
    gathered: Tensor = attention.out_proj(
        join_heads(scaled_dot_product_attention(queries, *past, mask))
    )
    return gathered


class CopySteps(_TransformerSteps):
    """The copying Transformer over several beams of each sentence."""

    def __init__(
        self,
        model: CopyTransformerForConditionalGeneration,
        ids: Tensor,
        mask: Tensor,
        beams: int,
    ) -> None:
        """Encode (sentence, source) ids; where the mask is 0 they count for nothing."""
        self.model = model
        memory = model.encoder(ids, mask).last_hidden_state
        self.visible = (mask != 0)[:, None, None]
        self.source = [
            (keys.contiguous(), values.contiguous())
            for keys, values in model.decoder.project(memory)
        ]
        self.pointers = model.head.project(memory, ids, self.visible)
        self.recent = ids.new_full((len(ids), beams, model.head.width), UNREAD)
        self.written = Written(len(self.source), beams, self.source[0][0])

    def __call__(self, tokens: Tensor) -> Tensor:
        """Read a token a beam (sentence, beam); return the next one's log-probabilities."""
        self.recent = torch.cat([tokens[..., None], self.recent], -1)[..., : self.recent.size(-1)]
        written = self.written
        written.begin_step()
        states = self.model.encoder.embed(tokens)  # (sentence, beam, size)
        layers: Any = self.model.decoder.layers
        for number, layer in enumerate(layers):
            states = states + self._look_back(number, layer.attention, layer.norms[0](states))
            states = states + layer.cross(layer.norms[1](states), self.source[number], self.visible)
            states = states + layer.feed_forward(layer.norms[2](states))
        states = self.model.decoder.norm(states)
        likely: Tensor = self.model.head(states, self.recent, self.pointers)
        return likely

    def _look_back(self, number: int, attention: Any, states: Tensor) -> Tensor:
        """What each beam gathers of its own text (sentence, beam, size)."""
        parts = attention.joined(states).chunk(3, -1)
        queries, keys, values = (split_heads(part, attention.heads) for part in parts)
        turn = rotation(self.written.steps - 1, 1, queries)  # all beams are at one position
        past = self.written.add(number, rotate(keys, *turn), values)
        gathered = scaled_dot_product_attention(rotate(queries, *turn), *past, self.written.mask)
        output: Tensor = attention.output(join_heads(gathered))
        return output

    def follow(self, parents: Tensor) -> None:
        """Let each beam go on from the one of its sentence that `parents` (sentence, beam) says."""
        super().follow(parents)
        self.recent = self.recent[
            torch.arange(len(parents), device=parents.device)[:, None], parents
        ]

    def keep(self, sentences: Tensor) -> None:
        """Go on with the sentences at these places (kept,) only."""
        super().keep(sentences)
        self.pointers, self.recent = self.pointers.select(sentences), self.recent[sentences]
