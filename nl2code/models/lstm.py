"""The paper's LSTM encoder-decoder as a `transformers` model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import GenerationMixin, PreTrainedModel
from transformers import initialization as init
from transformers.modeling_outputs import Seq2SeqLMOutput

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .lstm_config import LSTMSeq2SeqConfig
from .lstm_decoder import DecoderState, LSTMCache, LSTMDecoder
from .lstm_encoder import LSTMEncoder, LSTMEncoderOutput


class LSTMForConditionalGeneration(PreTrainedModel, GenerationMixin):  # type: ignore[no-untyped-call]
    """BiLSTM encoder, LSTM decoder with global attention, and the output layer.

    The decoder's layers start from the encoder's final states, layer by layer; the first step is
    fed zeros. All weights are uniform in ±`init_range`, the padding's embedding is zero.
    """

    config_class = LSTMSeq2SeqConfig
    config: LSTMSeq2SeqConfig
    main_input_name = "input_ids"

    def __init__(self, config: LSTMSeq2SeqConfig) -> None:
        super().__init__(config)
        self.encoder = LSTMEncoder(config)
        self.target_embedding = (
            None
            if config.share_embeddings
            else nn.Embedding(
                config.vocab_size, config.embedding_size, padding_idx=config.pad_token_id
            )
        )
        self.decoder = LSTMDecoder(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size)
        target = "encoder.embedding" if config.share_embeddings else "target_embedding"
        self._tied_weights_keys = {"lm_head.weight": f"{target}.weight"}
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        encoder_outputs: LSTMEncoderOutput | tuple[Tensor, ...] | None = None,
        cache: LSTMCache | None = None,
        use_cache: bool | None = None,
        return_dict: bool | None = None,
        **_: Any,
    ) -> Seq2SeqLMOutput | tuple[Any, ...]:
        """Return logits (batch, target, vocab), with `labels` the loss, with `use_cache` the cache.

        The loss is the mean over all labels but -100. Without `decoder_input_ids` the labels,
        shifted, are those. `decoder_attention_mask` is not needed: no step sees what follows it.
        """
        if decoder_input_ids is None:
            assert labels is not None, "decoder_input_ids or labels are needed"
            decoder_input_ids = self.prepare_decoder_input_ids_from_labels(labels)
        if encoder_outputs is None:
            encoder_outputs = self.encoder(input_ids, attention_mask)
        memory, hidden, cell = (encoder_outputs[i] for i in range(3))
        seen, state = (
            (0, _first_state(hidden, cell)) if cache is None else (cache.length, cache.state)
        )
        embedded = self.decoder_embedding()(decoder_input_ids)  # (batch, target, embedding)
        outputs, state = self.decoder(embedded, state, memory, _masked(memory, attention_mask))
        logits = self.lm_head(outputs)
        keep = labels is None and (self.config.use_cache if use_cache is None else use_cache)
        loss = None
        if labels is not None:
            loss = functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())
        result = Seq2SeqLMOutput(
            loss=loss,
            logits=logits,
            cache=LSTMCache(state, seen + decoder_input_ids.size(1)) if keep else None,  # type: ignore[arg-type]
            encoder_last_hidden_state=memory,
        )
        return result.to_tuple() if return_dict is False else result

    def prepare_decoder_input_ids_from_labels(self, labels: Tensor) -> Tensor:
        """Shift the labels one step to the right, behind the decoder's start."""
        shifted = labels.roll(1, -1)
        shifted = shifted.masked_fill(shifted == -100, self.config.pad_token_id)
        shifted[:, 0] = self.config.decoder_start_token_id
        return shifted

    def get_input_embeddings(self) -> nn.Embedding:
        """The source's embedding."""
        return self.encoder.embedding

    def set_input_embeddings(self, value: nn.Module) -> None:
        """Replace the source's embedding."""
        assert isinstance(value, nn.Embedding)
        self.encoder.embedding = value

    def decoder_embedding(self) -> nn.Embedding:
        """The target's embedding, which may be the source's."""
        return self.encoder.embedding if self.target_embedding is None else self.target_embedding

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Embedding | nn.LSTM | nn.Linear):
            for parameter in module.parameters(recurse=False):
                init.uniform_(parameter, -self.config.init_range, self.config.init_range)
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            init.zeros_(module.weight[module.padding_idx])


def _first_state(hidden: Tensor, cell: Tensor) -> DecoderState:
    hidden, cell = (each.transpose(0, 1).contiguous() for each in (hidden, cell))
    return DecoderState(hidden, cell, torch.zeros_like(hidden[0]))


def _masked(memory: Tensor, attention_mask: Tensor | None) -> Tensor:
    """True at padding (batch, 1, source)."""
    if attention_mask is None:
        return memory.new_zeros(1, 1, memory.size(1), dtype=torch.bool)
    return (attention_mask == 0).unsqueeze(1)
