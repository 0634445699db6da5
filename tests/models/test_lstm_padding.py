"""Padding changes nothing: states, logits, gradients and generated text."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from nl2code.models.lstm_encoder import LSTMEncoder, run_masked

LENGTHS = [7, 4, 1]


def packed_encoder(encoder: LSTMEncoder, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What torch's own bidirectional LSTM makes of packed sequences, layer by layer."""
    states, hiddens, cells = encoder.embedding(ids), [], []
    for pair in zip(encoder.forwards, encoder.backwards, strict=True):
        hidden = pair[0].hidden_size
        both = nn.LSTM(states.size(-1), hidden, batch_first=True, bidirectional=True).to(states)
        for suffix, lstm in zip(("", "_reverse"), pair, strict=True):
            for name, weight in lstm.named_parameters():
                both.get_parameter(name + suffix).data = weight.data
        packed = pack_padded_sequence(states, LENGTHS, batch_first=True)
        outputs, (h, c) = both(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True)
        hiddens.append(torch.cat([h[0], h[1]], -1))
        cells.append(torch.cat([c[0], c[1]], -1))
    return states, torch.stack(hiddens, 1), torch.stack(cells, 1)


# Single precision runs through other kernels than double on a CPU: both are tried.
@pytest.mark.parametrize(("dtype", "near"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_the_encoder_equals_packed_sequences(make_lstm, sources, dtype, near) -> None:
    encoder = make_lstm().to(dtype).encoder
    ids, mask = sources
    states, hidden, cell = packed_encoder(encoder, ids)
    encoded = encoder(ids, mask)
    torch.testing.assert_close(encoded[0] * mask.unsqueeze(-1), states, rtol=near, atol=near)
    torch.testing.assert_close(encoded[1], hidden, rtol=near, atol=near)
    torch.testing.assert_close(encoded[2], cell, rtol=near, atol=near)


@pytest.mark.parametrize(("dtype", "near"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_the_encoders_gradients_equal_those_of_packed_sequences(dtype, near) -> None:
    torch.manual_seed(0)
    lstm = nn.LSTM(5, 6, batch_first=True).to(dtype)
    inputs = torch.randn(3, 7, 5, dtype=dtype, requires_grad=True)
    mask = (torch.arange(7) < torch.tensor(LENGTHS).unsqueeze(1)).long()
    weight = torch.randn(3, 7, 6, dtype=dtype) * mask.unsqueeze(-1)
    leaves = [inputs, *lstm.parameters()]

    outputs, hidden, cell = run_masked(lstm, inputs, mask)
    ours = torch.autograd.grad((outputs * weight).sum() + hidden.sum() + cell.sum(), leaves)
    packed, (hidden, cell) = lstm(pack_padded_sequence(inputs, LENGTHS, batch_first=True))
    outputs, _ = pad_packed_sequence(packed, batch_first=True)
    theirs = torch.autograd.grad((outputs * weight).sum() + hidden.sum() + cell.sum(), leaves)
    torch.testing.assert_close(ours, theirs, rtol=near, atol=near)


@pytest.mark.parametrize("feeding", [False, True], ids=["plain", "input-feeding"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_a_padded_row_has_the_logits_it_has_alone(make_lstm, sources, feeding, side) -> None:
    model = make_lstm(input_feeding=feeding).double()
    ids, mask = sources
    target = torch.tensor([[1, 5, 9], [1, 7, 4], [1, 3, 3]])
    batch = (ids, mask) if side == "right" else (ids.flip(1), mask.flip(1))
    together = model(*batch, decoder_input_ids=target).logits
    for row, length in enumerate(LENGTHS):
        real = batch[0][row][batch[1][row].bool()]
        assert len(real) == length
        alone = model(real.unsqueeze(0), decoder_input_ids=target[row : row + 1]).logits
        torch.testing.assert_close(together[row], alone[0], rtol=1e-12, atol=1e-12)


def test_what_stands_in_the_padding_does_not_matter(make_lstm, sources) -> None:
    model = make_lstm().double()
    ids, mask = sources
    target = torch.tensor([[1, 5, 9], [1, 7, 4], [1, 3, 3]])
    noise = torch.where(mask == 1, ids, 9)
    torch.testing.assert_close(
        model(noise, mask, decoder_input_ids=target).logits,
        model(ids, mask, decoder_input_ids=target).logits,
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("beams", [1, 5])
@pytest.mark.parametrize("feeding", [False, True], ids=["plain", "input-feeding"])
def test_a_batch_generates_what_each_source_does_alone(make_lstm, sources, beams, feeding) -> None:
    model = make_lstm(input_feeding=feeding).double()
    ids, mask = sources
    settings = {"num_beams": beams, "max_new_tokens": 9}
    together = model.generate(ids, attention_mask=mask, **settings).tolist()
    for row, length in enumerate(LENGTHS):
        alone = model.generate(ids[row : row + 1, :length], **settings).tolist()[0]
        assert together[row][: len(alone)] == alone
        assert not any(together[row][len(alone) :])
