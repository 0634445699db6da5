"""The pointer-generator head (See et al. 2017): a token is written, or copied from the source."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .copy_transformer_config import CopyTransformerConfig
from .copy_transformer_layers import split_heads

_NEVER = -1e30
"""A logarithm of nothing that, unlike -inf, leaves gradients finite."""


class CopyHead(nn.Module):
    """p(w) = g_0 softmax(vocabulary)[w] + Σ_h g_h Σ_{j: source_j = w} attention_h[j], Σ g = 1.

    Source and target share one BPE, so what stands at a source position is a vocabulary id. Each
    of the `copy_heads` has a share of its own: one may follow a cell, another fetch a name.
    Without heads this is the softmax over the vocabulary.
    """

    def __init__(self, config: CopyTransformerConfig) -> None:
        super().__init__()
        self.heads, size = config.copy_heads, config.hidden_size
        self.vocabulary = nn.Linear(size, config.vocab_size)
        if self.heads:
            self.queries = nn.Linear(size, size, bias=False)
            self.keys = nn.Linear(size, size, bias=False)
            self.shares = nn.Linear(size, 1 + self.heads)

    def project(self, memory: Tensor) -> Tensor | None:
        """The keys (batch, heads, source, size of a head) of the memory (batch, source, size)."""
        return split_heads(self.keys(memory), self.heads) if self.heads else None

    def forward(
        self, states: Tensor, keys: Tensor | None, source_ids: Tensor, mask: Tensor
    ) -> Tensor:
        """The logarithms of all probabilities (batch, target, vocab).

        Args:
            states: (batch, target, size)
            keys: What `project` gave.
            source_ids: (batch, source)
            mask: (batch, 1, 1, source), true at real source positions.
        """
        written: Tensor = _exact(self.vocabulary(states)).log_softmax(-1)
        if keys is None:
            return written
        shares = _exact(self.shares(states)).log_softmax(-1)  # (batch, target, 1 + heads)
        attention = self._scores(states, keys, mask).softmax(-1)  # (batch, heads, target, source)
        of_heads = shares[..., 1:].exp().transpose(1, 2)  # (batch, heads, target)
        pointed = (of_heads[..., None] * attention).sum(1)  # (batch, target, source)
        copied = torch.zeros_like(written)
        copied.scatter_add_(-1, source_ids[:, None].expand_as(pointed), pointed)
        copied = copied.clamp_min(torch.finfo(copied.dtype).tiny)  # for the gradient's sake, too
        return torch.logaddexp(shares[..., :1] + written, copied.log())

    def loss(
        self,
        states: Tensor,
        keys: Tensor | None,
        source_ids: Tensor,
        mask: Tensor,
        positions: Tensor,
        labels: Tensor,
    ) -> Tensor:
        """The summed -log p of labels at (real tokens,) places of (batch x target).

        The same as gathering from `forward`, of which no (tokens, vocabulary) scatter is built:
        a label needs only the attention to where it stands in the source.
        """
        real = states.flatten(0, 1)[positions]  # (real tokens, size)
        unlikely = functional.cross_entropy(_exact(self.vocabulary(real)), labels, reduction="none")
        if keys is None:
            return unlikely.sum()
        batch, target, _ = states.shape
        wanted = labels.new_full((batch * target,), -1).index_copy(0, positions, labels)
        here = wanted.view(batch, 1, target, 1) == source_ids[:, None, None]
        scores = self._scores(states, keys, mask)  # (batch, heads, target, source)
        found = scores.masked_fill(~here, _NEVER).logsumexp(-1) - scores.logsumexp(-1)
        copied = found.transpose(1, 2).flatten(0, 1)[positions]  # (real tokens, heads)
        shares = _exact(self.shares(real)).log_softmax(-1)
        likely: Tensor = (shares + torch.cat([-unlikely[:, None], copied], -1)).logsumexp(-1)
        return -likely.sum()

    def _scores(self, states: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        queries = split_heads(self.queries(states), self.heads)
        scores: Tensor = _exact(queries @ keys.transpose(-1, -2)) * keys.size(-1) ** -0.5
        return scores.masked_fill(~mask, _NEVER)


def _exact(values: Tensor) -> Tensor:
    """At least float32: a sum of probabilities in bfloat16 has lost its small ones."""
    return values.to(torch.promote_types(values.dtype, torch.float32))
