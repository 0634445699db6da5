r"""Learn which constant goes into which slot, for a trained model of templates (Tellina, NL2Bash).

    python recipes/align.py --checkpoint runs/nl2bash-tellina/last --data nl2bash

Run it after recipes/train.py and before recipes/predict.py, which reads what it leaves in the
checkpoint: `slot_alignment.npz`. A better model that training saves there takes it away again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from accelerate import Accelerator
from tqdm import tqdm
from transformers.utils.logging import disable_progress_bar

from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.decoding import load_checkpoint
from nl2code.errors import UserError, run_program
from nl2code.predictions import columns_of
from nl2code.slot_filling import ALIGNMENT_FILE, learn_alignment, learning_pairs, token_states


@dataclass(frozen=True)
class AlignConfig:
    """Learn which constant goes into which slot."""

    checkpoint: Path
    """The folder of a trained model of templates (`format.level: template`)."""
    data: str
    """The built dataset that it was trained on: a folder, or a name on the Hub."""
    split: str = "train"
    """The split to learn from."""
    limit: int | None = None
    """Read only the first examples of the split."""
    overwrite: bool = False
    """Learn anew what the checkpoint holds already."""


def main() -> None:
    """Load, find the pairs that teach something, read their states, learn, save."""
    config = read_config(AlignConfig, description=__doc__)
    out = config.checkpoint / ALIGNMENT_FILE
    check(config, out)
    beside = config_beside(out, config)
    disable_progress_bar()  # for the libraries' own bars; ours is below
    fmt, tokenizer, model = load_checkpoint(config.checkpoint)
    if not fmt.of_templates:
        raise UserError(f"--checkpoint {config.checkpoint}: its model does not write templates")
    split = read_split(config.data, config.split)
    rows = columns_of(split, ["nl", "command"], config.data, task_option=None)
    rows = rows.select(range(min(len(rows), config.limit or len(rows))))
    pairs = list(learning_pairs(zip(rows["nl"], rows["command"], strict=True)))
    states = partial(token_states, model.to(Accelerator().device).eval(), tokenizer)
    alignment = learn_alignment(tqdm(pairs, desc="align", unit=" pairs", disable=None), states)
    alignment.save(out)
    save_config(config, beside)
    print(
        f"{out}: learnt from {len(pairs):,} of {len(rows):,} pairs of {config.split},"
        " those with a constant that is an argument"
    )


def check(config: AlignConfig, out: Path) -> None:
    """Refuse at once what would fail, or undo what is there."""
    if config.limit is not None and config.limit < 1:
        raise UserError(f"--limit {config.limit}: must be at least 1")
    if out.exists() and not config.overwrite:
        raise UserError(
            f"--checkpoint {config.checkpoint}: holds {out.name} already; --overwrite replaces it"
        )


if __name__ == "__main__":
    run_program(main)
