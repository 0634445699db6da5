"""A trained model with what belongs to it, as a recipe's checkpoint folder holds it."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError
from transformers import AutoModelForSeq2SeqLM, PreTrainedModel, PreTrainedTokenizerFast

import nl2code.models  # noqa: F401  registers our own with the Auto classes
from nl2code.errors import UserError
from nl2code.linearisation import InputFormat, load_input_format
from nl2code.tokenization import check_tokenizer, load_tokenizer


def load_checkpoint(folder: Path) -> tuple[InputFormat, PreTrainedTokenizerFast, PreTrainedModel]:
    """The three things that a checkpoint is made of, checked against each other.

    Raises:
        UserError: One is missing, broken, or another checkpoint's.
    """
    if not (folder / "config.json").is_file():
        raise UserError(
            f"--checkpoint {folder}: no trained model lies there (config.json is missing)"
        )
    fmt, tokenizer = load_input_format(folder), load_tokenizer(folder)
    try:
        model: PreTrainedModel = AutoModelForSeq2SeqLM.from_pretrained(folder)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        cause = str(error).strip().partition("\n")[0]
        raise UserError(f"--checkpoint {folder}: the model cannot be loaded: {cause}") from None
    check_tokenizer(tokenizer, model.config)
    return fmt, tokenizer, model
