from __future__ import annotations

import os
import signal
import threading

import pytest
from accelerate import Accelerator

from nl2code.interruption import interruptible


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_is_noted_in_place_of_died_of(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with interruptible(Accelerator()) as interruption:
        assert interruption.asked() is None
        os.kill(os.getpid(), number)
        assert interruption.asked() == number.name
        assert interruption.asked() == number.name  # and is not forgotten
    assert signal.getsignal(number) == before


def test_the_signals_are_as_before_after_an_error() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyError), interruptible(Accelerator()):
        raise KeyError
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_thread_that_gets_no_signals_trains_all_the_same() -> None:
    asked = []

    def run() -> None:
        with interruptible(Accelerator()) as interruption:
            asked.append(interruption.asked())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert asked == [None]
