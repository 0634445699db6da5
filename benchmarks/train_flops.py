"""The floating-point operations of training the paper's models, from their sizes."""

from __future__ import annotations

import numpy as np


def flop_a_token(
    model: str, vocabulary: int, sources: list[np.ndarray], targets: list[np.ndarray]
) -> float:
    """FLOP for a real token in the mean: six for each multiplication of the forward pass.

    Two are its multiplication and addition; the way back takes each weight and each input again.
    Embeddings, norms, softmax and dropout are left out.
    """
    source, target = (np.array([len(row) for row in rows]) for rows in (sources, targets))
    count = transformer if model == "transformer" else lstm
    products = count(source, target, vocabulary)
    if model == "lstm-feeding":
        products = products + target * 4 * 1024 * 1024  # the output beside the embedding
    return float(6 * products.sum() / (source + target).sum())


def transformer(source: np.ndarray, target: np.ndarray, vocabulary: int) -> np.ndarray:
    """Multiplications of the forward pass of each pair."""
    wide, inner, layers = 512, 1024, 6
    block, feed = 4 * wide**2, 2 * wide * inner
    encoder = source * (block + feed) + 2 * source**2 * wide
    own = target * block + target**2 * wide  # causal: half of the places
    across = 2 * (source + target) * wide**2 + 2 * source * target * wide
    return layers * (encoder + own + across + target * feed) + target * wide * vocabulary


def lstm(source: np.ndarray, target: np.ndarray, vocabulary: int) -> np.ndarray:
    """The same without input feeding; the embedding has the size of the hidden state."""
    wide, half = 1024, 512
    encoder = source * 2 * (2 * 4 * half * (wide + half))  # two layers of two directions
    decoder = target * (2 * 4 * wide * 2 * wide + wide**2 + 2 * wide**2)
    return encoder + decoder + 2 * source * target * wide + target * wide * vocabulary
