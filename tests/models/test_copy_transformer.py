"""The copying Transformer: a distribution, its loss, what padding and caches must not change."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForSeq2SeqLM

from nl2code.errors import UserError
from nl2code.models import (
    CopyTransformerConfig,
    CopyTransformerForConditionalGeneration,
    ModelConfig,
    build_model,
)
from nl2code.models.copy_transformer_stacks import CopyCache
from nl2code.training import TokenLoss

Make = Callable[..., CopyTransformerForConditionalGeneration]
TARGET = torch.tensor([[1, 5, 9], [1, 7, 4], [1, 3, 3]])
LABELS = torch.tensor([[5, 9, 2], [7, 4, 2], [3, 3, 2]])
HEADS = pytest.mark.parametrize("copy_heads", [0, 1, 2])


@pytest.fixture
def make() -> Make:
    """Tiny models, their weights wide enough for what they read to matter."""

    def make(**changes: Any) -> CopyTransformerForConditionalGeneration:
        sizes = {"hidden_size": 8, "layers": 2, "heads": 2, "copy_heads": 2, "feed_forward": 12}
        torch.manual_seed(3)
        config = CopyTransformerConfig(**{"vocab_size": 23, "dropout": 0.0, **sizes, **changes})
        model = CopyTransformerForConditionalGeneration(config).eval().double()
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter)
        return model

    return make


@HEADS
def test_the_probabilities_of_each_step_sum_to_one(make: Make, sources, copy_heads: int) -> None:
    logits = make(copy_heads=copy_heads)(*sources, decoder_input_ids=TARGET).logits
    assert logits.shape == (3, 3, 23)
    torch.testing.assert_close(logits.exp().sum(-1), torch.ones(3, 3).double())


def test_a_step_is_the_mixture_of_the_vocabulary_and_of_what_stands_in_the_source(
    make: Make,
) -> None:
    """By hand: behind "7 4" the source goes on with 7, once; behind another 4, with 2."""
    model, text = make(copy_matches=3), torch.tensor([[1, 7, 4]])
    ids, mask = torch.tensor([[7, 4, 7, 4, 4, 2]]), torch.ones(1, 6, dtype=torch.long)
    matched = [0, 0, 2, 0, 2, 1]  # how many of the last tokens stand before each position
    memory = model.encoder(ids, mask).last_hidden_state
    head, visible = model.head, mask.bool()[:, None, None]
    cache = CopyCache(model.decoder.project(memory), head.project(memory, ids, visible))
    state = model.decoder(model.encoder.embed(text), cache, visible)[0, 2]
    shares = head.shares(state).exp()
    expected = shares[0] * head.vocabulary(state).softmax(-1)
    for number in range(2):
        half = slice(4 * number, 4 * number + 4)
        for token, place, count in zip(ids[0], head.keys(memory[0]), matched, strict=True):
            score = head.queries(state)[half] @ place[half] / 2
            score = score + head.matches[:count, number].sum()
            expected[token] += shares[1 + number] * score.exp() / 6
    logits = model(ids, mask, decoder_input_ids=text).logits
    expected = expected / expected.sum()
    torch.testing.assert_close(logits[0, 2].exp(), expected, rtol=1e-12, atol=1e-12)


def test_a_new_model_goes_on_with_what_it_has_begun_to_copy() -> None:
    """Before any training: the token behind the longest common run is the likeliest."""
    torch.manual_seed(0)
    config = CopyTransformerConfig(vocab_size=90, hidden_size=64, layers=1, heads=2)
    model = CopyTransformerForConditionalGeneration(config).eval()
    source = torch.tensor([[11, 12, 13, 14, 15, 21, 13, 22, 2]])
    text = torch.tensor([[1, 11, 12, 13]])
    assert int(model(source, decoder_input_ids=text).logits[0, 3].argmax()) == 14


@HEADS
def test_the_loss_is_minus_the_logarithm_of_the_full_distribution(
    make: Make, sources, copy_heads: int
) -> None:
    model, (ids, mask) = make(copy_heads=copy_heads), sources
    labels = LABELS.clone()
    labels[0] = ids[0, :3]  # some labels stand in the source, others do not
    positions = torch.tensor([0, 1, 2, 3, 4, 6])
    chosen = labels.flatten()[positions]
    logits = model(ids, mask, decoder_input_ids=TARGET).logits.flatten(0, 1)
    expected = -logits[positions, chosen].sum()
    torch.testing.assert_close(model.token_loss(ids, mask, TARGET, positions, chosen), expected)
    batch = {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": TARGET}
    summed = TokenLoss(model)(**batch, positions=positions, labels=chosen)
    torch.testing.assert_close(summed, expected)


def test_training_builds_no_distribution_over_the_vocabulary_with_copies(
    make: Make, sources, monkeypatch
) -> None:
    monkeypatch.setattr("torch.Tensor.scatter_add_", None)
    model = make()
    model.token_loss(*sources, TARGET, torch.arange(9), LABELS.flatten()).backward()
    with pytest.raises(TypeError):
        model(*sources, decoder_input_ids=TARGET)


@HEADS
def test_every_parameter_learns_also_where_nothing_can_be_copied(
    make: Make, sources, copy_heads: int
) -> None:
    model, labels = make(copy_heads=copy_heads).train(), LABELS.clone()
    labels[1] = 1  # the start of a text is in no source
    model.token_loss(*sources, TARGET, torch.arange(9), labels.flatten()).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), name


def test_the_models_own_loss_is_the_mean_over_real_tokens(make: Make, sources) -> None:
    labels = torch.tensor([[5, 9, 2], [7, 2, -100], [2, -100, -100]])
    output = make()(*sources, labels=labels)
    real = [-output.logits[i, j, labels[i, j]] for i in range(3) for j in range(3 - i)]
    torch.testing.assert_close(output.loss, torch.stack(real).mean())
    shifted = torch.tensor([[1, 5, 9], [1, 7, 2], [1, 2, 0]])
    again = make()(*sources, decoder_input_ids=shifted).logits
    torch.testing.assert_close(output.logits, again)


def beams(model: CopyTransformerForConditionalGeneration, ids: Tensor, mask: Tensor, **settings):
    output = model.generate(
        ids, attention_mask=mask, num_beams=5, num_return_sequences=5, max_new_tokens=9,
        output_scores=True, return_dict_in_generate=True, **settings,
    )  # fmt: skip
    return output.sequences.tolist(), output.sequences_scores


@HEADS
@pytest.mark.parametrize("copy_matches", [0, 2])
def test_beam_search_with_the_cache_equals_one_without(
    make: Make, sources, copy_heads, copy_matches
) -> None:
    model = make(copy_heads=copy_heads, copy_matches=copy_matches)
    cached, scores = beams(model, *sources)
    uncached, uncached_scores = beams(model, *sources, use_cache=False)
    assert cached == uncached
    torch.testing.assert_close(scores, uncached_scores)
    assert cached[:5] != cached[5:10]  # the source matters to what is generated


def test_beam_search_goes_wrong_when_the_cache_is_not_reordered(
    make: Make, sources, monkeypatch
) -> None:
    """The negative control: without it the equality above might prove nothing."""
    right, _ = beams(make(), *sources)
    monkeypatch.setattr(CopyCache, "reorder_cache", lambda *_: None)
    assert beams(make(), *sources)[0] != right


def test_decoding_in_pieces_equals_decoding_at_once(make: Make, sources) -> None:
    model, target = make(), torch.tensor([[1, 5, 9, 4], [1, 7, 4, 3], [1, 3, 3, 8]])
    whole, cache, pieces = model(*sources, decoder_input_ids=target).logits, None, []
    for piece in (target[:, :1], target[:, 1:3], target[:, 3:]):
        output = model(*sources, decoder_input_ids=piece, cache=cache, use_cache=True)
        cache = output.cache
        pieces.append(output.logits)
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=1e-12, atol=1e-12)
    assert cache.get_seq_length() == 4


@pytest.mark.parametrize("side", ["right", "left"])
def test_padding_changes_nothing(make: Make, sources, side: str) -> None:
    model, (ids, mask) = make(), sources
    noise = torch.where(mask == 1, ids, 9)  # a 9 in the padding must not be copied
    batch = (noise, mask) if side == "right" else (noise.flip(1), mask.flip(1))
    together = model(*batch, decoder_input_ids=TARGET).logits
    for row, length in enumerate((7, 4, 1)):
        real = batch[0][row][batch[1][row].bool()]
        assert len(real) == length
        alone = model(real[None], decoder_input_ids=TARGET[row : row + 1]).logits
        torch.testing.assert_close(together[row], alone[0], rtol=1e-12, atol=1e-12)


def test_the_order_of_the_source_matters(make: Make) -> None:
    model, ids = make(copy_heads=0), torch.tensor([[7, 4, 9, 2]])
    turned = model(ids.flip(1), decoder_input_ids=TARGET[:1]).logits
    assert not torch.allclose(turned, model(ids, decoder_input_ids=TARGET[:1]).logits)


def test_a_saved_model_comes_back_through_the_auto_classes(make: Make, sources, tmp_path) -> None:
    model = make()
    model.save_pretrained(tmp_path)
    assert isinstance(AutoConfig.from_pretrained(tmp_path), CopyTransformerConfig)
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path, dtype=torch.float64).eval()
    assert isinstance(loaded, CopyTransformerForConditionalGeneration)
    assert loaded.head.vocabulary.weight is loaded.encoder.embedding.weight
    logits = [each(*sources, decoder_input_ids=TARGET).logits for each in (loaded, model)]
    torch.testing.assert_close(*logits, rtol=1e-12, atol=1e-12)
    assert beams(loaded, *sources)[0] == beams(model, *sources)[0]


def test_the_parameters_are_those_counted_by_hand() -> None:
    vocabulary, size, inner = 10_000, 256, 1024
    config = CopyTransformerConfig(
        vocab_size=vocabulary, hidden_size=size, layers=4, decoder_layers=3, feed_forward=inner
    )
    with torch.device("meta"):
        model = CopyTransformerForConditionalGeneration(config)
    attention, norm = 4 * size * size, 2 * size
    feed_forward = size * inner + inner + inner * size + size
    encoder = 4 * (attention + feed_forward + 2 * norm) + norm
    decoder = 3 * (2 * attention + feed_forward + 3 * norm) + norm
    head = vocabulary + 2 * size * size + 5 * size + 5 + 4 * 4
    count = sum(parameter.numel() for parameter in model.parameters())
    assert count == vocabulary * size + encoder + decoder + head


def test_autocast_to_bfloat16_stays_near_the_float_loss(make: Make, sources) -> None:
    model = make().float()
    exact = model.token_loss(*sources, TARGET, torch.arange(9), LABELS.flatten())
    with torch.autocast("cpu", torch.bfloat16):
        near = model.token_loss(*sources, TARGET, torch.arange(9), LABELS.flatten())
        near.backward()
    assert near.dtype == torch.float32
    torch.testing.assert_close(near, exact, rtol=0.1, atol=0)
    assert all(p.grad.isfinite().all() for p in model.parameters())


def test_autocast_to_bfloat16_leaves_a_distribution(make: Make, sources) -> None:
    with torch.autocast("cpu", torch.bfloat16):
        logits = make().float()(*sources, decoder_input_ids=TARGET).logits
    torch.testing.assert_close(logits.exp().sum(-1), torch.ones(3, 3), rtol=1e-3, atol=0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"hidden_size": 10, "heads": 4}, "hidden_size 10 is not a multiple of heads 4"),
        ({"hidden_size": 8, "copy_heads": 3}, "hidden_size 8 is not a multiple of copy_heads 3"),
        ({"hidden_size": 8, "heads": 8}, "hidden_size 8 / heads 8 must be even"),
        ({"copy_matches": -1}, "model.copy_matches: -1 is less than 0"),
        ({"copy_heads": -1}, "model.copy_heads: -1 is less than 0"),
        ({"max_positions": 9}, "model.max_positions: 9 means nothing to the type copy_transformer"),
    ],
)
def test_sizes_that_cannot_be_are_refused(make_tokenizer, fields, message) -> None:
    with pytest.raises(UserError, match=message):
        build_model(ModelConfig("copy_transformer", **fields), make_tokenizer())


def test_label_smoothing_is_refused_rather_than_forgotten(make: Make) -> None:
    with pytest.raises(UserError, match=r"optim.label_smoothing: 0.1 means nothing to juice-copy"):
        TokenLoss(make(), label_smoothing=0.1)


def strings(rows: int, low: int, high: int, seed: int) -> tuple[Tensor, Tensor]:
    """Sources of four different ids in [low, high) and `</s>`, and the same turned round."""
    noise = torch.rand(rows, high - low, generator=torch.Generator().manual_seed(seed))
    ids, end = noise.argsort(-1)[:, :4] + low, torch.full((rows, 1), 2)
    return torch.cat([ids, end], 1), torch.cat([ids.flip(1), end], 1)


def reversed_right(copy_heads: int) -> float:
    """Train on strings of the ids below 43; the share turned round right of strings of others."""
    torch.manual_seed(1)
    config = CopyTransformerConfig(
        vocab_size=63, hidden_size=32, layers=2, heads=2, copy_heads=copy_heads, feed_forward=32,
        dropout=0.0,
    )  # fmt: skip
    model = CopyTransformerForConditionalGeneration(config)
    # What was never seen keeps its first embedding; trained ones would have drifted away from it.
    model.encoder.embedding.weight.requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 1e-2)
    for update in range(150):
        source, target = strings(32, 3, 43, seed=update)
        optimizer.zero_grad()
        model(source, labels=target).loss.backward()
        optimizer.step()
    source, target = strings(50, 43, 63, seed=0)
    answers = model.eval().generate(source, num_beams=1, max_new_tokens=5)[:, 1:]
    answers = torch.nn.functional.pad(answers, (0, 5 - answers.size(1)))
    return float((answers == target).all(-1).float().mean())


def test_strings_of_unseen_ids_are_turned_round_by_a_model_that_copies_only() -> None:
    assert reversed_right(copy_heads=1) > 0.5
    assert reversed_right(copy_heads=0) < 0.1
