"""Beam search over a batch of sentences, each of which leaves the batch when it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Search:
    """How a model's texts are looked for."""

    beams: int
    """The width; 1 is greedy."""
    longest: int
    """The most tokens of a text, the end included."""
    no_repeat: int = 0
    """No text holds a run of so many tokens twice (`no_repeat_ngram_size`); 0 for any."""
    length_penalty: float = 1.0
    """The exponent of the length that scores are divided by: 1 ranks by the mean log-probability
    of a token; the larger it is, the longer the texts."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A text that the search has found."""

    tokens: tuple[int, ...]
    """What was written, the end included unless the length ran out."""
    score: float
    """The log-probability over length ** length_penalty, by which hypotheses are ranked."""


class Steps(Protocol):
    """A model's decoder, which writes several beams for each sentence of a batch."""

    def __call__(self, tokens: Tensor) -> Tensor:
        """Read a token a beam (sentence, beam); return the next one's logits (…, vocab)."""

    def follow(self, parents: Tensor) -> None:
        """Let each beam go on from the one of its sentence that `parents` (sentence, beam) says."""

    def keep(self, sentences: Tensor) -> None:
        """Go on with the sentences at these places (kept,) only."""


def beam_search(steps: Steps, start: Tensor, how: Search, *, end: int) -> list[list[Hypothesis]]:
    """The best hypotheses of each sentence, as many as there are beams, best first.

    They are those of `generate(num_beams=…, early_stopping=False)`, its default. Of the 2 x beams
    best continuations those that end are found if they are among the first half; the best of the
    others go on. A sentence is done when it has as many hypotheses as beams and its best running
    beam, by its score so far, beats none of them; or at the limit, where the first half ends as it
    is. One beam is greedy search: what goes on when it ends is less likely, so that it is done at
    its first end.

    Args:
        steps: Reads all sentences from their beginning.
        start: What the beams of each sentence read first (sentence, begun): the text so far, of
            which the hypotheses hold what comes after it.
        how: The width of the search, and its limits.
        end: The token that ends a text.
    """
    beams, begun = how.beams, start.size(1)
    start = start[:, None].repeat(1, beams, 1)  # (sentence, beam, begun)
    found: list[list[Hypothesis]] = [[] for _ in start]
    alive = list(range(len(start)))
    for place in range(begun - 1):
        steps(start[..., place])
    tokens, texts = start[..., -1], start  # texts: (sentence, beam, begun + length)
    scores = start.new_zeros(tokens.shape, dtype=torch.float32)
    scores[:, 1:] = -torch.inf  # all beams are alike at first: only one of them counts
    for length in range(1, how.longest + 1):
        logits = steps(tokens).float()  # as `generate` does, whatever the model computes in
        total = logits.logsumexp(-1, keepdim=True)
        if how.no_repeat:
            logits = _without_repeats(logits, texts, how.no_repeat)
        scores, parents, tokens = _best_continuations(logits, scores - total[..., 0], 2 * beams)
        texts = torch.cat([_take(texts, parents), tokens[..., None]], -1)
        ends = (tokens == end) | (length == how.longest)
        means = (scores / length**how.length_penalty).tolist()
        for row, rank in ends[:, :beams].nonzero().tolist():
            text = Hypothesis(tuple(texts[row, rank, begun:].tolist()), means[row][rank])
            found[alive[row]] = _best([*found[alive[row]], text], beams)

        scores, places = scores.masked_fill(ends, -torch.inf).topk(beams)
        best = (scores[:, 0] / length**how.length_penalty).tolist()
        rows = [
            row for row, name in enumerate(alive) if not _is_done(found[name], best[row], beams)
        ]
        if not rows:
            break
        texts, tokens, parents = (_take(each, places) for each in (texts, tokens, parents))
        if len(rows) < len(alive):
            kept = torch.tensor(rows, device=start.device)
            steps.keep(kept)
            scores, texts, tokens, parents = (
                each[kept] for each in (scores, texts, tokens, parents)
            )
            alive = [alive[row] for row in rows]
        steps.follow(parents)
    return found


def _best_continuations(
    logits: Tensor, scores: Tensor, number: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Of each sentence's continuations the best: scores, beams and tokens (sentence, number).

    The logits (sentence, beam, vocab) need no softmax: a beam's order is that of its logits, and
    its score (sentence, beam) is short of their total.
    """
    width = min(number, logits.size(-1))
    likely, tokens = logits.topk(width)  # (sentence, beam, width)
    best, places = (likely + scores[..., None]).flatten(1).topk(number)
    return best, places // width, tokens.flatten(1).gather(1, places)


def _without_repeats(logits: Tensor, texts: Tensor, size: int) -> Tensor:
    """The logits (sentence, beam, vocab) but of what would repeat a run of `size` tokens.

    >>> texts = torch.tensor([[[5, 6, 7, 5, 6]]])
    >>> (_without_repeats(torch.zeros(1, 1, 9), texts, 3) < 0).nonzero().tolist()
    [[0, 0, 7]]
    """
    if texts.size(-1) < size:
        return logits
    runs = texts.unfold(-1, size, 1)  # (sentence, beam, run, size)
    begun = (runs[..., :-1] == texts[..., None, 1 - size :]).all(-1)  # (sentence, beam, run)
    floor = logits.new_zeros(()).expand_as(begun).masked_fill(begun, -torch.inf)
    ends = runs[..., -1]
    return logits.scatter_reduce(-1, ends, logits.gather(-1, ends) + floor, "amin")


def _take(values: Tensor, places: Tensor) -> Tensor:
    """For each sentence the beams at `places` (sentence, number) of (sentence, beam, …)."""
    sentences = torch.arange(len(values), device=values.device)[:, None]
    return values[sentences, places]


def _best(texts: list[Hypothesis], number: int) -> list[Hypothesis]:
    return sorted(texts, key=lambda text: -text.score)[:number]


def _is_done(found: list[Hypothesis], best_running: float, beams: int) -> bool:
    return len(found) == beams and best_running <= found[-1].score
