"""Hugging Face's own loops on Marian: Seq2SeqTrainer, and one like run_translation_no_trainer."""

from __future__ import annotations

import tempfile
from collections import deque
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from ours import build
from torch.utils.data import DataLoader
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainerCallback
from windows import PAD, Side, Windows, read_side, rectangle


class Padded:
    """Pads to the longest, and labels with -100; remembers the real tokens and places it made."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.counts: deque[tuple[int, int]] = deque()

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        """A batch of the rows."""
        ids, labels = (
            rectangle([np.array(row[name]) for row in rows]) for name in ("input_ids", "labels")
        )
        real = (ids != PAD).long()
        self.counts.append((real.sum() + (labels != PAD).sum(), ids.numel() + labels.numel()))
        labels = labels.masked_fill(labels == PAD, -100)
        inputs = self.model.prepare_decoder_input_ids_from_labels(labels)
        tensors = {"input_ids": ids, "attention_mask": real}
        return {**tensors, "labels": labels, "decoder_input_ids": inputs}


class Turns(TrainerCallback):
    """Lets the trainer go on while a window is open."""

    def __init__(self, side: Side, padded: Padded) -> None:
        self.side, self.padded = side, padded

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """The first window."""
        self.windows = Windows(self.side)

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """One update more."""
        self.windows.done(*self.padded.counts.popleft())


def rows_of(side: Side) -> list[dict[str, Any]]:
    """Examples as the trainer's data sets have them."""
    pairs = zip(side.sources, side.targets, strict=True)
    return [{"input_ids": s, "labels": t, "length": len(s)} for s, t in pairs]


def use_trainer(side: Side, grouped: bool) -> None:
    """Seq2SeqTrainer, with batches of like source lengths or as chance has it."""
    model = build(side)
    padded = Padded(model)
    with tempfile.TemporaryDirectory() as scratch:
        settings = Seq2SeqTrainingArguments(
            output_dir=scratch,
            per_device_train_batch_size=examples_a_batch(side),
            train_sampling_strategy="group_by_length" if grouped else "random",
            label_smoothing_factor=0.1,
            max_grad_norm=5.0,
            num_train_epochs=1,
            use_cpu=True,
            logging_steps=10**6,
            save_strategy="no",
            report_to=[],
            remove_unused_columns=False,
            disable_tqdm=True,
        )
        Seq2SeqTrainer(
            model, settings, train_dataset=rows_of(side), data_collator=padded,
            callbacks=[Turns(side, padded)],
        ).train()  # fmt: skip


def use_accelerate(side: Side) -> None:
    """Random batches padded to their longest, the loss of the model, plain AdamW."""
    accelerator, model = Accelerator(cpu=True), build(side)
    padded = Padded(model)
    size = examples_a_batch(side)
    loader = DataLoader(rows_of(side), batch_size=size, shuffle=True, collate_fn=padded)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    windows = Windows(side)
    model.train()
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
        windows.done(*padded.counts.popleft())


def examples_a_batch(side: Side) -> int:
    """As many as fill the budget in the mean."""
    return max(1, int(side.batch_tokens / side.lengths.sum(1).mean()))


def main() -> None:
    """Use the loop that `--variant` names."""
    side = read_side()
    if side.variant == "no_trainer":
        use_accelerate(side)
    else:
        use_trainer(side, side.variant == "grouped")


if __name__ == "__main__":
    main()
