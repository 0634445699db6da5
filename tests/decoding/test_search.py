"""Our search finds what `generate` finds, text by text, with the same scores."""

from typing import Any

import pytest
import torch
from tiny_models import KINDS, SOURCES, make, make_ending
from transformers import PreTrainedModel

from nl2code.decoding.decode import search
from nl2code.decoding.gru_steps import GRUSteps
from nl2code.decoding.lstm_steps import LSTMSteps
from nl2code.decoding.search import Hypothesis, Search, beam_search
from nl2code.decoding.transformer_steps import Written

END = 2


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest) -> PreTrainedModel:
    return make(request.param)


def generated(
    model: PreTrainedModel, beams: int, longest: int, **wishes: float
) -> tuple[list[list[int]], Any]:
    """The texts of `generate`, cut behind their end, and their scores where it tells them."""
    width = max(map(len, SOURCES))
    ids = torch.tensor([source + [0] * (width - len(source)) for source in SOURCES])
    mask = torch.tensor([[1] * len(source) + [0] * (width - len(source)) for source in SOURCES])
    output = model.generate(
        ids, attention_mask=mask, num_beams=beams, num_return_sequences=beams,
        max_new_tokens=longest, do_sample=False, output_scores=True, return_dict_in_generate=True,
        **wishes,
    )  # fmt: skip
    texts = [ids[1:] for ids in output.sequences.tolist()]
    return [ids[: ids.index(END) + 1] if END in ids else ids for ids in texts], output


def searched(model: PreTrainedModel, beams: int, longest: int) -> list[Hypothesis]:
    found = search(model, SOURCES, Search(beams, longest))
    assert [len(texts) for texts in found] == [beams] * len(SOURCES)
    return [text for texts in found for text in texts]


@pytest.mark.parametrize("longest", [1, 4, 20])
@pytest.mark.parametrize("beams", [1, 2, 5])
def test_beams_and_scores_are_those_of_generate(
    model: PreTrainedModel, beams: int, longest: int
) -> None:
    texts, output = generated(model, beams, longest)
    ours = searched(model, beams, longest)
    assert [list(text.tokens) for text in ours] == texts
    if beams > 1:  # greedy search tells none
        scores = torch.tensor([text.score for text in ours])
        torch.testing.assert_close(scores, output.sequences_scores)


def test_the_texts_compared_end_early_late_and_at_the_limit(model: PreTrainedModel) -> None:
    """Otherwise the equality above would say little of when a search stops."""
    texts = searched(model, beams=5, longest=20)
    lengths = {len(text.tokens) for text in texts}
    assert min(lengths) < 4
    assert max(lengths) == 20
    assert len(lengths) > 6
    assert len({text.tokens for text in texts[::5]}) > 2  # the source matters


@pytest.mark.parametrize("no_repeat", [2, 3])
@pytest.mark.parametrize("beams", [1, 4])
def test_they_are_so_where_no_run_of_tokens_may_come_twice(
    model: PreTrainedModel, beams: int, no_repeat: int
) -> None:
    make_ending(model, 0.0)
    texts, _ = generated(model, beams, 20, no_repeat_ngram_size=no_repeat)
    found = [list(text.tokens) for texts in search(model, SOURCES, Search(beams, 20, no_repeat))
             for text in texts]  # fmt: skip
    assert found == texts
    assert found != [list(text.tokens) for text in searched(model, beams, 20)]
    for tokens in found:
        runs = [tuple(tokens[start : start + no_repeat]) for start in range(len(tokens))]
        whole = [run for run in runs if len(run) == no_repeat]
        assert len(whole) == len(set(whole))


@pytest.mark.parametrize("penalty", [0.0, 0.5, 2.0])
def test_they_are_so_whatever_the_length_counts(model: PreTrainedModel, penalty: float) -> None:
    texts, output = generated(model, 4, 20, length_penalty=penalty)
    how = Search(4, 20, length_penalty=penalty)
    found = [text for texts in search(model, SOURCES, how) for text in texts]
    assert [list(text.tokens) for text in found] == texts
    scores = torch.tensor([text.score for text in found])
    torch.testing.assert_close(scores, output.sequences_scores)
    assert texts != [list(text.tokens) for text in searched(model, 4, 20)]


@pytest.mark.parametrize("ending", [-2.0, 0.0, 3.0])
def test_they_are_so_however_likely_a_text_is_to_end(model: PreTrainedModel, ending: float) -> None:
    make_ending(model, ending)
    texts, _ = generated(model, beams=3, longest=30)
    assert [list(text.tokens) for text in searched(model, beams=3, longest=30)] == texts


def test_beams_that_do_not_take_their_past_along_are_found_out(
    model: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: without it the equalities above might prove nothing."""
    right = searched(model, beams=5, longest=20)
    for kind in (LSTMSteps, Written, GRUSteps):
        monkeypatch.setattr(kind, "follow", lambda *_: None)
    assert searched(model, beams=5, longest=20) != right


def test_neither_padding_nor_a_sentence_that_is_done_changes_another(
    model: PreTrainedModel,
) -> None:
    together = search(model, SOURCES, Search(5, 20))
    for source, texts in zip(SOURCES, together, strict=True):
        (alone,) = search(model, [source], Search(5, 20))
        assert [text.tokens for text in alone] == [text.tokens for text in texts]
        scores = [text.score for text in texts]
        assert [text.score for text in alone] == pytest.approx(scores, rel=1e-6)


class Chain:
    """A decoder of one sentence a row: row i ends after i + 1 tokens, and is read no more."""

    def __init__(self, sentences: int) -> None:
        self.left = torch.arange(1, sentences + 1)
        self.read: list[int] = []

    def __call__(self, tokens: torch.Tensor) -> torch.Tensor:
        self.read.append(len(tokens))
        self.left = self.left - 1
        logits = torch.zeros(*tokens.shape, 6)
        logits[..., 3] = 1.0
        logits[self.left == 0, :, END] = 9.0
        return logits

    def follow(self, parents: torch.Tensor) -> None:
        pass

    def keep(self, sentences: torch.Tensor) -> None:
        self.left = self.left[sentences]


def test_a_sentence_that_is_done_leaves_the_batch() -> None:
    steps = Chain(3)
    found = beam_search(steps, torch.ones(3, 1, dtype=torch.long), Search(1, 9), end=END)
    assert [text.tokens for (text,) in found] == [(2,), (3, 2), (3, 3, 2)]
    assert steps.read == [3, 2, 1]


class Waverer:
    """A decoder whose first text ends at once, though a better one lies behind another token."""

    def __call__(self, tokens: torch.Tensor) -> torch.Tensor:
        logits = torch.full((*tokens.shape, 6), -99.0)
        logits[..., END] = 0.1
        logits[..., 3] = torch.where(tokens == 1, 0.0, 9.0)
        return logits

    def follow(self, parents: torch.Tensor) -> None:
        pass

    def keep(self, sentences: torch.Tensor) -> None:
        pass


def test_one_beam_is_done_at_its_first_end_as_greedy_search_is() -> None:
    ((text,),) = beam_search(Waverer(), torch.ones(1, 1, dtype=torch.long), Search(1, 4), end=END)
    assert text.tokens == (END,)
    ((best, _),) = beam_search(Waverer(), torch.ones(1, 1, dtype=torch.long), Search(2, 4), end=END)
    assert best.tokens == (3, 3, 3, 3)


def test_beams_may_be_more_than_half_the_words() -> None:
    (texts,) = beam_search(Waverer(), torch.ones(1, 1, dtype=torch.long), Search(5, 4), end=END)
    assert len(texts) == 5
    assert texts[0].tokens == (3, 3, 3, 3)


def test_a_score_is_the_mean_log_probability_of_the_tokens(model: PreTrainedModel) -> None:
    best = search(model, SOURCES[:1], Search(5, 20))[0][0]
    inputs = torch.tensor([[1, *best.tokens[:-1]]])
    logits = model(
        torch.tensor(SOURCES[:1]),
        torch.ones(1, len(SOURCES[0]), dtype=torch.long),
        decoder_input_ids=inputs,
    ).logits
    likely = logits.log_softmax(-1).gather(-1, torch.tensor(best.tokens)[None, :, None])
    assert best.score == pytest.approx(likely.mean().item(), rel=1e-5)
