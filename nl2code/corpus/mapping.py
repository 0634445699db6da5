"""The map: raw notebooks → files of candidate examples, with worker processes, memory bounded."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from nl2code.corpus.filters import is_python, why_no_training_notebook
from nl2code.corpus.licenses import why_not_licensed
from nl2code.corpus.nbgrader.cells import solution_cells
from nl2code.corpus.notebook_parts import GRADED, NOTEBOOKS, PARTS, graded_rows, notebook_row
from nl2code.corpus.parts import CANDIDATES, PartFile
from nl2code.corpus.redaction import redact_notebook
from nl2code.corpus.targets import TargetRules, training_examples
from nl2code.corpus.workers import Workers, without_collections
from nl2code.dumps import RawNotebook
from nl2code.notebooks import UnreadableNotebook
from nl2code.python_code.magics import quiet
from nl2code.records import Notebook

_BATCH_NOTEBOOKS = 64
_BATCH_CHARACTERS = 8_000_000
_HELD_KEYS = 70_000
Row = dict[str, Any]
Rows = tuple[str, list[Row]]
"""Rows for one kind of part."""


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
    workers: Workers,
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
    for batch_drops in workers.map(partial(_map_batch, folder, rules), numbered, ordered=False):
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
    with ExitStack() as stack, quiet(), without_collections():
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
    except OSError:  # of the machine, such as a full disk: a later run would keep this notebook
        raise
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
