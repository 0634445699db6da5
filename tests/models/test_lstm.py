"""The LSTM: sizes, the loss, dropout, gradients."""

import pytest
import torch

from nl2code.models import LSTMForConditionalGeneration, LSTMSeq2SeqConfig

BOTH = pytest.mark.parametrize("feeding", [False, True], ids=["plain", "input-feeding"])


def parameters(model: torch.nn.Module) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def test_shared_and_tied_embeddings_leave_one_table() -> None:
    sizes = {"vocab_size": 50, "embedding_size": 8, "hidden_size": 8}
    count = {
        (share, tie): parameters(
            LSTMForConditionalGeneration(
                LSTMSeq2SeqConfig(**sizes, share_embeddings=share, tie_word_embeddings=tie)
            )
        )
        for share in (False, True)
        for tie in (False, True)
    }
    assert count[False, False] - count[True, False] == 50 * 8
    assert count[False, False] - count[False, True] == 50 * 8
    assert count[False, False] - count[True, True] == 2 * 50 * 8


def test_the_loss_is_the_mean_over_real_tokens(make_lstm, sources) -> None:
    model = make_lstm()
    labels = torch.tensor([[5, 9, 2], [7, 2, -100], [2, -100, -100]])
    output = model(*sources, labels=labels)
    expected = [
        -output.logits[row, step].log_softmax(-1)[labels[row, step]]
        for row in range(3)
        for step in range(3 - row)
    ]
    torch.testing.assert_close(output.loss, torch.stack(expected).mean())


def test_without_decoder_inputs_the_labels_are_shifted_behind_the_start(make_lstm, sources) -> None:
    model = make_lstm()
    labels = torch.tensor([[5, 9, 2], [7, 2, -100], [2, -100, -100]])
    shifted = torch.tensor([[1, 5, 9], [1, 7, 2], [1, 2, 0]])
    torch.testing.assert_close(
        model(*sources, labels=labels).logits, model(*sources, decoder_input_ids=shifted).logits
    )
    assert labels.tolist() == [[5, 9, 2], [7, 2, -100], [2, -100, -100]]


@BOTH
def test_every_parameter_gets_a_gradient(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding).train()
    model(*sources, labels=torch.tensor([[5, 9, 2], [7, 2, -100], [2, -100, -100]])).loss.backward()
    without = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert without == []


@BOTH
def test_dropout_falls_on_the_output_and_only_in_training(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding, dropout=0.5, layers=1, hidden_size=64)
    decoded = []
    model.lm_head.register_forward_pre_hook(lambda _, args: decoded.append(args[0]))
    target = torch.ones(3, 40, dtype=torch.long)
    for training in (True, False):
        model.train(training)(*sources, decoder_input_ids=target)
    assert 0.45 < (decoded[0] == 0).float().mean() < 0.55
    assert not (decoded[1] == 0).any()


@BOTH
def test_dropout_falls_between_the_decoders_layers(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding, dropout=0.5)
    model.train().encoder.eval()
    start = torch.ones(3, 1, dtype=torch.long)
    first, second = (
        model(*sources, decoder_input_ids=start, use_cache=True).cache.state.hidden
        for _ in range(2)
    )
    assert torch.equal(first[0], second[0])  # nothing is dropped below the first layer
    assert not torch.equal(first[1], second[1])


def test_dropout_falls_between_the_encoders_layers(make_lstm, sources) -> None:
    encoder = make_lstm(dropout=0.5).train().encoder
    first, second = encoder(*sources).final_hidden, encoder(*sources).final_hidden
    assert torch.equal(first[:, 0], second[:, 0])
    assert not torch.equal(first[:, 1], second[:, 1])


@BOTH
def test_autocast_to_bfloat16_stays_near_the_float_loss(make_lstm, sources, feeding) -> None:
    model = make_lstm(input_feeding=feeding, init_range=0.3)
    labels = torch.tensor([[5, 9, 2], [7, 2, -100], [2, -100, -100]])
    exact = model(*sources, labels=labels).loss
    with torch.autocast("cpu", torch.bfloat16):
        loss = model.train()(*sources, labels=labels).loss
        loss.backward()
        near = model.eval()(*sources, labels=labels).loss
    assert near.dtype == torch.float32
    torch.testing.assert_close(near, exact, rtol=0.02, atol=0)
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_on_a_cpu_autocast_leaves_the_lstms_in_single_precision(make_lstm, sources) -> None:
    model = make_lstm(input_feeding=False)
    start = torch.ones(3, 2, dtype=torch.long)
    exact = model(*sources, decoder_input_ids=start, use_cache=True)
    with torch.autocast("cpu", torch.bfloat16):
        near = model(*sources, decoder_input_ids=start, use_cache=True)
    assert torch.equal(near.encoder_last_hidden_state, exact.encoder_last_hidden_state)
    assert torch.equal(near.cache.state.hidden, exact.cache.state.hidden)
    assert near.logits.dtype == torch.bfloat16


def test_weights_start_uniform_the_paddings_embedding_zero_and_the_seed_decides(make_lstm) -> None:
    model = make_lstm(init_range=0.1, hidden_size=32)
    same = make_lstm(init_range=0.1, hidden_size=32)
    for name, weight in model.named_parameters():
        assert weight.abs().max() <= 0.1
        if weight.numel() > 100:
            assert weight.abs().max() > 0.095, name
            assert weight.std().item() == pytest.approx(0.1 / 3**0.5, rel=0.15), name
        assert torch.equal(weight, same.get_parameter(name))
    assert not model.encoder.embedding.weight[0].any()
