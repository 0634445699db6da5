"""Learn the joint BPE over NL and code from the train split.

    python tokenizer/train.py --data juice --out tokenizer/juice-10k --merges 10000

The folder it writes loads with `AutoTokenizer.from_pretrained`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datasets import IterableDataset
from tqdm import tqdm
from transformers import PreTrainedTokenizerFast

from nl2code.config import read_config, save_config
from nl2code.dataset import read_split
from nl2code.errors import UserError, run_program
from nl2code.jsonl import writing
from nl2code.linearisation import InputFormat, linearise, source_columns, target_column, target_text
from nl2code.outputs import check_folder
from nl2code.predictions import columns_of
from nl2code.tokenization import save_tokenizer, train_tokenizer

FILES = ("tokenizer*.json", "special_tokens_map.json", "config.yaml")
"""What the folder holds."""


@dataclass(frozen=True)
class TokenizerConfig:
    """Learn the joint BPE over NL and code from the train split."""

    data: str
    """The built dataset: a folder, or a name on the Hub."""
    out: Path
    """The folder to write the tokenizer to."""
    merges: int = 10_000
    """How many merges to learn, at most; the paper's number."""
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
    if config.merges < 0:
        raise UserError(f"--merges {config.merges}: must not be negative")
    rows = read_rows(config)
    tokenizer = train_tokenizer(texts(rows, config.format), config.merges)
    with writing(config.out) as aside:
        save_tokenizer(tokenizer, aside)
        save_config(config, aside / "config.yaml")
    report(tokenizer, config)


def read_rows(config: TokenizerConfig) -> IterableDataset:
    """The rows of the train split, streamed, so that memory stays flat."""
    rows: IterableDataset = read_split(config.data, "train", streaming=True)
    rows = columns_of(
        rows, [*source_columns(config.format), target_column(config.format)], config.data
    )
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
