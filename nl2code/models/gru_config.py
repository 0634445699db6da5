"""The sizes of the bi-GRU models of NL2Bash and their special ids, as `transformers` keeps them."""

from __future__ import annotations

from typing import Any, ClassVar

from transformers import PreTrainedConfig


class GRUSeq2SeqConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """The paper's Seq2Seq by default (NL2Bash, section 5); with `copying` its CopyNet.

    Args:
        embedding_size: One table for source and target, since copying compares their words; the
            paper does not say how large, nor that there is one.
        hidden_size: Of the decoder, and of the encoder's two directions together.
        dropout: Variational: each sentence keeps its mask at all steps, on what each GRU reads and
            writes. Its recurrent connections have none, for the sake of the encoder's kernels.
        copying: Whether to copy from the source, with selective read.
    """

    model_type: ClassVar[str] = "juice-gru"
    attribute_map: ClassVar[dict[str, str]] = {}

    vocab_size: int = 10_000
    embedding_size: int = 200
    hidden_size: int = 400
    dropout: float = 0.4
    copying: bool = False
    is_encoder_decoder: bool = True
    use_cache: bool = True
    tie_word_embeddings: bool = False
    pad_token_id: int = 0
    bos_token_id: int = 1
    eos_token_id: int = 2
    decoder_start_token_id: int = 1

    def __post_init__(self, **kwargs: Any) -> None:
        """Refuse a size that two directions cannot share.

        Raises:
            ValueError: An odd hidden size.
        """
        if self.hidden_size % 2:
            raise ValueError(f"hidden_size must be even, for two directions: {self.hidden_size}")
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]
