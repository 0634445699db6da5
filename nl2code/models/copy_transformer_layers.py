"""The sublayers of the copying Transformer: rotated attention, cross-attention, feed-forward."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

KeysValues = tuple[Tensor, Tensor]
"""Each (batch, heads, time, size of a head)."""


class SelfAttention(nn.Module):
    """Attention within a sequence; positions turn queries and keys (RoPE, Su et al. 2021).

    Only distances count, so that a cell copied from anywhere looks the same, left padding changes
    nothing, and no table of positions ends.
    """

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.joined = nn.Linear(size, 3 * size, bias=False)
        self.output = nn.Linear(size, size, bias=False)

    def forward(
        self,
        states: Tensor,
        mask: Tensor | None,
        causal: bool = False,
        past: KeysValues | None = None,
    ) -> tuple[Tensor, KeysValues]:
        """Return what each position gathers (batch, time, size), and all keys and values.

        Args:
            states: (batch, time, size)
            mask: (batch, 1, 1, source), true where there is something to see; or None.
            causal: No position sees what follows it.
            past: The keys and values of the positions before these.
        """
        queries, keys, values = (
            split_heads(part, self.heads) for part in self.joined(states).chunk(3, -1)
        )
        begin = 0 if past is None else past[0].size(2)
        cosines, sines = rotation(begin, states.size(1), queries)
        queries, keys = rotate(queries, cosines, sines), rotate(keys, cosines, sines)
        if past is not None:
            keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
            mask = _seen(begin, states.size(1), states.device) if causal else mask
        gathered = functional.scaled_dot_product_attention(
            queries, keys, values, mask, is_causal=causal and past is None
        )
        return self.output(join_heads(gathered)), (keys, values)


class CrossAttention(nn.Module):
    """Attention of the decoder over the encoder's states, which are projected once."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.queries = nn.Linear(size, size, bias=False)
        self.joined = nn.Linear(size, 2 * size, bias=False)
        self.output = nn.Linear(size, size, bias=False)

    def project(self, memory: Tensor) -> KeysValues:
        """The keys and values of (batch, source, size)."""
        keys, values = self.joined(memory).chunk(2, -1)
        return split_heads(keys, self.heads), split_heads(values, self.heads)

    def forward(self, states: Tensor, projected: KeysValues, mask: Tensor) -> Tensor:
        """What each position of (batch, target, size) gathers, of the same shape."""
        queries = split_heads(self.queries(states), self.heads)
        gathered = functional.scaled_dot_product_attention(queries, *projected, mask)
        output: Tensor = self.output(join_heads(gathered))
        return output


class FeedForward(nn.Sequential):
    """Two layers on each position alone."""

    def __init__(self, size: int, inner: int) -> None:
        super().__init__(nn.Linear(size, inner), nn.GELU(), nn.Linear(inner, size))


def split_heads(states: Tensor, heads: int) -> Tensor:
    """(batch, time, size) as (batch, heads, time, size of a head)."""
    batch, time, size = states.shape
    return states.view(batch, time, heads, size // heads).transpose(1, 2)


def join_heads(states: Tensor) -> Tensor:
    """(batch, heads, time, size of a head) as (batch, time, size)."""
    return states.transpose(1, 2).flatten(2)


def rotation(begin: int, length: int, like: Tensor) -> KeysValues:
    """Cosines and sines (time, half of a head) of the positions from `begin` on."""
    half = like.size(-1) // 2
    # In float32 at least: bfloat16 cannot tell position 257 from 256.
    exact = torch.promote_types(like.dtype, torch.float32)
    steps = torch.arange(half, device=like.device, dtype=exact)
    places = torch.arange(begin, begin + length, device=like.device, dtype=exact)
    angles = torch.outer(places, 10_000 ** (-steps / half))
    return angles.cos().to(like.dtype), angles.sin().to(like.dtype)


def rotate(states: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Turn each pair (i, i + half) of a head by its position's angle.

    >>> turned = rotate(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0]]), torch.tensor([[1.0]]))
    >>> turned.tolist()
    [[0.0, 1.0]]
    """
    first, second = states.chunk(2, -1)
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], -1)


def _seen(begin: int, length: int, device: torch.device) -> Tensor:
    """What new positions see of all (new, all): what is before them, and themselves."""
    new = torch.arange(begin, begin + length, device=device)
    return torch.arange(begin + length, device=device) <= new[:, None]
