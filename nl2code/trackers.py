"""The log of a run's figures: OUT/log.jsonl, TensorBoard, trackio."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import orjson
from accelerate import Accelerator
from torch.utils.tensorboard import SummaryWriter

from nl2code.errors import UserError
from nl2code.jsonl import write_jsonl
from nl2code.progress import Progress

Log = Callable[[Mapping[str, float]], None]
"""Writes a row of figures, under the update that the run is at."""

PROJECT = "juice"
"""The project that trackio keeps runs in."""


@contextmanager
def open_log(
    accelerator: Accelerator, out: Path, progress: Progress, trackers: Sequence[str]
) -> Iterator[Log]:
    """Give what writes figures to OUT/log.jsonl and to the trackers, in the main process.

    What a killed run logged after its last checkpoint is dropped: it will be logged again.

    Raises:
        UserError: A row cannot be written; the disk is full, most likely.
    """
    if not accelerator.is_main_process:
        yield lambda figures: None
        return
    path = out / "log.jsonl"
    rows = [row for row in read_log(path) if row["step"] <= progress.step]
    write_jsonl(path, rows)
    with ExitStack() as closing:
        writers = [closing.enter_context(_TRACKERS[name](out, rows)) for name in trackers]

        def log(figures: Mapping[str, float]) -> None:
            row = {"step": progress.step, "epoch": progress.epoch, "seconds": progress.seconds}
            try:
                with path.open("ab") as file:
                    file.write(orjson.dumps({**row, **figures}, option=orjson.OPT_APPEND_NEWLINE))
                for write in writers:
                    write(figures, progress.step)
            except OSError as error:  # a full disk is said without a name
                cause = error.strerror or error
                raise UserError(f"{out}: the log cannot be written: {cause}") from error

        yield log


def read_log(path: Path) -> list[dict[str, Any]]:
    """The rows of a log, without the one that a full disk or a kill has torn; none without a file.

    Raises:
        UserError: Another line than the last is broken.
    """
    lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    try:
        rows = [orjson.loads(line) for line in lines]
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path}: not JSON Lines: {error}") from None
    for number, row in enumerate(rows, 1):
        if not (isinstance(row, dict) and isinstance(row.get("step"), int)):
            raise UserError(f"{path}, line {number}: no row of a log: it has no step")
    return rows


@contextmanager
def _tensorboard(out: Path, rows: list[dict[str, Any]]) -> Iterator[Callable[..., None]]:
    last = rows[-1]["step"] if rows else 0
    with SummaryWriter(str(out / "tensorboard"), purge_step=last + 1) as board:

        def write(figures: Mapping[str, float], step: int) -> None:
            for name, value in figures.items():
                board.add_scalar(name, value, step)
            board.flush()  # otherwise a kill takes the last two minutes with it

        yield write


@contextmanager
def _trackio(out: Path, rows: list[dict[str, Any]]) -> Iterator[Callable[..., None]]:
    for name in ("TRACKIO_SPACE_ID", "TRACKIO_SERVER_URL"):
        os.environ.pop(name, None)  # figures stay on this machine
    import trackio

    with redirect_stdout(sys.stderr):
        # Begun anew from the log, as it cannot take back what a killed run wrote too much.
        try:
            old = [run for run in trackio.Api().runs(PROJECT) if run.name == str(out)]
        except ValueError:  # no run of any name
            old = []
        for run in old:
            run.delete()
        trackio.init(PROJECT, name=str(out), embed=False, auto_log_gpu=False, auto_log_cpu=False)
        for row in rows:
            figures = {name: value for name, value in row.items() if name != "step"}
            trackio.log(figures, step=row["step"])
    try:
        yield lambda figures, step: trackio.log(dict(figures), step=step)
    finally:
        with redirect_stdout(sys.stderr):
            trackio.finish()  # type: ignore[no-untyped-call]


_TRACKERS = {"tensorboard": _tensorboard, "trackio": _trackio}


def check_trackers(names: Sequence[str]) -> None:
    """Raise a `UserError` when a tracker is asked for that is not installed."""
    if "trackio" in names and importlib.util.find_spec("trackio") is None:
        raise UserError("trackers: trackio is not installed; pip install trackio brings it")
