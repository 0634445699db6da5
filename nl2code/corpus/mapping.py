"""The map: raw notebooks → files of candidate examples, with worker processes, memory bounded."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from nl2code.corpus.filters import is_python, why_no_training_notebook
from nl2code.corpus.licenses import why_not_licensed
from nl2code.corpus.nbgrader.cells import solution_cells
from nl2code.corpus.notebook_parts import GRADED, NOTEBOOKS, PARTS, graded_rows, notebook_row
from nl2code.corpus.parts import CANDIDATES, PartFile
from nl2code.corpus.redaction import redact_notebook
from nl2code.corpus.targets import TargetRules, training_examples
from nl2code.dumps import RawNotebook
from nl2code.errors import UserError
from nl2code.notebooks import UnreadableNotebook
from nl2code.records import Notebook

_BATCH_NOTEBOOKS = 64
_BATCH_CHARACTERS = 8_000_000
_HELD_KEYS = 200_000
Row = dict[str, Any]
Rows = tuple[str, list[Row]]
"""Rows for one kind of part."""
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True)
class Drops:
    """What was looked at, and what was dropped for which reason, at each stage."""

    notebooks: int = 0
    unreadable: Counter[str] = field(default_factory=Counter)
    filtered: Counter[str] = field(default_factory=Counter)
    targets: Counter[str] = field(default_factory=Counter)
    graded: Counter[str] = field(default_factory=Counter)
    """Graded cells that are no problem."""
    redacted: Counter[str] = field(default_factory=Counter)
    """What was redacted, by kind."""

    def add(self, other: Drops) -> None:
        """Add another batch's counts to these."""
        self.notebooks += other.notebooks
        for name in ("unreadable", "filtered", "targets", "graded", "redacted"):
            getattr(self, name).update(getattr(other, name))


def map_notebooks(
    notebooks: Iterable[RawNotebook],
    folder: Path,
    rules: TargetRules,
    workers: int,
    report: Callable[[int], object],
) -> Drops:
    """Write the notebooks' candidates to Parquet files in `folder`; return the counts.

    `report` is told the number of notebooks after each batch. What the files hold together does
    not depend on the number of workers.
    """
    for kind in PARTS:
        (folder / kind).mkdir()
    drops = Drops()
    numbered = enumerate(batches(notebooks))
    work = partial(_map_batch, folder, rules)
    if workers == 1:
        results: Iterator[Drops] = map(work, numbered)
    else:
        results = map_in_processes(work, numbered, workers)
    for batch_drops in results:
        drops.add(batch_drops)
        report(batch_drops.notebooks)
    return drops


def batches(notebooks: Iterable[RawNotebook]) -> Iterator[list[RawNotebook]]:
    """Group notebooks so that a batch is neither long nor large."""
    batch: list[RawNotebook] = []
    size = 0
    for notebook in notebooks:
        batch.append(notebook)
        size += len(notebook.content or "")
        if len(batch) == _BATCH_NOTEBOOKS or size > _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _map_batch(folder: Path, rules: TargetRules, item: tuple[int, list[RawNotebook]]) -> Drops:
    number, raw_notebooks = item
    name = f"{number:08d}.parquet"
    drops = Drops(notebooks=len(raw_notebooks))
    with ExitStack() as stack, _without_collections():
        files = {
            kind: stack.enter_context(PartFile(folder / kind / name, schema))
            for kind, schema in PARTS.items()
        }
        for raw in raw_notebooks:
            for kind, rows in _map_notebook(raw, rules, drops):
                if kind == CANDIDATES:  # below their notebook
                    for row in rows:
                        row["notebook_row"] = files[NOTEBOOKS].rows - 1
                files[kind].write(rows)
    return drops


@contextmanager
def _without_collections() -> Iterator[None]:
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


def _map_notebook(raw: RawNotebook, rules: TargetRules, drops: Drops) -> Iterator[Rows]:
    try:
        notebook = raw.read()
    except UnreadableNotebook as error:
        drops.unreadable[error.reason] += 1
        return
    if rules.licenses and (reason := why_not_licensed(notebook.license, rules.licenses)):
        drops.filtered[reason] += 1
        return
    try:
        yield from _rows(redact_notebook(notebook, drops.redacted), rules, drops)
    except Exception as error:  # a fault of ours costs what is left of a notebook, not the build
        print(f"{raw.repo}/{raw.path}: {error!r}", file=sys.stderr)
        drops.filtered["our_fault"] += 1


def _rows(notebook: Notebook, rules: TargetRules, drops: Drops) -> Iterator[Rows]:
    """Yield the rows that the notebook gives to each kind of part; its cells come first."""
    whole = rules.curated and is_python(notebook)
    if whole:
        yield NOTEBOOKS, [notebook_row(notebook)]
    if rules.curated:
        yield GRADED, graded_rows(solution_cells(notebook, drops.graded))
    if reason := why_no_training_notebook(notebook):
        drops.filtered[reason] += 1
        return
    examples = training_examples(notebook, rules, drops.targets)
    while rows := list(islice(examples, _rows_at_once(notebook))):
        if not whole:
            yield NOTEBOOKS, [notebook_row(notebook)]
            whole = True
        yield CANDIDATES, rows


def _rows_at_once(notebook: Notebook) -> int:
    """How many examples to hold, each of which has keys of all cells above."""
    return max(1, _HELD_KEYS // len(notebook.cells))


def map_in_processes(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """Like `map`, in that many processes; results come in order.

    Raises:
        UserError: A process was killed.
    """
    # Spawned, not forked: pyarrow's threads do not survive a fork.
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_end_with_the_parent) as pool:
        # A worker starts with a task that finds none idle; it ignores what is ignored then, Ctrl-C.
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for _ in range(workers):
            pool.submit(int)
        signal.signal(signal.SIGINT, handler)
        try:
            yield from _map_bounded(pool, work, items, 2 * workers)
        except BrokenProcessPool:
            raise UserError(
                f"a worker process was killed, perhaps for lack of memory; --workers {workers}"
                " may be too many"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _end_with_the_parent() -> None:
    """Let this worker not outlive a parent that is killed."""

    def wait_for_the_end() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    Thread(target=wait_for_the_end, daemon=True).start()


def _map_bounded(
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
