"""The sizes of the LSTM and its special ids, as `transformers` keeps them."""

from __future__ import annotations

from typing import Any, ClassVar

from transformers import PreTrainedConfig


class LSTMSeq2SeqConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """The paper's LSTM by default (section 7.1): 2 + 2 layers of 1024, dropout 0.5.

    Args:
        hidden_size: Of the decoder, and of the encoder's two directions together.
        layers: Of the encoder and of the decoder alike, since one starts from the other's states.
        input_feeding: Feed each step's attentional output to the next one (Luong, section 3.3).
        share_embeddings: One embedding for the source and the target.
        tie_word_embeddings: The target's embedding is the output layer, too.
        init_range: Weights are drawn from the interval of this half-width around zero.
    """

    model_type: ClassVar[str] = "juice-lstm"
    attribute_map: ClassVar[dict[str, str]] = {"num_hidden_layers": "layers"}

    vocab_size: int = 10_000
    embedding_size: int = 1024
    hidden_size: int = 1024
    layers: int = 2
    dropout: float = 0.5
    input_feeding: bool = True
    share_embeddings: bool = False
    tie_word_embeddings: bool = False
    init_range: float = 0.1
    is_encoder_decoder: bool = True
    use_cache: bool = True
    pad_token_id: int = 0
    bos_token_id: int = 1
    eos_token_id: int = 2
    decoder_start_token_id: int = 1

    def __post_init__(self, **kwargs: Any) -> None:
        """Refuse sizes that do not fit together.

        Raises:
            ValueError: An odd hidden size, or tied embeddings of another size than the output.
        """
        if self.hidden_size % 2:
            raise ValueError(f"hidden_size must be even, for two directions: {self.hidden_size}")
        if self.tie_word_embeddings and self.embedding_size != self.hidden_size:
            raise ValueError(
                f"tied embeddings need embedding_size {self.embedding_size} to equal "
                f"hidden_size {self.hidden_size}"
            )
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]
