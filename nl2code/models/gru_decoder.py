"""The GRU decoder with additive attention, copying and selective read (NL2Bash, section 5).

Copying is CopyNet's (Gu et al., 2016, sections 3.2 and 3.3), whose equations are quoted.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .gru_config import GRUSeq2SeqConfig
from .gru_encoder import drop_all_along


class Source(NamedTuple):
    """What every step looks at; its rows may be sentences, with several beams each."""

    memory: Tensor  # (batch, source, hidden)
    keys: Tensor  # (batch, source, hidden): what the attention compares the state with
    copies: Tensor  # (batch, source, hidden): what copying does, or nothing: (batch, source, 0)
    masked: Tensor  # (batch, 1, source), true at padding
    ids: Tensor  # (batch, source)


class State(NamedTuple):
    """All that one step hands to the next."""

    hidden: Tensor  # (batch, beam, hidden)
    copying: Tensor  # (batch, beam, source): the scores of copying, before the softmax


class GRUDecoder(nn.Module):
    """One GRU; it reads the last token, the context, and what was copied.

    There may be several beams a source; in training there is one.
    """

    def __init__(self, config: GRUSeq2SeqConfig) -> None:
        super().__init__()
        hidden, size = config.hidden_size, config.embedding_size
        self.copying, self.dropout = config.copying, config.dropout
        self.token_gates = nn.Linear(size, 3 * hidden)
        self.read_gates = nn.Linear(hidden * (1 + config.copying), 3 * hidden, bias=False)
        self.state_gates = nn.Linear(hidden, 3 * hidden)
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)
        self.readout = nn.Linear(2 * hidden, hidden)
        self.copy = nn.Linear(hidden, hidden) if config.copying else None

    def look_at(self, memory: Tensor, ids: Tensor, mask: Tensor) -> Source:
        """What the steps need of the encoder's states (batch, source, hidden)."""
        copies = memory[..., :0] if self.copy is None else torch.tanh(self.copy(memory))
        return Source(memory, self.key(memory), copies, (mask == 0)[:, None], ids)

    def first_state(self, hidden: Tensor, beams: int, source: Source) -> State:
        """Before the first token; nothing was copied, whatever the scores."""
        rows, length = source.ids.shape
        return State(hidden[:, None].repeat(1, beams, 1), hidden.new_zeros(rows, beams, length))

    def forward(
        self, embedded: Tensor, ids: Tensor, state: State, source: Source
    ) -> tuple[Tensor, Tensor, State]:
        """Read a target (batch, target, …) of one beam a row.

        Returns the outputs (batch, target, hidden), the scores of copying (batch, target, source),
        and the state after the last token.
        """
        gates = self.token_gates(embedded)
        same = self.same(ids, source)
        hiddens, contexts, scores = [], [], []
        steps = zip(torch.split(gates, 1, 1), torch.split(same, 1, 1), strict=True)
        for gate, found in steps:
            context, state = self.step(gate, found, state, source)
            hiddens.append(state.hidden)
            contexts.append(context)
            scores.append(state.copying)
        outputs = self.output(torch.cat(hiddens, 1), torch.cat(contexts, 1))
        outputs = drop_all_along(outputs, self.dropout, self.training)
        return outputs, torch.cat(scores, 1), state

    def same(self, ids: Tensor, source: Source) -> Tensor:
        """Where in the source stands the token (batch, beam): (batch, beam, source)."""
        return (ids[..., None] == source.ids[:, None]) & ~source.masked

    def step(
        self, gates: Tensor, same: Tensor, state: State, source: Source
    ) -> tuple[Tensor, State]:
        """The context (batch, beam, hidden) and the state after a token.

        Args:
            gates: What the token adds to the gates (batch, beam, 3 * hidden).
            same: Where the token stands in the source.
            state: Before the token.
            source: What to look at.
        """
        focus = self.focus(state.hidden, source)
        if self.copy is None:
            read = context = focus @ source.memory
        else:
            weights = torch.cat([focus, selective(state.copying, same)], 1)
            context, copied = (weights @ source.memory).chunk(2, 1)
            read = torch.cat([context, copied], -1)
        reset, update, new = (gates + self.read_gates(read)).chunk(3, -1)
        of_state = self.state_gates(state.hidden).chunk(3, -1)
        reset, update = torch.sigmoid(reset + of_state[0]), torch.sigmoid(update + of_state[1])
        new = torch.tanh(new + reset * of_state[2])
        hidden = new + update * (state.hidden - new)  # in autocast too, states stay exact
        if self.copy is None:
            return context, State(hidden, state.copying)
        scores = hidden @ source.copies.transpose(1, 2)  # psi_c = tanh(h_j W_c) s_t
        return context, State(hidden, scores)

    def focus(self, hidden: Tensor, source: Source) -> Tensor:
        """Additive attention (batch, beam, source): softmax of v tanh(W s + U h_j)."""
        queries = self.query(hidden)[:, :, None]
        scores = self.score(torch.tanh(queries + source.keys[:, None]))[..., 0]
        shares: Tensor = scores.masked_fill(source.masked, _NEVER).softmax(-1)
        return shares

    def output(self, hidden: Tensor, context: Tensor) -> Tensor:
        """What the vocabulary is compared with."""
        return torch.tanh(self.readout(torch.cat([hidden, context], -1)))


