"""The head that writes a token or copies one from the source (CopyNet, Gu et al. 2016)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .copy_transformer_config import CopyTransformerConfig
from .copy_transformer_layers import split_heads

_NEVER = -1e30
"""A logarithm of nothing that, unlike -inf, leaves gradients finite."""


class CopySource(NamedTuple):
    """What can be copied; all fields batch first, so that beams can repeat and drop rows."""

    ids: Tensor  # (batch, source)
    mask: Tensor  # (batch, 1, 1, source), true at real positions
    keys: Tensor | None  # (batch, heads, source, size of a head)
    before: Tensor  # (batch, source, matches): the ids before each position, the nearest first

    def select(self, rows: Tensor) -> CopySource:
        """The rows at these places (kept,)."""
        keys = None if self.keys is None else self.keys[rows]
        return CopySource(self.ids[rows], self.mask[rows], keys, self.before[rows])


class CopyHead(nn.Module):
    """p(w) ∝ e^a softmax(vocabulary)[w] + Σ_h Σ_{j: source_j = w} e^(b_h + score_h[j]) / |source|.

    Source and target share one BPE, so what stands at a source position is a vocabulary id. Each
    of the `copy_heads` has scores of its own: one may follow a cell, another fetch a name.
    Without heads this is the softmax over the vocabulary.

    A score is the product of query and key, and more for each of the last `copy_matches` tokens
    of the text that stand before the position in the source, too: what has been copied so far goes
    on. Transformers grow such induction heads (Olsson et al. 2022) from far more examples.
    """

    def __init__(self, config: CopyTransformerConfig) -> None:
        super().__init__()
        self.heads, size = config.copy_heads, config.hidden_size
        self.vocabulary = nn.Linear(size, config.vocab_size)
        if self.heads:
            self.queries = nn.Linear(size, size, bias=False)
            self.keys = nn.Linear(size, size, bias=False)
            self.shares = nn.Linear(size, 1 + self.heads)  # a, b
            self.matches = nn.Parameter(torch.empty(config.copy_matches, self.heads))

    def project(self, memory: Tensor, ids: Tensor, mask: Tensor) -> CopySource:
        """What can be copied of a source.

        Args:
            memory: (batch, source, size)
            ids: (batch, source)
            mask: (batch, 1, 1, source), true at real positions.
        """
        keys = split_heads(self.keys(memory), self.heads).contiguous() if self.heads else None
        real = ids.masked_fill(~mask[:, 0, 0], _NOWHERE)
        shifted = functional.pad(real, (1, 0), value=_NOWHERE)[:, :-1]
        return CopySource(ids, mask, keys, windows(shifted, self.width, _NOWHERE))

    @property
    def width(self) -> int:
        """How many of the last tokens of the text are looked for in the source."""
        return len(self.matches) if self.heads else 0

    def forward(self, states: Tensor, recent: Tensor, source: CopySource) -> Tensor:
        """The logarithms of all probabilities (batch, target, vocab).

        Args:
            states: (batch, target, size)
            recent: The last tokens read at each of them, the latest first (batch, target, matches).
            source: What `project` gave.
        """
        written: Tensor = _exact(self.vocabulary(states)).log_softmax(-1)
        if source.keys is None:
            return written
        shares = _exact(self.shares(states))  # (batch, target, 1 + heads)
        scores = self._scores(states, recent, source)  # (batch, heads, target, source)
        scores = scores + shares[..., 1:].transpose(1, 2)[..., None]
        total = torch.logaddexp(shares[..., 0], scores.logsumexp((1, 3)))[..., None]
        pointed = (scores - total[:, None]).exp().sum(1)  # (batch, target, source)
        copied = torch.zeros_like(written)
        copied.scatter_add_(-1, source.ids[:, None].expand_as(pointed), pointed)
        copied = copied.clamp_min(torch.finfo(copied.dtype).tiny)  # for the gradient's sake, too
        return torch.logaddexp(shares[..., :1] - total + written, copied.log())

    def loss(
        self,
        states: Tensor,
        recent: Tensor,
        source: CopySource,
        positions: Tensor,
        labels: Tensor,
    ) -> Tensor:
        """The summed -log p of labels at (real tokens,) places of (batch x target).

        The same as gathering from `forward`, of which no (tokens, vocabulary) scatter is built:
        a label needs only the scores of where it stands in the source.
        """
        real = states.flatten(0, 1)[positions]  # (real tokens, size)
        unlikely = functional.cross_entropy(_exact(self.vocabulary(real)), labels, reduction="none")
        if source.keys is None:
            return unlikely.sum()
        batch, target, _ = states.shape
        wanted = labels.new_full((batch * target,), _NOWHERE).index_copy(0, positions, labels)
        here = wanted.view(batch, 1, target, 1) == source.ids[:, None, None]
        scores = self._scores(states, recent, source)  # (batch, heads, target, source)
        both = torch.stack([scores.masked_fill(~here, _NEVER).logsumexp(-1), scores.logsumexp(-1)])
        found, anywhere = both.transpose(2, 3).flatten(1, 2)[:, positions]  # (real tokens, heads)
        shares = _exact(self.shares(real))
        likely = torch.cat([shares[:, :1] - unlikely[:, None], shares[:, 1:] + found], -1)
        total = torch.cat([shares[:, :1], shares[:, 1:] + anywhere], -1)
        summed: Tensor = (total.logsumexp(-1) - likely.logsumexp(-1)).sum()
        return summed

    def _scores(self, states: Tensor, recent: Tensor, source: CopySource) -> Tensor:
        """Of each position (batch, heads, target, source)."""
        assert source.keys is not None
        queries = split_heads(self.queries(states), self.heads)
        scores = _exact(queries @ source.keys.transpose(-1, -2)) * queries.size(-1) ** -0.5
        scores = scores - source.mask.sum(-1, keepdim=True).to(scores.dtype).log()
        if self.width:
            same = recent[:, :, None] == source.before[:, None]  # (batch, target, source, matches)
            runs = same.to(scores.dtype).cumprod(-1)
            scores = scores + (runs @ self.matches).permute(0, 3, 1, 2)
        seen: Tensor = scores.masked_fill(~source.mask, _NEVER)
        return seen


_NOWHERE = -1
"""No token's id: what is before a source begins."""

UNREAD = -2
"""No token's id, nor what is before a source: what is before a text begins."""


def windows(ids: Tensor, width: int, filler: int) -> Tensor:
    """Each id and those before it (batch, time, width), the latest first.

    >>> windows(torch.tensor([[5, 6, 7]]), 2, -1).tolist()
    [[[5, -1], [6, 5], [7, 6]]]
    """
    if not width:
        return ids.new_empty(*ids.shape, 0)
    return functional.pad(ids, (width - 1, 0), value=filler).unfold(-1, width, 1).flip(-1)


def _exact(values: Tensor) -> Tensor:
    """At least float32: a sum of probabilities in bfloat16 has lost its small ones."""
    return values.to(torch.promote_types(values.dtype, torch.float32))
