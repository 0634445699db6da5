"""The sizes of the copying Transformer and its special ids, as `transformers` keeps them."""

from __future__ import annotations

from typing import Any, ClassVar

from transformers import PreTrainedConfig


class CopyTransformerConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """A pre-norm Transformer with a head that copies; not a model of the paper's.

    Args:
        hidden_size: Of embeddings and states; each head takes an equal part of it.
        layers: Of the encoder, and of the decoder unless `decoder_layers` says otherwise.
        decoder_layers: Of the decoder; few are enough, as decoding is where they cost.
        copy_heads: Attentions that point to the source; 0 leaves the vocabulary alone.
        copy_matches: How many of the last tokens of the text are looked for in the source; where
            they stand, the next token is the likelier to be copied.
        dropout: On the embeddings and on what each sublayer adds.
    """

    model_type: ClassVar[str] = "juice-copy-transformer"
    attribute_map: ClassVar[dict[str, str]] = {"num_hidden_layers": "layers"}

    vocab_size: int = 10_000
    hidden_size: int = 512
    layers: int = 6
    decoder_layers: int | None = None
    heads: int = 8
    copy_heads: int = 4
    copy_matches: int = 4
    feed_forward: int = 2048
    dropout: float = 0.1
    tie_word_embeddings: bool = True
    is_encoder_decoder: bool = True
    use_cache: bool = True
    pad_token_id: int = 0
    bos_token_id: int = 1
    eos_token_id: int = 2
    decoder_start_token_id: int = 1

    def __post_init__(self, **kwargs: Any) -> None:
        """Refuse sizes that do not fit together.

        Raises:
            ValueError: A hidden size that the heads cannot share, or an odd size of a head.
        """
        if self.decoder_layers is None:
            self.decoder_layers = self.layers
        for name in ("heads", "copy_heads"):
            heads = getattr(self, name)
            if heads and self.hidden_size % heads:
                raise ValueError(
                    f"hidden_size {self.hidden_size} is not a multiple of {name} {heads}"
                )
        if self.hidden_size // self.heads % 2:
            raise ValueError(
                f"hidden_size {self.hidden_size} / heads {self.heads} must be even, to be rotated"
            )
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]
