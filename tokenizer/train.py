r"""Learn the joint BPE over NL and code from the train split, or a vocabulary of words.

    python tokenizer/train.py --data juice --out tokenizer/juice-10k --merges 10000
    python tokenizer/train.py --data nl2bash --out tokenizer/nl2bash-sub-token --kind words \
        --format.task bash --format.level sub-token --format.normalised_nl true

The folder it writes loads with `AutoTokenizer.from_pretrained`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from datasets import IterableDataset
from tqdm import tqdm
from transformers import PreTrainedTokenizerFast

from nl2code.config import read_config, save_config
from nl2code.dataset import read_split
from nl2code.errors import UserError, run_program
from nl2code.format_checks import check_format
from nl2code.jsonl import writing
from nl2code.linearisation import InputFormat, linearise, source_columns, target_column, target_text
from nl2code.outputs import check_folder
from nl2code.predictions import columns_of
from nl2code.tokenization import save_tokenizer, train_tokenizer
from nl2code.vocabulary import train_words

FILES = ("tokenizer*.json", "special_tokens_map.json", "config.yaml")
"""What the folder holds."""


@dataclass(frozen=True)
class TokenizerConfig:
    """Learn the joint BPE over NL and code from the train split, or a vocabulary of words."""

    data: str
    """The built dataset: a folder, or a name on the Hub."""
    out: Path
    """The folder to write the tokenizer to."""
    kind: Literal["bpe", "words"] = "bpe"
    """Pieces of words; or whole words, where others are unknown (NL2Bash)."""
    merges: int = 10_000
    """BPE: how many merges to learn, at most; the paper's number."""
    min_count: int = 4
    """Words: how often a word occurs at least; for characters, NL2Bash has 1."""
    format: InputFormat = field(default_factory=InputFormat)
    """What of an example is read; tokens beyond its cuts are not learned from."""
    limit: int | None = None
    """Read only so many examples."""
    overwrite: bool = False
    """Replace the folder when it exists."""


def main() -> None:
    """Read the train split once, learn, write."""
    config = read_config(TokenizerConfig, description=__doc__)
    check_folder(config.out, config.overwrite, "tokenizer.json", FILES, "a tokenizer")
    check_options(config)
    rows = read_rows(config)
    tokenizer = learn(texts(rows, config.format), config)
    with writing(config.out) as aside:
        save_tokenizer(tokenizer, aside)
        save_config(config, aside / "config.yaml")
    report(tokenizer, config)


def check_options(config: TokenizerConfig) -> None:
    """Refuse what cannot be, and what is given and means nothing."""
    check_format(config.format)
    if config.merges < 0:
        raise UserError(f"--merges {config.merges}: must not be negative")
    if config.min_count < 1:
        raise UserError(f"--min_count {config.min_count}: must be at least 1")
    if config.kind == "words" and config.format.task != "bash":
        task = config.format.task
        raise UserError(f"--kind words: no model for --format.task {task} takes it; bash has some")
    idle = "merges" if config.kind == "words" else "min_count"
    value = getattr(config, idle)
    if value != getattr(TokenizerConfig, idle):
        raise UserError(f"--{idle} {value}: means nothing with --kind {config.kind}")


def learn(read: Iterable[str], config: TokenizerConfig) -> PreTrainedTokenizerFast:
    """The tokenizer of the kind asked for."""
    if config.kind == "words":
        return train_words(read, config.min_count)
    return train_tokenizer(read, config.merges)


def read_rows(config: TokenizerConfig) -> IterableDataset:
    """The rows of the train split, streamed, so that memory stays flat."""
    rows: IterableDataset = read_split(config.data, "train", streaming=True)
    columns = [*source_columns(config.format), target_column(config.format)]
    rows = columns_of(rows, columns, config.data, task_option="--format.task")
    return rows if config.limit is None else rows.take(config.limit)


def texts(rows: Iterable[Mapping[str, Any]], fmt: InputFormat) -> Iterator[str]:
    """What a model will read and write, example by example."""
    for row in tqdm(rows, desc="read", unit=" examples", disable=None):
        yield linearise(row, fmt)
        yield target_text(row, fmt)


def report(tokenizer: PreTrainedTokenizerFast, config: TokenizerConfig) -> None:
    """Print where the tokenizer lies and what an example costs with it."""
    pairs = [
        (linearise(row, config.format), target_text(row, config.format))
        for row in read_rows(config).take(500)
    ]
    means = [
        sum(map(len, tokenizer(list(side))["input_ids"])) / len(side)
        for side in zip(*pairs, strict=True)
    ]
    print(f"tokenizer   {config.out}")
    print(f"vocabulary  {len(tokenizer):,}")
    if means:
        print(f"an example  {means[0]:.1f} symbols of input, {means[1]:.1f} of target")


if __name__ == "__main__":
    run_program(main)
