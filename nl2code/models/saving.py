"""A model's weights on disk, to use and to go on from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedModel
from transformers.utils import logging

from nl2code.errors import UserError
from nl2code.models.lora import has_lora, merged

LORA_FILE = "lora.safetensors"
"""What was learnt of a model with LoRA, beside the merged model."""


def save_weights(model: PreTrainedModel, weights: Mapping[str, Tensor], folder: Path) -> None:
    """Write an ordinary model, which `from_pretrained` reads, whether it has LoRA or not.

    `weights` are those of `model` gathered from all processes; a model with LoRA is whole in each.
    """
    if not has_lora(model):
        model.save_pretrained(folder, state_dict=dict(weights))
        return
    from peft import get_peft_model_state_dict

    merged(model).save_pretrained(folder)
    learnt = get_peft_model_state_dict(model, save_embedding_layers=False)
    save_file({name: value.contiguous() for name, value in learnt.items()}, folder / LORA_FILE)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let transformers keep its page-long report of weights that do not fit: we say it shorter."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)


def load_weights(model: PreTrainedModel, folder: Path) -> None:
    """Take over the weights that `save_weights` wrote of the same model.

    Raises:
        ValueError: They are another model's, not all there, or too many.
        UserError: They are of LoRA on another pretrained model.
    """
    if not has_lora(model):
        kind: Any = type(model)
        if not (folder / "config.json").is_file():
            raise ValueError("it has no config.json")
        try:
            with _quiet():
                loaded, found = kind.from_pretrained(folder, output_loading_info=True)
        except RuntimeError as error:
            if "ignore_mismatched_sizes" in str(error):
                raise ValueError("it is another model's: a weight has another size") from error
            raise
        if wrong := sorted(name for names in found.values() for name in map(str, names)):
            raise ValueError(f"it is another model's: {wrong[0]} does not fit")
        model.load_state_dict(loaded.state_dict())
        return
    from peft import set_peft_model_state_dict

    set_peft_model_state_dict(model, load_file(folder / LORA_FILE))
    # The frozen weights came from model.name_or_path, where another model may lie by now.
    ours, saved = merged(model), load_file(folder / "model.safetensors")
    for name, value in ours.state_dict().items():
        if name in saved and not torch.allclose(value, saved[name], rtol=0, atol=1e-4):
            raise UserError(f"{folder}: the run began from another model in model.name_or_path")