def selective(scores: Tensor, same: Tensor) -> Tensor:
    """Selective read: the shares of the places that the last token was copied from, else zeros.

    Of p(x_j, copy) / K the normaliser is over those places alone, so a softmax over them serves.
    """
    shares = scores.masked_fill(~same, _NEVER).softmax(-1)
    return shares * same.any(-1, keepdim=True)


def joined(vocabulary: Tensor, copying: Tensor, source: Source) -> Tensor:
    """One softmax over words and places, a place's share added to its word: logits (…, vocab).

    Args:
        vocabulary: The words' scores (batch, beam, vocab).
        copying: The places' scores (batch, beam, source).
        source: Says which word stands where.
    """
    vocabulary, copying = _exact(vocabulary), _exact(copying).masked_fill(source.masked, _NEVER)
    most = torch.maximum(vocabulary.amax(-1, True), copying.amax(-1, True)).detach()
    words, places = torch.exp(vocabulary - most), torch.exp(copying - most)
    ids = source.ids[:, None].expand_as(places)
    total = words.scatter_add(-1, ids, places)
    return total.clamp_min(torch.finfo(total.dtype).tiny).log()


def copying_loss(
    vocabulary: Tensor,  # (real tokens, vocab)
    copying: Tensor,  # (real tokens, source)
    same: Tensor,  # (real tokens, source), true where the label stands in the source
    masked: Tensor,  # (real tokens, source), true at padding
    labels: Tensor,  # (real tokens,)
) -> Tensor:  # ()
    """The summed -log p of the labels, without the full distribution."""
    vocabulary, copying = _exact(vocabulary), _exact(copying).masked_fill(masked, _NEVER)
    written = vocabulary.gather(-1, labels[:, None])
    likely = torch.cat([written, copying.masked_fill(~same, _NEVER)], -1).logsumexp(-1)
    anything = torch.logaddexp(vocabulary.logsumexp(-1), copying.logsumexp(-1))
    return (anything - likely).sum()


def plain_loss(vocabulary: Tensor, labels: Tensor) -> Tensor:
    """The summed -log p of the labels, of a model that copies nothing."""
    return functional.cross_entropy(_exact(vocabulary), labels, reduction="sum")


def _exact(values: Tensor) -> Tensor:
    """At least float32: a sum of probabilities in bfloat16 has lost its small ones."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


_NEVER = -1e4
"""A score that no share is left of, and that half precision can hold."""
