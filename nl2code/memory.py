"""What to do when memory is short: the same work in smaller parts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import torch
from accelerate import Accelerator
from accelerate.utils.memory import clear_device_cache, should_reduce_batch_size

from nl2code.errors import UserError

Result = TypeVar("Result")


def with_less_memory(
    attempt: Callable[[int], Result], parts: int, most: int, accelerator: Accelerator, place: str
) -> tuple[Result, int]:
    """The result of the attempt in `parts` parts, in twice as many whenever memory is short.

    Args:
        attempt: Takes the number of parts. It is called anew, so it undoes what it left half-done.
        parts: How many to begin with.
        most: With so many, more would not help.
        accelerator: One of several processes cannot begin anew while others wait for it.
        place: Where in the run this is, for the messages.

    Returns:
        The result and the number of parts that it took.

    Raises:
        UserError: It does not fit in `most` parts either, or there are several processes.
    """
    while True:
        try:
            return attempt(parts), parts
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
        # Here and not above: the error's traceback keeps the tensors of the failed attempt alive.
        clear_device_cache(garbage_collection=True)
        if parts >= most:
            raise UserError(
                f"out of memory at {place} even with one example at a time;"
                " lower data.max_source_tokens, data.max_target_tokens or the model's sizes"
            )
        parts *= 2
        if accelerator.num_processes > 1:
            raise UserError(
                f"out of memory at {place} in process {accelerator.process_index}; go on with"
                f" --optim.split {parts}, which computes the same updates in smaller parts"
            )
        cut = f"each batch is computed in {parts} parts, which changes no update"
        print(f"out of memory at {place}: from here on {cut}", file=sys.stderr)


@contextmanager
def said_of_memory(out: Path) -> Iterator[None]:
    """Say in a sentence where smaller parts would not help: the weights and their gradient."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        cause = str(error).strip().partition("\n")[0]
        raise UserError(f"{out}: out of memory for the model and its optimizer: {cause}") from None


def is_out_of_memory(error: Exception) -> bool:
    """Whether memory was short, a GPU's or the machine's.

    >>> is_out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory: 8 bytes"))
    True
    >>> is_out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    False
    """
    kinds = (torch.OutOfMemoryError, MemoryError)
    return isinstance(error, kinds) or should_reduce_batch_size(error)
