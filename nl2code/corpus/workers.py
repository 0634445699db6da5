"""Worker processes: `map` over items that need not fit into memory together."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Protocol, Self, TypeVar

from nl2code.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")


class InOrder(Protocol):
    """Does work on items, in processes or not, and gives the results in their order."""

    def __call__(
        self, work: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Iterable[Result]:
        """Yield the result of each item."""


class Workers:
    """So many processes, started when they are first needed; of one, this process is it."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *more: object) -> None:
        if self._pool is None:
            return
        with _uninterrupted():  # a second Ctrl-C would leave the pool half closed, for ever
            if error is not None:  # what they are at is not wanted any more
                for process in list(self._pool._processes.values()):
                    process.terminate()
            self._pool.shutdown(wait=True, cancel_futures=True)

    def map(
        self, work: Callable[[Item], Result], items: Iterable[Item], *, ordered: bool = True
    ) -> Iterator[Result]:
        """Like `map`; unless `ordered`, each result comes as soon as it is there.

        Raises:
            UserError: A process was killed.
        """
        if self.count == 1:
            yield from map(work, items)
            return
        if self._pool is None:
            self._pool = _start(self.count)
        bounded = _in_order if ordered else _as_completed
        try:
            yield from bounded(self._pool, work, items, 2 * self.count)
        except BrokenProcessPool:
            raise UserError(
                f"a worker process was killed, perhaps for lack of memory; --workers {self.count}"
                " may be too many"
            ) from None


def _start(count: int) -> ProcessPoolExecutor:
    # Spawned, not forked: pyarrow's threads do not survive a fork.
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_end_with_the_parent)
    # A worker starts with a task that finds none idle; it ignores what is ignored then, Ctrl-C.
    with _uninterrupted():
        for _ in range(count):
            pool.submit(int)
    return pool


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _end_with_the_parent() -> None:
    """Let this worker not outlive a parent that is killed."""

    def wait_for_the_end() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    Thread(target=wait_for_the_end, daemon=True).start()


def _in_order(
    pool: Executor, work: Callable[[Item], Result], items: Iterable[Item], window: int
) -> Iterator[Result]:
    """Like `pool.map`, but with at most `window` items in flight, so that memory stays flat."""
    running: deque[Future[Result]] = deque()
    for item in items:
        running.append(pool.submit(work, item))
        if len(running) >= window:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()


def _as_completed(
    pool: Executor, work: Callable[[Item], Result], items: Iterable[Item], window: int
) -> Iterator[Result]:
    """The results as they come: no worker is idle while a long item is waited for."""
    running: set[Future[Result]] = set()
    for item in items:
        running.add(pool.submit(work, item))
        if len(running) >= window:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    yield from (future.result() for future in as_completed(running))


@contextmanager
def without_collections() -> Iterator[None]:
    """Hold the search for cycles until the batch is done: syntax trees, by the thousand, have none.

    In a batch it would take a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Cut into lists of so many, which cost less to send to another process.

    >>> list(chunks("abc", 2))
    [['a', 'b'], ['c']]
    """
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk
