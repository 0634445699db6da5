from __future__ import annotations

import gc
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from nl2code.errors import UserError
from nl2code.memory import is_out_of_memory, said_of_memory, with_less_memory

ALONE = SimpleNamespace(num_processes=1, process_index=0)
SHORT = (
    "[enforce fail at alloc_cpu.cpp:127] . DefaultCPUAllocator: can't allocate memory: you tried"
)


def needing(parts: int, error: Exception) -> list[int]:
    """What was tried by an attempt that fits from so many parts on."""
    tried = []

    def attempt(number: int) -> str:
        tried.append(number)
        if number < parts:
            raise error
        return "done"

    assert with_less_memory(attempt, 1, 8, ALONE, "update 3") == ("done", max(1, parts))
    return tried


@pytest.mark.parametrize(
    "error",
    [torch.OutOfMemoryError("CUDA out of memory. Tried"), RuntimeError(SHORT), MemoryError()],
)
def test_the_parts_are_doubled_until_they_fit(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    assert needing(4, error) == [1, 2, 4]
    said = capsys.readouterr().err.splitlines()
    assert said[1].startswith("out of memory at update 3: from here on each batch is computed in 4")
    assert len(said) == 2


def test_what_fits_is_tried_once_and_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert needing(1, MemoryError()) == [1]
    assert not capsys.readouterr().err


def test_one_example_that_does_not_fit_ends_in_a_sentence() -> None:
    with pytest.raises(UserError, match="memory at update 3 even with one example at a time"):
        needing(16, MemoryError())


def test_one_of_several_processes_says_how_to_go_on() -> None:
    def attempt(parts: int) -> None:
        raise MemoryError

    two = SimpleNamespace(num_processes=2, process_index=1)
    with pytest.raises(UserError, match=r"update 3 in process 1; go on with --optim.split 4"):
        with_less_memory(attempt, 2, 8, two, "update 3")


def test_another_error_passes() -> None:
    with pytest.raises(RuntimeError, match="shapes"):
        needing(2, RuntimeError("shapes cannot be multiplied"))


def test_what_a_failed_attempt_held_is_free_before_the_next_one() -> None:
    class Tensor:
        graph: object

    held: list[weakref.ref[Tensor]] = []

    def attempt(parts: int) -> bool:
        tensor = Tensor()
        tensor.graph = tensor  # only a collection of garbage frees it
        if parts == 1:
            held.append(weakref.ref(tensor))
            raise MemoryError
        return held[0]() is None

    gc.disable()
    try:
        assert with_less_memory(attempt, 1, 2, ALONE, "update 1") == (True, 2)
    finally:
        gc.enable()


def test_memory_for_the_weights_is_no_matter_of_the_batch() -> None:
    said = "run: out of memory for the model and its optimizer: CUDA"
    with pytest.raises(UserError, match=said), said_of_memory(Path("run")):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried\nmore")
    with pytest.raises(RuntimeError, match="shapes"), said_of_memory(Path("run")):
        raise RuntimeError("shapes")
    assert not is_out_of_memory(ValueError("out of range"))
