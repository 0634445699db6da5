"""fairseq's task, batches and trainer, as fairseq-train puts them together."""

from __future__ import annotations

import dataclasses
import logging
import tempfile
from pathlib import Path
from typing import Any

from windows import PAD, Side, Windows, counts, read_side

_dataclass = dataclasses.dataclass


def _hashable(cls: Any = None, **settings: Any) -> Any:
    """A dataclass that may be a default value: Python 3.11 refuses what has no hash."""
    if cls is None:
        return lambda cls: _hashable(cls, **settings)
    made = _dataclass(cls, **settings)
    if made.__hash__ is None:
        made.__hash__ = object.__hash__
    return made


dataclasses.dataclass = _hashable  # type: ignore[assignment]
import torch  # noqa: E402
from fairseq import options  # noqa: E402
from fairseq.data import Dictionary, LanguagePairDataset  # noqa: E402
from fairseq.dataclass.utils import convert_namespace_to_omegaconf  # noqa: E402
from fairseq.tasks import setup_task  # noqa: E402
from fairseq.trainer import Trainer  # noqa: E402

# Its special symbols come first, in this order; the data's ids stand behind them.
BOS, FS_PAD, EOS, UNK = range(4)
TRANSFORMER = """--arch transformer --encoder-layers 6 --decoder-layers 6 --encoder-embed-dim 512
    --decoder-embed-dim 512 --encoder-ffn-embed-dim 1024 --decoder-ffn-embed-dim 1024
    --encoder-attention-heads 4 --decoder-attention-heads 4 --share-all-embeddings --dropout 0.3
    --criterion label_smoothed_cross_entropy --label-smoothing 0.1"""
LSTM = """--arch lstm --encoder-embed-dim 1024 --decoder-embed-dim 1024 --encoder-hidden-size 512
    --encoder-bidirectional --encoder-layers 2 --decoder-layers 2 --decoder-hidden-size 1024
    --decoder-out-embed-dim 1024 --dropout 0.5 --criterion cross_entropy"""
ALWAYS = "--cpu --optimizer adam --adam-betas (0.9,0.98) --lr 1e-3 --clip-norm 5 --log-format none"


def make_trainer(side: Side, folder: Path) -> Trainer:
    """The trainer of fairseq-train's command line."""
    words = Dictionary()
    for number in range(side.vocabulary):
        words.add_symbol(f"w{number}")
    for language in ("s", "t"):
        words.save(str(folder / f"dict.{language}.txt"))
    model = TRANSFORMER if side.model == "transformer" else LSTM
    budget = f"--max-tokens {budget_of(side)}"
    line = f"{folder} --task translation -s s -t t {model} {ALWAYS} {budget}".split()
    config = convert_namespace_to_omegaconf(
        options.parse_args_and_arch(options.get_training_parser(), line)
    )
    task = setup_task(config.task)
    return Trainer(
        config, task, task.build_model(config.model), task.build_criterion(config.criterion)
    )


def budget_of(side: Side) -> int:
    """It counts the longer side only: sources."""
    source, target = side.lengths.sum(0)
    return int(side.batch_tokens * source / (source + target))


def dataset(side: Side, words: Dictionary) -> LanguagePairDataset:
    """The pairs, with its own `</s>` at the end."""
    sources, targets = (
        [torch.cat([torch.from_numpy(row[:-1]).long() + 4, torch.tensor([EOS])]) for row in rows]
        for rows in (side.sources, side.targets)
    )
    source_sizes, target_sizes = side.lengths.T
    return LanguagePairDataset(
        sources, source_sizes, words, targets, target_sizes, words, shuffle=True
    )


def main() -> None:
    """Make updates as long as they are asked for."""
    logging.disable(logging.INFO)
    side = read_side()
    assert PAD == 0
    with tempfile.TemporaryDirectory() as scratch:
        trainer = make_trainer(side, Path(scratch))
    pairs = dataset(side, trainer.task.source_dictionary)
    batches = trainer.task.get_batch_iterator(pairs, max_tokens=budget_of(side), seed=1)
    trainer.lr_step(0)
    windows = Windows(side)
    for sample in batches.next_epoch_itr(shuffle=True):
        trainer.train_step([sample])
        windows.done(*counts(side, sample["id"].tolist()))


if __name__ == "__main__":
    main()
