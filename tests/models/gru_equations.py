"""The bi-GRU of NL2Bash (section 5), written from the equations: loops over examples and time.

Vectors are columns, as on paper: W x. The weights are read by their names in a checkpoint.

- GRU (Cho et al. 2014): r, z = sigmoid(W x + b + U h + b'), n = tanh(W x + b + r (U h + b')),
  h' = (1 - z) n + z h.
- Encoder: one GRU reads forwards, one backwards; their states stand side by side as h_j.
- Attention (Bahdanau et al. 2015): e_j = v tanh(W s + b + U h_j), c = sum of softmax(e)_j h_j,
  where s is the state before the step.
- Decoder: the GRU reads the token's embedding, c, and with copying the selective read.
- Output: psi_g = W_o tanh(W_r [s'; c] + b_r) + b_o over words.
- Copying (Gu et al. 2016): psi_c(j) = tanh(W_c h_j + b_c) s'; one softmax over words and places;
  p(y) is the share of the word y and of all places j with x_j = y. The next selective read is the
  sum of rho_j h_j over the places of y, rho_j being their shares, scaled to sum to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

Weights = Mapping[str, Tensor]


def gru(of_input: Tensor, of_state: Tensor, h: Tensor) -> Tensor:
    """The next state, from what input and state add to the gates."""
    (xr, xz, xn), (hr, hz, hn) = of_input.chunk(3), of_state.chunk(3)
    z = torch.sigmoid(xz + hz)
    return (1 - z) * torch.tanh(xn + torch.sigmoid(xr + hr) * hn) + z * h


def linear(w: Weights, name: str, x: Tensor) -> Tensor:
    bias = w.get(f"{name}.bias")
    return w[f"{name}.weight"] @ x + (0 if bias is None else bias)


def run(w: Weights, name: str, inputs: Sequence[Tensor]) -> list[Tensor]:
    """All states of one encoder GRU."""
    h, states = inputs[0].new_zeros(w[f"{name}.weight_hh_l0"].size(1)), []
    for x in inputs:
        of_input = w[f"{name}.weight_ih_l0"] @ x + w[f"{name}.bias_ih_l0"]
        h = gru(of_input, w[f"{name}.weight_hh_l0"] @ h + w[f"{name}.bias_hh_l0"], h)
        states.append(h)
    return states


def likelihoods(
    w: Weights, source: Sequence[int], given: Sequence[int], copying: bool
) -> list[Tensor]:
    """p(next word | …) over the vocabulary after each given token."""
    read = [w["encoder.embedding.weight"][token] for token in source]
    ahead = run(w, "encoder.forwards", read)
    back = run(w, "encoder.backwards", read[::-1])[::-1]
    memory = [torch.cat(both) for both in zip(ahead, back, strict=True)]
    s, places = torch.cat([ahead[-1], back[0]]), [torch.zeros(()) for _ in source]
    found = []
    for token in given:
        scores = torch.stack(
            [
                linear(w, "decoder.score",
                       torch.tanh(linear(w, "decoder.query", s) + linear(w, "decoder.key", h)))[0]
                for h in memory
            ]
        )  # fmt: skip
        c = sum(a * h for a, h in zip(scores.softmax(0), memory, strict=True))
        inputs = [c]
        if copying:
            same = [j for j, word in enumerate(source) if word == token]
            total = sum(torch.exp(places[j]) for j in same)
            shares = [torch.exp(places[j]) / total * memory[j] for j in same]
            inputs.append(sum(shares, torch.zeros_like(c)))
        gates = linear(w, "decoder.token_gates", w["encoder.embedding.weight"][token])
        gates = gates + linear(w, "decoder.read_gates", torch.cat(inputs))
        s = gru(gates, linear(w, "decoder.state_gates", s), s)
        output = torch.tanh(linear(w, "decoder.readout", torch.cat([s, c])))
        words = linear(w, "lm_head", output)
        places = [torch.tanh(linear(w, "decoder.copy", h)) @ s for h in memory] if copying else []
        exponents = torch.cat([words, torch.stack(places)]) if copying else words
        shares = torch.exp(exponents) / torch.exp(exponents).sum()
        p = shares[: len(words)]
        for j, word in enumerate(source if copying else []):
            p = p + shares[len(words) + j] * torch.eye(len(words), dtype=p.dtype)[word]
        found.append(p)
    return found


def loss(
    w: Weights, pairs: Sequence[tuple[list[int], list[int]]], copying: bool, start: int
) -> Tensor:
    """-log p of all target tokens, each given its source and the target before it."""
    return -sum(
        torch.log(p[wanted])
        for source, target in pairs
        for p, wanted in zip(
            likelihoods(w, source, [start, *target[:-1]], copying), target, strict=True
        )
    )
