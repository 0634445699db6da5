"""Seq2Seq and CopyNet of NL2Bash (section 5) as a `transformers` model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import GenerationMixin, PreTrainedModel
from transformers import initialization as init
from transformers.cache_utils import Cache
from transformers.modeling_outputs import Seq2SeqLMOutput

# Relative: `save_pretrained` copies this file and what it imports so beside the weights.
from .gru_config import GRUSeq2SeqConfig
from .gru_decoder import GRUDecoder, Source, State, copying_loss, joined, plain_loss
from .gru_encoder import GRUEncoder, GRUEncoderOutput


class GRUCache(Cache):
    """The source and the decoder's state as `generate` knows them, however long the text."""

    is_compileable = False
    is_croppable = False
    is_linear = [True]  # noqa: RUF012 (a property of the base class)

    def __init__(self, source: Source, state: State, length: int) -> None:
        super().__init__(layers=[])
        self.source, self.state, self.length = source, state, length

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """How many tokens the state has seen."""
        return self.length

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Let row i continue what row `beam_idx[i]` began; the beams of a sentence share it."""
        self.state = State(*(each[beam_idx] for each in self.state))


class GRUForConditionalGeneration(PreTrainedModel, GenerationMixin):  # type: ignore[no-untyped-call]
    """BiGRU encoder, GRU decoder with additive attention, and perhaps copying.

    Weights are drawn as torch draws them; the decoder starts from the encoder's final states.
    """

    config_class = GRUSeq2SeqConfig
    config: GRUSeq2SeqConfig
    main_input_name = "input_ids"

    def __init__(self, config: GRUSeq2SeqConfig) -> None:
        super().__init__(config)
        self.encoder = GRUEncoder(config)
        self.decoder = GRUDecoder(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size)
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        encoder_outputs: GRUEncoderOutput | tuple[Tensor, ...] | None = None,
        cache: GRUCache | None = None,
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
        if cache is None:
            cache = GRUCache(*self.begin(encoder_outputs, attention_mask), 0)
        embedded = self.encoder.embed(decoder_input_ids)  # (batch, target, embedding)
        outputs, copying, state = self.decoder(
            embedded, decoder_input_ids, cache.state, cache.source
        )
        logits = self.logits(outputs, copying, cache.source)
        keep = labels is None and (self.config.use_cache if use_cache is None else use_cache)
        loss = None
        if labels is not None:
            loss = functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())
        seen = cache.length + decoder_input_ids.size(1)
        result = Seq2SeqLMOutput(
            loss=loss,
            logits=logits,
            cache=GRUCache(cache.source, state, seen) if keep else None,  # type: ignore[arg-type]
            encoder_last_hidden_state=encoder_outputs[0],
        )
        return result.to_tuple() if return_dict is False else result

    def begin(
        self,
        encoded: GRUEncoderOutput | tuple[Tensor, ...],
        attention_mask: Tensor | None,
        beams: int = 1,
    ) -> tuple[Source, State]:
        """What the decoder looks at, and its state before the first token."""
        memory, hidden, ids = (encoded[i] for i in range(3))
        mask = torch.ones_like(ids) if attention_mask is None else attention_mask
        source = self.decoder.look_at(memory, ids, mask)
        return source, self.decoder.first_state(hidden, beams, source)

    def logits(self, outputs: Tensor, copying: Tensor, source: Source) -> Tensor:
        """Logits (batch, beam, vocab); of a model that copies, log-probabilities and a constant."""
        scores: Tensor = self.lm_head(outputs)
        return joined(scores, copying, source) if self.config.copying else scores

    def token_loss(
        self,
        input_ids: Tensor,  # (batch, source)
        attention_mask: Tensor,  # (batch, source)
        decoder_input_ids: Tensor,  # (batch, target)
        positions: Tensor,  # (real tokens,) places in (batch x target)
        labels: Tensor,  # (real tokens,)
    ) -> Tensor:  # ()
        """The summed -log p of the labels, for training: padding never reaches the vocabulary."""
        source, state = self.begin(self.encoder(input_ids, attention_mask), attention_mask)
        embedded = self.encoder.embed(decoder_input_ids)
        outputs, copying, _ = self.decoder(embedded, decoder_input_ids, state, source)
        scores = self.lm_head(outputs.flatten(0, 1)[positions])
        if not self.config.copying:
            return plain_loss(scores, labels)
        rows = positions // decoder_input_ids.size(1)
        return copying_loss(
            scores,
            copying.flatten(0, 1)[positions],
            same=source.ids[rows] == labels[:, None],
            masked=source.masked[rows, 0],
            labels=labels,
        )

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

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.GRU):
            for parameter in module.parameters():
                init.uniform_(parameter, -(module.hidden_size**-0.5), module.hidden_size**-0.5)
        if isinstance(module, nn.Linear):
            near = module.in_features**-0.5
            for parameter in module.parameters():
                init.uniform_(parameter, -near, near)
        if isinstance(module, nn.Embedding):
            init.normal_(module.weight, std=0.1)
            init.zeros_(module.weight[self.config.pad_token_id])
