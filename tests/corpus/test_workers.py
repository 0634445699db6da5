"""Worker processes: order, memory, and what happens to a process that is killed."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from nl2code.corpus import workers
from nl2code.corpus.workers import Workers
from nl2code.errors import UserError


@pytest.mark.parametrize("count", [0, 1, 3, 10])
@pytest.mark.parametrize("bounded", [workers._in_order, workers._as_completed])
def test_only_a_window_of_work_is_in_flight(bounded, count):
    taken, largest = 0, 0

    def items():
        nonlocal taken
        for number in range(count):
            taken += 1
            yield number

    results = []
    with ThreadPoolExecutor(2) as pool:
        for result in bounded(pool, lambda number: number * 2, items(), 3):
            largest = max(largest, taken - len(results))
            results.append(result)
    assert sorted(results) == [2 * number for number in range(count)]
    assert bounded is workers._as_completed or results == sorted(results)
    assert largest <= 3


def test_a_slow_item_holds_no_other_up():
    others_are_done = Event()

    def work(item):
        assert item or others_are_done.wait(10)
        return item

    seen = []
    with ThreadPoolExecutor(2) as pool:
        for result in workers._as_completed(pool, work, range(6), 2):
            seen.append(result)
            if len(seen) == 5:
                others_are_done.set()
    assert seen == [1, 2, 3, 4, 5, 0]


def test_the_same_processes_serve_several_maps():
    with Workers(2) as processes:
        seen = set(processes.map(_process, range(20)))
        seen |= set(processes.map(_process, range(20), ordered=False))
    assert len(seen) <= 2
    assert os.getpid() not in seen
    assert list(Workers(1).map(_process, range(2))) == [os.getpid()] * 2


def _process(item):
    return os.getpid()


def test_a_killed_worker_is_one_sentence():
    with Workers(2) as processes, pytest.raises(UserError, match="--workers 2 may be too many"):
        list(processes.map(_kill, range(3)))


def _kill(item):
    os.kill(os.getpid(), signal.SIGKILL)


def test_an_error_ends_the_processes_at_what_they_are(tmp_path):
    started = tmp_path / "started"
    with pytest.raises(KeyboardInterrupt):
        _interrupt_while_working(started)
    assert not _is_there(started)


def _interrupt_while_working(started):
    with Workers(2) as processes:
        for _ in processes.map(_work_for_an_hour, [started, started], ordered=False):
            raise KeyboardInterrupt


def _work_for_an_hour(started):
    try:
        with started.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return
    time.sleep(3600)


def _is_there(started):
    try:
        os.kill(int(started.read_text()), 0)
    except ProcessLookupError:
        return False
    return True
