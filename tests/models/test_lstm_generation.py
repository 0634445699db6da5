"""Beam search proved right: with the cache it finds what it finds without."""

import pytest
import torch
from torch import Tensor

from nl2code.models import LSTMForConditionalGeneration
from nl2code.models.lstm_decoder import LSTMCache

BOTH = pytest.mark.parametrize("feeding", [False, True], ids=["plain", "input-feeding"])


def beams(model: LSTMForConditionalGeneration, sources: tuple[Tensor, Tensor], **settings):
    ids, mask = sources
    output = model.generate(
        ids,
        attention_mask=mask,
        num_beams=5,
        num_return_sequences=5,
        max_new_tokens=12,
        output_scores=True,
        return_dict_in_generate=True,
        **settings,
    )
    return output.sequences.tolist(), output.sequences_scores


@BOTH
def test_beam_search_with_the_cache_equals_one_without(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding).double()
    cached, scores = beams(model, sources)
    uncached, uncached_scores = beams(model, sources, use_cache=False)
    assert cached == uncached
    torch.testing.assert_close(scores, uncached_scores)
    assert cached[:5] != cached[5:10]  # the source matters to what is generated


@BOTH
def test_beam_search_goes_wrong_when_the_cache_is_not_reordered(
    make_lstm, sources, feeding, monkeypatch
) -> None:
    """The negative control: without it the equality above might prove nothing."""
    model = make_lstm(input_feeding=feeding).double()
    right, _ = beams(model, sources)
    monkeypatch.setattr(LSTMCache, "reorder_cache", lambda *_: None)
    broken, _ = beams(model, sources)
    assert broken != right


@BOTH
def test_a_beams_score_is_the_log_likelihood_of_its_tokens(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding).double()
    ids, mask = sources
    sequences, scores = beams(model, sources, length_penalty=0.0, eos_token_id=99)
    for index in (0, 4, 5, 14):
        row, sequence = index // 5, torch.tensor([sequences[index]])
        logits = model(
            ids[row : row + 1], mask[row : row + 1], decoder_input_ids=sequence[:, :-1]
        ).logits
        chosen = logits.log_softmax(-1).gather(-1, sequence[:, 1:, None]).sum()
        assert scores[index].item() == pytest.approx(chosen.item(), rel=1e-5)


@BOTH
def test_greedy_search_takes_the_best_token_at_each_step(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding).double()
    ids, mask = sources
    generated = model.generate(ids, attention_mask=mask, max_new_tokens=8, eos_token_id=99)
    logits = model(ids, mask, decoder_input_ids=generated[:, :-1]).logits
    assert generated[:, 1:].tolist() == logits.argmax(-1).tolist()


@BOTH
def test_decoding_in_pieces_equals_decoding_at_once(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding).double()
    target = torch.tensor([[1, 5, 9, 4], [1, 7, 4, 3], [1, 3, 3, 8]])
    whole = model(*sources, decoder_input_ids=target).logits
    cache, pieces = None, []
    for piece in (target[:, :1], target[:, 1:3], target[:, 3:]):
        output = model(*sources, decoder_input_ids=piece, cache=cache, use_cache=True)
        cache = output.cache
        pieces.append(output.logits)
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=1e-12, atol=1e-12)
    assert cache.get_seq_length() == 4
