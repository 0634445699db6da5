"""A run's folder: the best model, the last state to go on from, and what it was made of."""

from __future__ import annotations

import dataclasses
import fcntl
import importlib.metadata
import math
import os
import platform
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
import yaml
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list
from safetensors import SafetensorError
from torch import nn
from torch.utils.tensorboard import SummaryWriter
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from nl2code.batches import Indices, Pairs
from nl2code.config import save_config
from nl2code.errors import UserError
from nl2code.jsonl import mend_killed_runs, read_json, read_jsonl, write_json, write_jsonl, writing
from nl2code.tokenization import InputFormat, save_input_format

Value = TypeVar("Value")

FREE_TO_CHANGE = frozenset(
    f"limits.{name}" for name in ("max_epochs", "max_steps", "max_minutes")
) | {"out", "resume", "save_steps", "save_minutes"}
"""Settings a run may be resumed with: how long it goes on, and when it is saved."""


@dataclass
class Progress:
    """How far a run is. It changes with every update and lies in each checkpoint."""

    epoch: int = 0
    update: int = 0
    """Updates done in this epoch."""
    step: int = 0
    """Updates done in all."""
    seconds: float = 0.0
    """Wall-clock time of all updates, without evaluations and checkpoints."""
    looked: float = 0.0
    """`seconds` when all processes last agreed on it: what decides by the clock reads this."""
    tokens: int = 0
    """Source and target tokens read."""
    evaluated: int = -1
    """The step of the last evaluation."""
    best_loss: float = math.inf
    best_step: int = -1
    figures: dict[str, float] = dataclasses.field(default_factory=dict)
    """What the last evaluation gave."""

    def count(self, pairs: Pairs, update: list[Indices], seconds: float) -> None:
        """Note one update."""
        self.update += 1
        self.step += 1
        self.seconds += seconds
        for part in (pairs.sources, pairs.targets):
            self.tokens += sum(int(part.lengths[rows].sum()) for rows in update)

    def next_epoch(self) -> None:
        """Begin another pass over the data."""
        self.epoch += 1
        self.update = 0

    def look(self, accelerator: Accelerator) -> None:
        """Look at the main process's clock."""
        self.looked = self.seconds = _from_main(accelerator, self.seconds)

    def speed(self) -> float:
        """Source and target tokens a second."""
        return self.tokens / self.seconds if self.seconds else 0.0

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds of it."""
        return dataclasses.asdict(self)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        for name, value in state.items():
            setattr(self, name, value)


@contextmanager
def alone_in(out: Path) -> Iterator[None]:
    """Keep other runs out of the folder; the system lets go of it when this process ends."""
    if os.environ.get("RANK", "0") != "0":  # the main process keeps it for all of them
        yield
        return
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


def open_run(
    accelerator: Accelerator, out: Path, config: Any, facts: dict[str, Any], resume: bool
) -> bool:
    """Begin a run in `out`, or go on with it; True when there is a state to go on from.

    Args:
        accelerator: Its main process reads and writes, the others follow.
        out: The run's folder.
        config: The resolved config, a dataclass.
        facts: What else must not change between a kill and a resume, such as digests.
        resume: Whether a run that is there may be continued.

    Raises:
        UserError: Something else lies in `out`, or a run that differs; the message says in what.
    """
    if accelerator.is_main_process:
        for name in ("last", "best"):
            mend_killed_runs(out / name)
        if not _is_unbegun(out):
            _check_run(out, config, facts, resume)
        # run.json first, by which _is_unbegun tells a kill from a folder of somebody else's.
        write_json(out / "run.json", facts)
        save_config(config, out / "config.yaml")
        write_json(out / "environment.json", environment())
    accelerator.wait_for_everyone()
    return (out / "last" / "state").is_dir()


def _is_unbegun(out: Path) -> bool:
    """Whether nothing lies there, or only what a kill left of the first files."""
    begun = r"run\.json|\.(run\.json|config\.yaml)\..+\.part"
    return not out.exists() or (
        out.is_dir() and all(re.fullmatch(begun, path.name) for path in out.iterdir())
    )


def _check_run(out: Path, config: Any, facts: dict[str, Any], resume: bool) -> None:
    saved = out / "config.yaml", out / "run.json"
    if not all(path.is_file() for path in saved):
        raise UserError(f"--out {out}: the folder exists, is not empty and is no training run")
    if not resume:
        raise UserError(f"--out {out}: holds a run already, and --resume is false")
    _refuse_changes(saved[0], yaml.safe_load(saved[0].read_text()), dataclasses.asdict(config))
    _refuse_changes(saved[1], read_json(saved[1]), facts)


def _refuse_changes(path: Path, saved: dict[str, Any], present: dict[str, Any]) -> None:
    old, new = dict(_leaves(saved)), dict(_leaves(present))
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


def save_checkpoint(
    accelerator: Accelerator,
    folder: Path,
    model: nn.Module,
    tokenizer: PreTrainedTokenizerFast,
    fmt: InputFormat,
    *,
    state: bool,
) -> None:
    """Write a folder that `from_pretrained` reads; with `state`, one to go on from as well.

    All processes call it. The old folder stays whole until the new one is complete.

    Raises:
        UserError: It cannot be written; the disk is full, most likely.
    """
    weights = accelerator.get_state_dict(model)
    with _said_of(folder), _writing_together(accelerator, folder) as aside:
        if accelerator.is_main_process:
            bare: PreTrainedModel = accelerator.unwrap_model(model).model
            names = {name.removeprefix("model."): value for name, value in weights.items()}
            bare.save_pretrained(aside, state_dict=names)
            _save_tokenizer(tokenizer, aside)
            save_input_format(fmt, aside)
        if state:
            accelerator.save_state(str(aside / "state"))


@contextmanager
def _said_of(folder: Path) -> Iterator[None]:
    """Name the folder in what the libraries say of a disk that is full, each in its own way."""
    try:
        yield
    # The weights raise a SafetensorError, the optimizer a RuntimeError, the rest an OSError.
    except (SafetensorError, RuntimeError, OSError) as error:
        cause = str(error).strip().partition("\n")[0]
        raise UserError(
            f"{folder}: the checkpoint cannot be written: {cause}; an older one is still whole"
        ) from error


def _save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    try:
        tokenizer.save_pretrained(folder)
    except Exception as error:  # a bare one when the disk is full
        raise OSError(f"tokenizer: {error}") from error


@contextmanager
def _writing_together(accelerator: Accelerator, folder: Path) -> Iterator[Path]:
    """`writing` for several processes: the main one's folder aside, moved when all are done."""
    if not accelerator.is_main_process:
        yield Path(_from_main(accelerator, ""))
        accelerator.wait_for_everyone()
        accelerator.wait_for_everyone()
        return
    with writing(folder) as aside:
        aside.mkdir()
        yield Path(_from_main(accelerator, str(aside)))
        accelerator.wait_for_everyone()
    accelerator.wait_for_everyone()


