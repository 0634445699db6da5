"""SIGTERM and SIGUSR1: what Slurm sends to a run that it is about to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import torch
from accelerate import Accelerator
from torch import distributed

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)


class Interruption:
    """The signal that asked the run to stop, whichever process it was sent to."""

    def __init__(self, accelerator: Accelerator) -> None:
        self._received = 0
        # On the CPU, so that asking each other after every update waits for no GPU.
        shared = accelerator.num_processes > 1
        self._group = distributed.new_group(backend="gloo") if shared else None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._received = number

    def asked(self) -> str | None:
        """The name of the signal, in all processes alike; all of them call it."""
        received = self._received
        if self._group is not None:
            shared = torch.tensor(received)
            distributed.all_reduce(shared, distributed.ReduceOp.MAX, self._group)
            received = int(shared)  # what comes while it waits stays noted for the next time
        return signal.Signals(received).name if received else None


@contextmanager
def interruptible(accelerator: Accelerator) -> Iterator[Interruption]:
    """Note the signals of a run that is to stop, in place of dying of them."""
    interruption = Interruption(accelerator)
    if threading.current_thread() is not threading.main_thread():  # the only one to get signals
        yield interruption
        return
    before = {number: signal.signal(number, interruption._note) for number in SIGNALS}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
