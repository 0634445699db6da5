"""A model from a recipe's config and a tokenizer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from transformers import MarianMTModel, PreTrainedModel, PreTrainedTokenizerBase

from nl2code.errors import UserError
from nl2code.models.copy_transformer import CopyTransformerForConditionalGeneration
from nl2code.models.copy_transformer_config import CopyTransformerConfig
from nl2code.models.gru import GRUForConditionalGeneration
from nl2code.models.gru_config import GRUSeq2SeqConfig
from nl2code.models.lora import add_lora
from nl2code.models.lstm import LSTMForConditionalGeneration
from nl2code.models.lstm_config import LSTMSeq2SeqConfig
from nl2code.models.pretrained import learn_words, load_pretrained
from nl2code.models.transformer import transformer_config


@dataclass(frozen=True)
class ModelConfig:
    """Which model to train, and its sizes; what is not given is as in the paper."""

    type: Literal["lstm", "transformer", "copy_transformer", "pretrained", "gru"] = "lstm"
    """JuICe's LSTM or Transformer, one that copies, or a pretrained encoder-decoder; or the bi-GRU
    of NL2Bash."""
    name_or_path: str | None = None
    """The pretrained model: a folder or a name on the Hub."""
    embedding_size: int | None = None
    """Size of the embeddings (LSTM 1024, GRU 200)."""
    hidden_size: int | None = None
    """LSTM, GRU: hidden size, both directions together (1024, 400). Transformer: model size (512).
    """
    layers: int | None = None
    """Layers of the encoder, and of the decoder (LSTM 2, Transformer 6)."""
    dropout: float | None = None
    """Dropout (LSTM 0.5, Transformer 0.3, GRU 0.4 and variational)."""
    copying: bool | None = None
    """GRU: copy from the source as CopyNet does (false)."""
    input_feeding: bool | None = None
    """LSTM: feed each step's attentional output to the next step (true); about half as fast."""
    share_embeddings: bool | None = None
    """LSTM: one embedding for source and target (false); the Transformer's is always one."""
    tie_word_embeddings: bool | None = None
    """LSTM: the target's embedding is the output layer (false); the Transformer's always is."""
    heads: int | None = None
    """Transformer: attention heads (4)."""
    feed_forward: int | None = None
    """Transformer: size of the feed-forward layers (1024)."""
    max_positions: int | None = None
    """Transformer: the longest source or target, in tokens (1024)."""
    lora_rank: int | None = None
    """Pretrained: learn factors of this rank instead of all weights; not under FSDP."""
    lora_alpha: int | None = None
    """LoRA: the factors' weight is alpha / rank (alpha: twice the rank)."""
    lora_dropout: float | None = None
    """LoRA: dropout before the factors (0)."""
    decoder_layers: int | None = None
    """Copying Transformer: layers of the decoder (as many as the encoder's)."""
    copy_heads: int | None = None
    """Copying Transformer: attentions that point to the source (4); 0 for none."""
    copy_matches: int | None = None
    """Copying Transformer: last tokens of the text looked for in the source (4); 0 for none."""


_FIELDS = {
    "lstm": "embedding_size hidden_size layers dropout input_feeding share_embeddings "
    "tie_word_embeddings",
    "transformer": "hidden_size layers heads feed_forward dropout max_positions",
    "gru": "embedding_size hidden_size dropout copying",
    "pretrained": "name_or_path lora_rank lora_alpha lora_dropout",
    "copy_transformer": "hidden_size layers decoder_layers heads copy_heads "
    "copy_matches feed_forward dropout",
}


def build_model(config: ModelConfig, tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
    """Return a new model, its weights drawn from torch's generator, or a pretrained one.

    Decoding starts from the tokenizer's bos; that of a pretrained model from what its config says,
    and its tokenizer is taught the words of our texts.

    Raises:
        UserError: A field that the type does not have, sizes that do not fit together, a
            pretrained model that cannot be read or whose vocabulary is not the tokenizer's.
    """
    given = _given_fields(config)
    if config.type == "pretrained":
        return _pretrained(config, tokenizer)
    facts = _vocabulary(tokenizer)
    try:
        if config.type == "lstm":
            return LSTMForConditionalGeneration(LSTMSeq2SeqConfig(**given, **facts))
        if config.type == "gru":
            return GRUForConditionalGeneration(GRUSeq2SeqConfig(**given, **facts))
        if config.type == "copy_transformer":
            return CopyTransformerForConditionalGeneration(CopyTransformerConfig(**given, **facts))
        return MarianMTModel(transformer_config(**given, **facts))
    except ValueError as error:
        raise UserError(f"model: {error}") from None


def _given_fields(config: ModelConfig) -> dict[str, Any]:
    values = {k: v for k, v in dataclasses.asdict(config).items() if k != "type" and v is not None}
    for name, value in values.items():
        if name not in _FIELDS[config.type].split():
            raise UserError(f"model.{name}: {value} means nothing to the type {config.type}")
        least = 0 if name in ("copy_heads", "copy_matches") else 1
        if isinstance(value, int) and not isinstance(value, bool) and value < least:
            raise UserError(f"model.{name}: {value} is less than {least}")
    for name in ("dropout", "lora_dropout"):
        if not 0 <= values.get(name, 0.0) < 1:
            raise UserError(f"model.{name}: {values[name]} is not in [0, 1)")
    for name in ("lora_alpha", "lora_dropout"):
        if name in values and "lora_rank" not in values:
            raise UserError(f"model.{name}: {values[name]} means nothing without model.lora_rank")
    return values


def _vocabulary(tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    facts: dict[str, Any] = {"vocab_size": len(tokenizer)}
    for name in ("pad", "bos", "eos"):
        number = getattr(tokenizer, f"{name}_token_id")
        if number is None:
            raise UserError(f"{tokenizer.name_or_path}: the tokenizer has no {name} token")
        facts[f"{name}_token_id"] = number
    return {**facts, "decoder_start_token_id": facts["bos_token_id"]}


def _pretrained(config: ModelConfig, tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
    model = load_pretrained(pretrained_name(config), tokenizer)
    new = learn_words(model, tokenizer)
    rank = config.lora_rank
    if rank is None:
        return model
    return add_lora(model, rank, config.lora_alpha or 2 * rank, config.lora_dropout or 0.0, new)


def pretrained_name(config: ModelConfig) -> str:
    """The folder or name of the pretrained model, where its own tokenizer lies, too."""
    if not config.name_or_path:
        raise UserError("model.name_or_path: the type pretrained needs one")
    return config.name_or_path