def _from_main(accelerator: Accelerator, value: Value) -> Value:
    values = [value]
    if accelerator.num_processes > 1:
        broadcast_object_list(values)
    return values[0]


def keep_weights_out(accelerator: Accelerator) -> None:
    """Let `save_state` and `load_state` leave the weights alone: they lie beside the state.

    A resumed run reads them with `from_pretrained` before the model is prepared. FSDP is the
    exception: there each process saves its shard, and Accelerate never asks these hooks.
    """
    accelerator.register_save_state_pre_hook(lambda models, weights, folder: weights.clear())
    accelerator.register_load_state_pre_hook(lambda models, folder: models.clear())


def environment() -> dict[str, str]:
    """The versions that a result may depend on."""
    names = ("accelerate", "datasets", "nl2code", "numpy", "tokenizers", "torch", "transformers")
    versions = {name: importlib.metadata.version(name) for name in names}
    return versions | {"python": platform.python_version(), "machine": platform.machine()}


def open_log(
    accelerator: Accelerator, out: Path, progress: Progress
) -> Callable[[Mapping[str, float]], None]:
    """What writes a row of figures to OUT/log.jsonl and to TensorBoard, in the main process.

    What a killed run logged after its last checkpoint is dropped: it will be logged again.
    """
    if not accelerator.is_main_process:
        return lambda figures: None
    path = out / "log.jsonl"
    if path.is_file():
        write_jsonl(path, [row for row in read_jsonl(path) if row["step"] <= progress.step])
    board = SummaryWriter(str(out / "tensorboard"), purge_step=progress.step + 1)

    def log(figures: Mapping[str, float]) -> None:
        row = {"step": progress.step, "epoch": progress.epoch, "seconds": progress.seconds}
        with path.open("ab") as file:
            file.write(orjson.dumps({**row, **figures}, option=orjson.OPT_APPEND_NEWLINE))
        for name, value in figures.items():
            board.add_scalar(name, value, progress.step)
        board.flush()  # otherwise a kill takes the last two minutes with it

    return log
