from __future__ import annotations

import os
import signal
import threading
from types import SimpleNamespace

import pytest
from accelerate import Accelerator
from torch import distributed

from nl2code.interruption import Interruption, interruptible


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


@pytest.fixture
def shared(monkeypatch):
    monkeypatch.setattr(distributed, "new_group", lambda backend: "group")
    return Interruption(SimpleNamespace(num_processes=2))


def test_a_signal_that_comes_while_the_processes_ask_each_other_counts_next_time(
    shared, monkeypatch
) -> None:
    def all_reduce(value, operation, group):
        shared._note(signal.SIGTERM, None)

    monkeypatch.setattr(distributed, "all_reduce", all_reduce)
    assert shared.asked() is None
    assert shared.asked() == "SIGTERM"


def test_a_signal_to_another_process_stops_this_one_too(shared, monkeypatch) -> None:
    monkeypatch.setattr(
        distributed, "all_reduce", lambda value, operation, group: value.fill_(signal.SIGUSR1)
    )
    assert shared.asked() == "SIGUSR1"
