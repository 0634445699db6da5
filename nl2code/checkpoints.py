"""A run's checkpoints: the best model, and the last one with the state to go on from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError

import torch
from accelerate import Accelerator
from accelerate.utils.constants import RNG_STATE_NAME
from accelerate.utils.other import load
from safetensors import SafetensorError
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from nl2code.errors import UserError
from nl2code.jsonl import writing
from nl2code.linearisation import InputFormat, save_input_format
from nl2code.models import saving
from nl2code.models.saving import save_weights
from nl2code.progress import from_main
from nl2code.tokenization import save_tokenizer


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
            names = {_bare_name(name): value for name, value in weights.items()}
            save_weights(bare, names, aside)
            save_tokenizer(tokenizer, aside)
            save_input_format(fmt, aside)
        if state:
            accelerator.save_state(str(aside / "state"))


def _bare_name(name: str) -> str:
    """What the weight is called in the model alone: neither compiled nor within `TokenLoss`."""
    return name.removeprefix("_orig_mod.").removeprefix("model.")


@contextmanager
def _said_of(folder: Path) -> Iterator[None]:
    """Name the folder in what the libraries say of a disk that is full, each in its own way."""
    try:
        yield
    # The weights raise a SafetensorError, the optimizer a RuntimeError, the rest an OSError.
    except (SafetensorError, RuntimeError, OSError) as error:
        cause = str(error).strip().partition("\n")[0]
        older = "; an older one is still whole" if folder.exists() else ""
        said = "the checkpoint cannot be written, is the disk full?"
        raise UserError(f"{folder}: {said} {cause}{older}") from error


@contextmanager
def _writing_together(accelerator: Accelerator, folder: Path) -> Iterator[Path]:
    """`writing` for several processes: the main one's folder aside, moved when all are done."""
    if not accelerator.is_main_process:
        yield Path(from_main(accelerator, ""))
        accelerator.wait_for_everyone()
        accelerator.wait_for_everyone()
        return
    with writing(folder) as aside:
        aside.mkdir()
        yield Path(from_main(accelerator, str(aside)))
        accelerator.wait_for_everyone()
    accelerator.wait_for_everyone()


def keep_weights_out(accelerator: Accelerator) -> None:
    """Let `save_state` and `load_state` leave the weights alone: they lie beside the state.

    A resumed run reads them with `load_weights` before the model is prepared. FSDP is the
    exception: there each process saves its shard, and Accelerate never asks these hooks.
    """
    accelerator.register_save_state_pre_hook(lambda models, weights, folder: weights.clear())
    accelerator.register_load_state_pre_hook(lambda models, folder: models.clear())


def load_weights(model: PreTrainedModel, folder: Path) -> None:
    """Give the model the weights in the checkpoint `folder`, all of them and no others.

    The model stays the one it is: `from_pretrained` forgets which weights are fixed, and Marian's
    sinusoidal positions would be learnt from there on.

    Raises:
        UserError: The checkpoint is broken, or it is another model's.
    """
    try:
        saving.load_weights(model, folder)
    except (SafetensorError, RuntimeError, OSError, ValueError) as error:
        raise _unreadable(folder, error) from error


def load_state(accelerator: Accelerator, folder: Path) -> None:
    """Go on from the checkpoint `folder`: optimizer, rate, progress, random numbers.

    Raises:
        UserError: The state is broken, or belongs to another model.
    """
    try:
        accelerator.load_state(str(folder / "state"))
        go_on = _random_numbers_go_on(accelerator, folder / "state")
    # torch advises to trust a file that it cannot read.
    except (UnpicklingError, EOFError, ValueError, KeyError) as error:
        raise _unreadable(folder, "a file of its state is broken") from error
    except (RuntimeError, OSError) as error:
        raise _unreadable(folder, error) from error
    if not go_on:
        raise _unreadable(folder, "the random numbers do not go on as they were")


def _random_numbers_go_on(accelerator: Accelerator, state: Path) -> bool:
    """Whether dropout goes on as it was; Accelerate only logs that it does not.

    It does not when the file is broken, and when the machine has another number of GPUs.
    """
    saved = load(state / f"{RNG_STATE_NAME}_{accelerator.process_index}.pkl")
    pairs = [(saved["torch_manual_seed"], torch.get_rng_state())]
    if torch.cuda.is_available():
        gpus = saved["torch_cuda_manual_seed"], torch.cuda.get_rng_state_all()
        pairs += zip(*gpus, strict=True)
    return all(torch.equal(was, now) for was, now in pairs)


def _unreadable(folder: Path, error: Exception | str) -> UserError:
    # The first line of what torch says of weights that do not fit only names the model.
    cause = " ".join(" ".join(str(error).strip().split("\n")[:2]).split()) or type(error).__name__
    return UserError(f"{folder}: the run cannot go on from this checkpoint: {cause}")
