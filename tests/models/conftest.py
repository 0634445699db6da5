"""Tiny models with wide random weights: what they generate depends on all that they read."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from nl2code.models import LSTMForConditionalGeneration, LSTMSeq2SeqConfig

VOCABULARY = 23


@pytest.fixture
def make_lstm() -> Callable[..., LSTMForConditionalGeneration]:
    def make(**changes: Any) -> LSTMForConditionalGeneration:
        sizes = {"vocab_size": VOCABULARY, "embedding_size": 6, "hidden_size": 8, "init_range": 1.0}
        torch.manual_seed(3)
        return LSTMForConditionalGeneration(LSTMSeq2SeqConfig(**{**sizes, **changes})).eval()

    return make


@pytest.fixture
def sources() -> tuple[Tensor, Tensor]:
    """Ids and mask of three sources of 7, 4 and 1 tokens, padded on the right with 0."""
    ids = torch.randint(3, VOCABULARY, (3, 7), generator=torch.Generator().manual_seed(5))
    mask = (torch.arange(7) < torch.tensor([[7], [4], [1]])).long()
    return ids * mask, mask


@pytest.fixture
def make_tokenizer() -> Callable[..., PreTrainedTokenizerFast]:
    def make(words: str = "a b c", **special: str) -> PreTrainedTokenizerFast:
        special = special or {"pad": "<pad>", "bos": "<s>", "eos": "</s>", "unk": "<unk>"}
        tokens = {word: i for i, word in enumerate([*special.values(), *words.split()])}
        tokenizer = Tokenizer(models.WordLevel(tokens, unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        roles = {f"{role}_token": token for role, token in special.items()}
        return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **roles)

    return make
