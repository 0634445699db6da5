"""The Transformer: the paper's sizes on Marian, and what padding and beams must not change."""

import pytest
import torch
from transformers import MarianMTModel

from nl2code.models.transformer import transformer_config

SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}


def tiny() -> MarianMTModel:
    torch.manual_seed(3)
    config = transformer_config(
        hidden_size=8,
        layers=2,
        heads=2,
        feed_forward=12,
        max_positions=20,
        vocab_size=23,
        **SPECIAL,
    )
    config.init_std = 1.0  # wide enough for the source to matter
    return MarianMTModel(config).eval().double()


def test_embeddings_start_at_unit_scale_and_positions_stay_fixed() -> None:
    torch.manual_seed(0)
    config = transformer_config(
        hidden_size=64, layers=1, feed_forward=8, max_positions=5, vocab_size=400, **SPECIAL
    )
    model = MarianMTModel(config)
    table = model.model.shared
    scaled = table.weight[1:] * model.model.encoder.embed_scale
    assert scaled.std().item() == pytest.approx(1, rel=0.05)
    assert model.lm_head.weight is table.weight
    assert not model.model.encoder.embed_positions.weight.requires_grad


@pytest.mark.parametrize("beams", [1, 5])
def test_padding_changes_nothing_and_the_cache_changes_nothing(sources, beams) -> None:
    model = tiny()
    ids, mask = sources
    settings = {"num_beams": beams, "max_new_tokens": 9}
    together = model.generate(ids, attention_mask=mask, **settings).tolist()
    uncached = model.generate(ids, attention_mask=mask, use_cache=False, **settings).tolist()
    assert together == uncached
    assert together[0] != together[1]
    for row, length in enumerate((7, 4, 1)):
        alone = model.generate(ids[row : row + 1, :length], **settings).tolist()[0]
        assert together[row][: len(alone)] == alone
