"""What the training recipe needs besides its loop: the loss, in training and on dev."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import send_to_device
from torch import Tensor, nn
from transformers import PreTrainedModel

from nl2code.batches import Indices, Pairs, collate, make_batches
from nl2code.errors import UserError


class TokenLoss(nn.Module):
    """A model with its loss: the cross-entropy summed over the real target tokens.

    The sum, not the mean, so that batches, accumulation steps and processes can be added up
    before they are divided by the number of tokens of the whole update. A model that has a
    `token_loss` of the same arguments computes it itself.

    Raises:
        UserError: Label smoothing for a model that computes its loss itself.
    """

    def __init__(self, model: PreTrainedModel, label_smoothing: float = 0.0) -> None:
        super().__init__()
        if label_smoothing and hasattr(model, "token_loss"):
            kind = model.config.model_type
            raise UserError(f"optim.label_smoothing: {label_smoothing} means nothing to {kind}")
        self.model = model
        self.label_smoothing = label_smoothing

    def forward(
        self,
        input_ids: Tensor,  # (batch, source)
        attention_mask: Tensor,  # (batch, source)
        decoder_input_ids: Tensor,  # (batch, target)
        positions: Tensor,  # (real tokens,) places in (batch x target)
        labels: Tensor,  # (real tokens,)
    ) -> Tensor:  # ()
        """The summed loss; in evaluation without label smoothing."""
        own_loss: Callable[..., Tensor] | None = getattr(self.model, "token_loss", None)
        if own_loss is not None:
            return own_loss(input_ids, attention_mask, decoder_input_ids, positions, labels)
        head: nn.Module = self.model.get_output_embeddings()  # type: ignore[no-untyped-call]
        # Padding never reaches the vocabulary: the output layer sees real rows only.
        hook = head.register_forward_pre_hook(partial(_select_rows, positions))
        try:
            logits = self.model(
                input_ids=input_ids,
                attention_mask=attention_mask,
                decoder_input_ids=decoder_input_ids,
                use_cache=False,
            ).logits  # (real tokens, vocab)
        finally:
            hook.remove()
        smoothing = self.label_smoothing if self.training else 0.0
        # Never in half precision; in double where a test asks for it.
        exact = logits.to(torch.promote_types(logits.dtype, torch.float32))
        return nn.functional.cross_entropy(
            exact, labels, reduction="sum", label_smoothing=smoothing
        )


def _select_rows(positions: Tensor, head: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
    (hidden,) = inputs  # (batch, target, hidden)
    return (hidden.flatten(0, 1)[positions],)


def token_loss(
    accelerator: Accelerator, model: TokenLoss, pairs: Pairs, batch_tokens: int
) -> float:
    """The mean loss of a target token over all pairs, which the processes share out."""
    total = torch.zeros((), dtype=torch.float64, device=accelerator.device)
    model.eval()
    with torch.inference_mode(), accelerator.autocast():
        for batch in _my_batches(accelerator, model.model, pairs, batch_tokens):
            total += model(**batch)
    summed: Tensor = accelerator.reduce(total, "sum")
    return float(summed) / int(pairs.targets.lengths.sum())


def _my_batches(
    accelerator: Accelerator, model: PreTrainedModel, pairs: Pairs, batch_tokens: int
) -> Iterator[dict[str, Tensor]]:
    for rows in my_share(accelerator, pairs, batch_tokens):
        yield send_to_device(collate(pairs, rows, model.config), accelerator.device)


def my_share(accelerator: Accelerator, pairs: Pairs, batch_tokens: int) -> list[Indices]:
    """The batches of all pairs that this process is to work on."""
    lengths = pairs.sources.lengths, pairs.targets.lengths
    batches = make_batches(*lengths, batch_tokens, np.random.default_rng(0))
    return batches[accelerator.process_index :: accelerator.num_processes]


def release_freed_memory() -> None:
    """Give freed memory back to the system, where the C library can.

    Batches of ever new shapes leave holes in glibc's heap: within an hour a process of 0.6 GB grew
    to 4.8 GB, of which it used 0.2.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
