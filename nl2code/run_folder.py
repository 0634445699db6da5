"""A run's folder: one run at a time, and only ever the run that it was made for."""

from __future__ import annotations

import dataclasses
import fcntl
import importlib.metadata
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from accelerate import Accelerator

from nl2code.config import read_settings, save_config
from nl2code.errors import UserError
from nl2code.jsonl import mend_killed_runs, read_json, write_json

FREE_TO_CHANGE = frozenset(
    (
        *("limits.max_epochs", "limits.max_steps", "limits.max_minutes"),
        *("out", "resume", "save_steps", "save_minutes", "log_steps", "trackers", "optim.split"),
        "optim.cooldown_steps",
        *("data.path", "data.workers", "dataset"),
    )
)
"""What may change before a run goes on: how long it goes on, when it is saved, what it takes.

The dataset's place and digest are among them, as test may change; the digests of the encoded train
and dev are not.
"""

VERSION = 2
"""Of what a checkpoint holds: a run goes on only with the version that it began with."""


@contextmanager
def alone_in(out: Path) -> Iterator[None]:
    """Keep other runs out of the folder; the system lets go of it when this process ends."""
    if os.environ.get("RANK", "0") != "0":  # the main process keeps it for all of them
        yield
        return
    if out.is_file():
        raise UserError(f"--out {out}: a file, not a folder")
    out.mkdir(parents=True, exist_ok=True)
    folder = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(folder)
        raise UserError(f"--out {out}: another run is writing into it") from None
    try:
        yield
    finally:
        with suppress(OSError):  # full, as it should be, unless the run never began
            out.rmdir()
        os.close(folder)


def check_config(out: Path, config: Any, resume: bool) -> None:
    """Refuse, before any data is read, what cannot go on in `out` by its config alone.

    Raises:
        UserError: Something else lies in `out`, or a run of another config; it says of which.
    """
    for name in ("last", "best"):
        mend_killed_runs(out / name, alone=True)  # `alone_in` keeps the others out
    if not _is_unbegun(out):
        _check_run(out, config, resume)


def open_run(accelerator: Accelerator, out: Path, config: Any, facts: dict[str, Any]) -> bool:
    """Begin a run in `out`, or go on with it; True when there is a state to go on from.

    Args:
        accelerator: Its main process reads and writes, the others follow.
        out: The run's folder.
        config: The resolved config, a dataclass.
        facts: What else must not change between a kill and a resume, such as digests.

    Raises:
        UserError: The run that lies in `out` differs in its facts; the message says in which.
    """
    if accelerator.is_main_process:
        if not _is_unbegun(out):
            known = _facts(out)
            del known["version"]
            _refuse_changes(out / "run.json", known, facts)
        for name in ("report.md", "diverged.json"):  # each tells how a run ended
            (out / name).unlink(missing_ok=True)
        # run.json first, by which _is_unbegun tells a kill from a folder of somebody else's.
        write_json(out / "run.json", facts | {"version": VERSION})
        save_config(config, out / "config.yaml")
        write_json(out / "environment.json", environment())
    accelerator.wait_for_everyone()
    going_on = (out / "last" / "state").is_dir()
    if accelerator.is_main_process and (out / "best").exists() and not going_on:
        print(f"{out}: there is no {out / 'last'} to go on from: begun anew", file=sys.stderr)
    return going_on


def _is_unbegun(out: Path) -> bool:
    """Whether nothing lies there, or only what a kill left of the first files."""
    begun = r"run\.json|\.(run\.json|config\.yaml)\..+\.part"
    return not out.exists() or (
        out.is_dir() and all(re.fullmatch(begun, path.name) for path in out.iterdir())
    )


def _check_run(out: Path, config: Any, resume: bool) -> None:
    saved = out / "config.yaml", out / "run.json"
    if not all(path.is_file() for path in saved):
        raise UserError(f"--out {out}: the folder exists, is not empty and is no training run")
    if not resume:
        raise UserError(f"--out {out}: holds a run already, and --resume is false")
    _check_version(saved[1], _facts(out)["version"])
    # What there was no setting for when the run began, it did as the default does.
    required = {
        field.name: getattr(config, field.name)
        for field in dataclasses.fields(config)
        if field.default is field.default_factory is dataclasses.MISSING
    }
    defaults = dataclasses.asdict(type(config)(**required))
    settings = read_settings(saved[0], "the run cannot be resumed: this is no config any more")
    _refuse_changes(saved[0], settings, dataclasses.asdict(config), defaults)
    if (out / "last").exists() and not (out / "last" / "state").is_dir():
        raise UserError(f"{out / 'last'}: the checkpoint has no state to go on from; move it away")


def _facts(out: Path) -> dict[str, Any]:
    known = {"version": 1} | read_json(out / "run.json")
    if not isinstance(known["version"], int):
        raise UserError(f"{out / 'run.json'}: version {known['version']!r}: a number is expected")
    return known


def _check_version(path: Path, version: int) -> None:
    if version != VERSION:
        age = "a newer" if version > VERSION else "an older"
        raise UserError(
            f"{path}: the run was begun by {age} version of nl2code, whose checkpoints are"
            f" of version {version}; this one goes on from version {VERSION}"
        )


def _refuse_changes(
    path: Path,
    saved: dict[str, Any],
    present: dict[str, Any],
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    old = dict(_leaves(defaults)) | dict(_leaves(saved))
    new = dict(_leaves(present))
    changed = [
        f"{name} was {old.get(name)} and is {new.get(name)}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name) and name not in FREE_TO_CHANGE
    ]
    if changed:
        raise UserError(f"{path}: the run cannot be resumed: {'; '.join(changed)}")


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Each setting under its dotted name, as text: YAML knows neither tuples nor paths.

    >>> list(_leaves({"optim": {"lr": 0.1, "betas": (0.9, 0.98)}}))
    [('optim.lr', '0.1'), ('optim.betas', '[0.9, 0.98]')]
    """
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, str(list(value) if isinstance(value, tuple) else value)


def environment() -> dict[str, str]:
    """The versions that a result may depend on."""
    names = ("accelerate", "datasets", "nl2code", "numpy", "tokenizers", "torch", "transformers")
    versions = {name: importlib.metadata.version(name) for name in names}
    return versions | {"python": platform.python_version(), "machine": platform.machine()}
