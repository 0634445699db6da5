from __future__ import annotations

import pytest
import torch
from torch import nn

from nl2code.decoding.output_layer import apply_output_layer


@pytest.mark.parametrize("words", [3, 1024, 2050])
@pytest.mark.parametrize("bias", [True, False])
def test_piece_by_piece_is_what_the_layer_says(words: int, bias: bool) -> None:
    torch.manual_seed(0)
    layer, states = nn.Linear(4, words, bias=bias), torch.randn(2, 5, 4)
    torch.testing.assert_close(apply_output_layer(layer, states), layer(states))
