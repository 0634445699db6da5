"""The paper's Transformer, on the Marian classes of `transformers`."""

from __future__ import annotations

from typing import Any

from transformers import MarianConfig


def transformer_config(
    *,
    hidden_size: int = 512,
    layers: int = 6,
    heads: int = 4,
    feed_forward: int = 1024,
    dropout: float = 0.3,
    max_positions: int = 1024,
    **vocabulary: Any,
) -> MarianConfig:
    """The paper's sizes by default (section 7.1); `vocabulary` is the size and the special ids.

    Marian is closest to Vaswani et al.: layer normalisation after each block, fixed sinusoidal
    positions, scaled embeddings. One table embeds the source and the target and is the output
    layer, as in the authors' run. Weights are normal with deviation `hidden_size ** -0.5`, so that
    scaled embeddings have deviation 1; biases are zero.

    Raises:
        ValueError: A size that the heads cannot share.
    """
    if hidden_size % heads:
        raise ValueError(f"hidden_size {hidden_size} is not a multiple of heads {heads}")
    return MarianConfig(
        d_model=hidden_size,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=feed_forward,
        decoder_ffn_dim=feed_forward,
        dropout=dropout,
        max_position_embeddings=max_positions,
        activation_function="relu",
        scale_embedding=True,
        init_std=hidden_size**-0.5,
        # Marian's own default would end every generated text that reaches the limit with </s>.
        forced_eos_token_id=None,
        **vocabulary,
    )
