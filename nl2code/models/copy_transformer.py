"""A Transformer that can copy from its context, as a `transformers` model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import GenerationMixin, PreTrainedModel
from transformers import initialization as init
from transformers.modeling_outputs import Seq2SeqLMOutput

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .copy_head import CopyHead
from .copy_transformer_config import CopyTransformerConfig
from .copy_transformer_stacks import CopyCache, Decoder, Encoder, EncoderOutput


class CopyTransformerForConditionalGeneration(PreTrainedModel, GenerationMixin):  # type: ignore[no-untyped-call]
    """Pre-norm encoder and decoder with one table of embeddings, and a head that copies.

    Weights are normal, a layer's with the deviation that keeps its inputs' scale, the table's with
    `hidden_size ** -0.5`, which embeddings are scaled up by; biases are zero. A new head only
    goes on with what matches the source; where nothing does, it gives each position one weight.
    """

    config_class = CopyTransformerConfig
    config: CopyTransformerConfig
    main_input_name = "input_ids"
    _tied_weights_keys = {"head.vocabulary.weight": "encoder.embedding.weight"}  # noqa: RUF012

    def __init__(self, config: CopyTransformerConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.head = CopyHead(config)
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        encoder_outputs: EncoderOutput | tuple[Tensor, ...] | None = None,
        cache: CopyCache | None = None,
        use_cache: bool | None = None,
        return_dict: bool | None = None,
        **_: Any,
    ) -> Seq2SeqLMOutput | tuple[Any, ...]:
        """Return log-probabilities (batch, target, vocab) as logits, and the loss, the cache.

        The loss is the mean over all labels but -100. Without `decoder_input_ids` the labels,
        shifted, are those. `decoder_attention_mask` is not needed: no step sees what follows it.
        """
        if decoder_input_ids is None:
            assert labels is not None, "decoder_input_ids or labels are needed"
            decoder_input_ids = self.prepare_decoder_input_ids_from_labels(labels)
        if encoder_outputs is None:
            encoder_outputs = self.encoder(input_ids, attention_mask)
        memory, source_ids = (encoder_outputs[i] for i in range(2))
        mask = _visible(source_ids, attention_mask)
        if cache is None:
            source = self.head.project(memory, source_ids, mask)
            cache = CopyCache(self.decoder.project(memory), source)
        recent = cache.recent(decoder_input_ids)
        states = self.decoder(self.encoder.embed(decoder_input_ids), cache, mask)
        logits = self.head(states, recent, cache.source)
        keep = labels is None and (self.config.use_cache if use_cache is None else use_cache)
        loss = None
        if labels is not None:
            positions = (labels.flatten() != -100).nonzero()[:, 0]
            chosen = labels.flatten()[positions]
            loss = self.head.loss(states, recent, cache.source, positions, chosen)
            loss = loss / len(positions)
        result = Seq2SeqLMOutput(
            loss=loss,
            logits=logits,
            cache=cache if keep else None,  # type: ignore[arg-type]
            encoder_last_hidden_state=memory,
        )
        return result.to_tuple() if return_dict is False else result

    def token_loss(
        self,
        input_ids: Tensor,  # (batch, source)
        attention_mask: Tensor,  # (batch, source)
        decoder_input_ids: Tensor,  # (batch, target)
        positions: Tensor,  # (real tokens,) places in (batch x target)
        labels: Tensor,  # (real tokens,)
    ) -> Tensor:  # ()
        """The summed -log p of the labels, for training: without the full distribution."""
        memory, source_ids = self.encoder(input_ids, attention_mask).to_tuple()
        mask = _visible(source_ids, attention_mask)
        source = self.head.project(memory, source_ids, mask)
        cache = CopyCache(self.decoder.project(memory), source)
        states = self.decoder(self.encoder.embed(decoder_input_ids), cache, mask)
        recent = cache.recent(decoder_input_ids)
        loss: Tensor = self.head.loss(states, recent, source, positions, labels)
        return loss

    def prepare_decoder_input_ids_from_labels(self, labels: Tensor) -> Tensor:
        """Shift the labels one step to the right, behind the decoder's start."""
        shifted = labels.roll(1, -1)
        shifted = shifted.masked_fill(shifted == -100, self.config.pad_token_id)
        shifted[:, 0] = self.config.decoder_start_token_id
        return shifted

    def get_input_embeddings(self) -> nn.Embedding:
        """The one table."""
        return self.encoder.embedding

    def set_input_embeddings(self, value: nn.Module) -> None:
        """Replace the table."""
        assert isinstance(value, nn.Embedding)
        self.encoder.embedding = value

    def get_output_embeddings(self) -> nn.Linear:
        """The layer over the vocabulary, whose weight is the table."""
        return self.head.vocabulary

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            init.normal_(module.weight, std=module.in_features**-0.5)
            if module.bias is not None:
                init.zeros_(module.bias)
        if isinstance(module, nn.Embedding):
            init.normal_(module.weight, std=self.config.hidden_size**-0.5)
            init.zeros_(module.weight[self.config.pad_token_id])
        if isinstance(module, nn.LayerNorm):
            init.ones_(module.weight)
            init.zeros_(module.bias)
        if isinstance(module, CopyHead) and module.heads:
            init.zeros_(module.queries.weight)
            init.constant_(module.matches, _A_MATCH)


_A_MATCH = 1.5
"""What a further token in common adds to a score before training."""


def _visible(source_ids: Tensor, attention_mask: Tensor | None) -> Tensor:
    """True at real source positions (batch, 1, 1, source)."""
    if attention_mask is None:
        attention_mask = torch.ones_like(source_ids)
    return (attention_mask != 0)[:, None, None]
