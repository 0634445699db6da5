"""The paper's LSTM (section 6), written from the equations: loops over examples, layers and time.

Vectors are columns, as on paper: W x. The weights are read by their names in a checkpoint.

- LSTM (Hochreiter and Schmidhuber 1997, with forget gate): i, f, o = sigmoid(W x + U h + b),
  g = tanh(W x + U h + b), c' = f c + i g, h' = o tanh(c').
- Encoder: in each layer one LSTM reads forwards and one backwards; their states stand side by side.
- Bridge: decoder layer l starts from encoder layer l's last states, [forwards; backwards].
- Attention (Luong et al. 2015, sections 3.1 and 3.3): a_s = softmax over s of h W m_s,
  c = sum of a_s m_s, output tanh(W_c [c; h]); with input feeding the output of the step before
  stands beside the embedding, zeros in the first.
- Output layer: softmax(W_o output + b_o).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Weights = Mapping[str, Tensor]


def lstm_step(weights: Weights, names: tuple[str, str], x: Tensor, h: Tensor, c: Tensor) -> tuple:
    """The next h and c; `names` are what stands before and after a weight's name."""
    before, after = names
    gates = []
    for place in range(4):  # torch keeps the four gates' matrices on top of each other: i, f, g, o
        w, u, b, b_too = (
            weights[f"{before}.{kind}_{after}"].chunk(4)[place]
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        gates.append(w @ x + u @ h + b + b_too)
    i, f, o = (torch.sigmoid(gates[place]) for place in (0, 1, 3))
    g = torch.tanh(gates[2])
    c = f * c + i * g
    return o * torch.tanh(c), c


def run_lstm(weights: Weights, name: str, inputs: Sequence[Tensor]) -> tuple:
    """All h of one LSTM over the inputs, and its last h and c; it starts from zeros."""
    size = weights[f"{name}.weight_hh_l0"].size(1)
    h = c = inputs[0].new_zeros(size)
    outputs = []
    for x in inputs:
        h, c = lstm_step(weights, (name, "l0"), x, h, c)
        outputs.append(h)
    return outputs, h, c


@dataclass
class State:
    """What a decoder step hands on: h and c of each layer, and the output that may be fed."""

    h: list[Tensor]
    c: list[Tensor]
    output: Tensor


def encode(weights: Weights, source: Sequence[int], layers: int) -> tuple[list[Tensor], State]:
    """The memory m_1 … m_S, and the decoder's first state."""
    memory = [weights["encoder.embedding.weight"][token] for token in source]
    first = State([], [], torch.empty(0))
    for layer in range(layers):
        ahead, h, c = run_lstm(weights, f"encoder.forwards.{layer}", memory)
        back, h_back, c_back = run_lstm(weights, f"encoder.backwards.{layer}", memory[::-1])
        memory = [torch.cat(both) for both in zip(ahead, back[::-1], strict=True)]
        first.h.append(torch.cat([h, h_back]))
        first.c.append(torch.cat([c, c_back]))
    first.output = torch.zeros_like(memory[0])
    return memory, first


def attend(weights: Weights, h: Tensor, memory: Sequence[Tensor]) -> Tensor:
    """The attentional output for the decoder's top h."""
    scores = torch.stack([h @ weights["decoder.attention.score.weight"].T @ m for m in memory])
    shares = torch.exp(scores - scores.max())
    shares = shares / shares.sum()
    context = sum((a * m for a, m in zip(shares, memory, strict=True)), torch.zeros_like(memory[0]))
    return torch.tanh(weights["decoder.attention.combine.weight"] @ torch.cat([context, h]))


def decode_step(
    weights: Weights, token: int, state: State, memory: Sequence[Tensor], feeding: bool
) -> tuple[Tensor, State]:
    """log p(next token | …) over the vocabulary, and the state after this token."""
    x = weights["target_embedding.weight"][token]
    x = torch.cat([x, state.output]) if feeding else x
    after = State([], [], state.output)
    for layer, (h, c) in enumerate(zip(state.h, state.c, strict=True)):
        x, c = lstm_step(weights, ("decoder.lstm", f"l{layer}"), x, h, c)
        after.h.append(x)
        after.c.append(c)
    after.output = attend(weights, x, memory)
    logits = weights["lm_head.weight"] @ after.output + weights["lm_head.bias"]
    return logits - torch.log(torch.exp(logits).sum()), after


def loss(
    weights: Weights,
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    *,
    layers: int,
    feeding: bool,
    start: int,
) -> Tensor:
    """-log p of all target tokens, each given its source and the target before it."""
    total = torch.zeros((), dtype=torch.float64)
    for source, target in pairs:
        memory, state = encode(weights, source, layers)
        for given, wanted in zip([start, *target], target, strict=False):
            log_p, state = decode_step(weights, given, state, memory, feeding)
            total = total - log_p[wanted]
    return total


def greedy(
    weights: Weights, source: Sequence[int], *, layers: int, feeding: bool, start: int
) -> Iterator[tuple[int, Tensor]]:
    """The likeliest next token and the log p that say so, step after step."""
    memory, state = encode(weights, source, layers)
    token = start
    while True:
        log_p, state = decode_step(weights, token, state, memory, feeding)
        token = int(log_p.argmax())
        yield token, log_p
