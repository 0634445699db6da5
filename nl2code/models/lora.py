"""LoRA: a pretrained model of which only small factors are learnt (Hu et al. 2021), by peft."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, cast

from transformers import PreTrainedModel

from nl2code.errors import UserError


def add_lora(
    model: PreTrainedModel, rank: int, alpha: int, dropout: float, rows: Sequence[int]
) -> PreTrainedModel:
    """Freeze the model; learn W + alpha / rank * B A for each linear layer, and the given rows.

    `rows` are the ids of new tokens. Frozen, such a token could never be predicted where input and
    output share a table: its row is the mean of its pieces' rows, so one of these scores as high.

    What comes back is a `PeftModel`, which hands on all that training asks of a `PreTrainedModel`.

    Raises:
        UserError: peft is not installed.
    """
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError:
        raise UserError(f"model.lora_rank: {rank}: needs peft; pip install -e '.[train]'") from None
    config = LoraConfig(
        task_type="SEQ_2_SEQ_LM",
        r=rank,
        lora_alpha=alpha,
        lora_dropout=dropout,
        target_modules="all-linear",  # not the output layer
        trainable_token_indices=list(rows) or None,
    )
    return cast("PreTrainedModel", get_peft_model(model, config))


def has_lora(model: Any) -> bool:
    """Whether `add_lora` made the model."""
    return not isinstance(model, PreTrainedModel)


def merged(model: Any) -> PreTrainedModel:
    """A copy in which the learnt factors are added to the weights: an ordinary model."""
    return cast("PreTrainedModel", copy.deepcopy(model).merge_and_unload())
