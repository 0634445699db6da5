"""What a core can do at most: the FLOP of products of square matrices, told as tokens."""

from __future__ import annotations

import torch
from windows import Windows, read_side

SIZE = 1024


def main() -> None:
    """Multiply as long as it is asked for."""
    side = read_side()
    dtype = torch.bfloat16 if side.variant == "bf16" else torch.float32
    left, right = (torch.randn(SIZE, SIZE).to(dtype) for _ in range(2))
    windows = Windows(side)
    while True:
        torch.mm(left, right)
        windows.done(2 * SIZE**3, 2 * SIZE**3)


if __name__ == "__main__":
    main()
