"""The encoder and the decoder of the copying Transformer, and what generation carries along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers.cache_utils import Cache
from transformers.utils.generic import ModelOutput

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .copy_head import UNREAD, CopySource, windows
from .copy_transformer_config import CopyTransformerConfig
from .copy_transformer_layers import CrossAttention, FeedForward, KeysValues, SelfAttention


@dataclass
class EncoderOutput(ModelOutput):
    """What the decoder attends to and copies from, batch first, so that beams can repeat rows."""

    last_hidden_state: Tensor | None = None  # (batch, source, size)
    source_ids: Tensor | None = None  # (batch, source)


class CopyCache(Cache):
    """The decoder's keys and values: of the text so far, and of the source, projected once."""

    is_compileable = False
    is_croppable = False
    is_linear = [False]  # noqa: RUF012 (a property of the base class)

    def __init__(self, memory: list[KeysValues], source: CopySource) -> None:
        super().__init__(layers=[])
        self.memory = memory
        self.source = source
        self.text: list[KeysValues | None] = [None] * len(memory)
        self.read = source.ids[:, :0]  # (batch, the last ones)

    def recent(self, ids: Tensor) -> Tensor:
        """The last tokens at each of the ids (batch, target) that are read now."""
        width = self.source.before.size(-1)
        self.read = torch.cat([self.read, ids], 1)
        last = windows(self.read, width, UNREAD)[:, self.read.size(1) - ids.size(1) :]
        self.read = self.read[:, max(0, self.read.size(1) - width) :]
        return last

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """How many tokens of the text have been read."""
        past = self.text[layer_idx] if self.text else None
        return 0 if past is None else past[0].size(2)

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Let row i continue what row `beam_idx[i]` began.

        The beams of a sentence share its source, so only the text's keys and values move.
        """
        self.text = [
            None if past is None else (past[0][beam_idx], past[1][beam_idx]) for past in self.text
        ]
        self.read = self.read[beam_idx]


class Encoder(nn.Module):
    """Self-attention and feed-forward layers over the source."""

    main_input_name = "input_ids"

    def __init__(self, config: CopyTransformerConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.embedding = nn.Embedding(config.vocab_size, size, padding_idx=config.pad_token_id)
        self.scale = size**0.5
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(config.dropout)

    def embed(self, ids: Tensor) -> Tensor:
        """The embeddings (batch, time, size) of the source or the target, of deviation 1."""
        embedded: Tensor = self.dropout(self.embedding(ids) * self.scale)
        return embedded

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any
    ) -> EncoderOutput:
        """Encode (batch, source) ids; where the mask is 0 they count for nothing."""
        mask = None if attention_mask is None else (attention_mask != 0)[:, None, None]
        states = self.embed(input_ids)
        for layer in self.layers:
            states = layer(states, mask)
        return EncoderOutput(last_hidden_state=self.norm(states), source_ids=input_ids)


class EncoderLayer(nn.Module):
    """Each sublayer reads normalised states and adds to them."""

    def __init__(self, config: CopyTransformerConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(2))
        self.attention = SelfAttention(size, config.heads)
        self.feed_forward = FeedForward(size, config.feed_forward)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """Both sublayers on (batch, source, size)."""
        states = states + self.dropout(self.attention(self.norms[0](states), mask)[0])
        output: Tensor = states + self.dropout(self.feed_forward(self.norms[1](states)))
        return output


class Decoder(nn.Module):
    """Layers over the text so far, each of which looks at the source, too."""

    def __init__(self, config: CopyTransformerConfig) -> None:
        super().__init__()
        assert config.decoder_layers is not None
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.norm = nn.LayerNorm(config.hidden_size)

    def project(self, memory: Tensor) -> list[KeysValues]:
        """The keys and values of the source, for each layer."""
        return [layer.cross.project(memory) for layer in self.layers]  # type: ignore[union-attr, operator]

    def forward(self, embedded: Tensor, cache: CopyCache, mask: Tensor) -> Tensor:
        """The states (batch, target, size) behind what the cache has read, and now holds too."""
        states = embedded
        for number, layer in enumerate(self.layers):
            states, cache.text[number] = layer(
                states, cache.text[number], cache.memory[number], mask
            )
        output: Tensor = self.norm(states)
        return output


class DecoderLayer(nn.Module):
    """Self-attention, attention over the source, feed-forward."""

    def __init__(self, config: CopyTransformerConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3))
        self.attention = SelfAttention(size, config.heads)
        self.cross = CrossAttention(size, config.heads)
        self.feed_forward = FeedForward(size, config.feed_forward)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, states: Tensor, past: KeysValues | None, memory: KeysValues, mask: Tensor
    ) -> tuple[Tensor, KeysValues]:
        """The three sublayers on (batch, target, size), and the keys and values of the text."""
        gathered, seen = self.attention(self.norms[0](states), None, causal=True, past=past)
        states = states + self.dropout(gathered)
        states = states + self.dropout(self.cross(self.norms[1](states), memory, mask))
        return states + self.dropout(self.feed_forward(self.norms[2](states))), seen
