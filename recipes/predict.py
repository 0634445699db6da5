r"""Write a trained model's predictions for one split.

    python recipes/predict.py --checkpoint runs/demo/best --data juice --split dev \
        --out runs/demo/predictions.jsonl

The checkpoint folder holds model, tokenizer and `juice_input.json`, as recipes/train.py leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from safetensors import SafetensorError
from tqdm import tqdm
from transformers import AutoModelForSeq2SeqLM, PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

import nl2code.models  # noqa: F401  registers the LSTM with the Auto classes
from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.encoding import cut
from nl2code.errors import UserError, run_program
from nl2code.jsonl import write_jsonl
from nl2code.linearisation import (
    InputFormat,
    in_normal_form,
    linearise,
    load_input_format,
    read_prediction,
    source_columns,
)
from nl2code.outputs import check_file
from nl2code.predictions import columns_of
from nl2code.python_code.layouts import parsing_first
from nl2code.tokenization import check_tokenizer, load_tokenizer


@dataclass(frozen=True)
class PredictConfig:
    """Write a trained model's predictions for one split."""

    checkpoint: Path
    """The folder of a trained model, its tokenizer and its input format."""
    data: str
    """The built dataset: a folder, or a name on the Hub."""
    out: Path
    """The predictions (JSON Lines). The resolved config goes beside them, as OUT.config.yaml."""
    split: str = "dev"
    """The split to predict."""
    num_beams: int = 5
    """Beam width; 1 is greedy."""
    max_new_tokens: int = 150
    """The longest prediction, in symbols of the BPE."""
    batch_tokens: int = 12_000
    """Input symbols a batch, padding and beams included."""
    candidates: int = 0
    """Also write so many of the beams, best first."""
    only_parsing: bool = False
    """Put the beams that parse first; where none does, the best one stays, and is counted."""
    limit: int | None = None
    """Predict only the first examples of the split."""
    longest_source: int | None = None
    """Cut the input to so many symbols; by default, what the tokenizer and the model allow."""
    overwrite: bool = False
    """Replace the predictions when the file exists."""


def main() -> None:
    """Load, encode, generate in batches of like lengths, write in the split's order."""
    config = read_config(PredictConfig, description=__doc__)
    check_options(config)
    beside = config_beside(config.out, config)
    disable_progress_bar()  # for the libraries' own bars; ours is below
    rows = read_split(config.data, config.split)
    rows = rows.select(range(min(len(rows), config.limit or len(rows))))
    fmt, tokenizer, model = load_checkpoint(config.checkpoint)
    if config.only_parsing and fmt.task == "api":
        raise UserError(
            f"--only_parsing: {config.checkpoint} writes API sequences, which no parser reads"
        )
    rows = columns_of(rows, ["id", *source_columns(fmt)], config.data)
    sources = encode(rows, fmt, tokenizer, longest_source(config, tokenizer, model))
    answers: list[list[str]] = [[] for _ in sources]
    none_parsed = 0
    with tqdm(total=len(sources), desc=f"predict {config.split}", disable=None) as bar:
        for batch in batches(sources, config.batch_tokens // config.num_beams):
            texts = generate(model, tokenizer, [sources[place] for place in batch], config)
            for place, candidates in zip(batch, texts, strict=True):
                answers[place] = [in_normal_form(read_prediction(text), fmt) for text in candidates]
                if config.only_parsing:
                    answers[place], unparsed = parsing_first(answers[place])
                    none_parsed += unparsed
            bar.update(len(batch))
    write_jsonl(config.out, lines(rows["id"], answers, config.candidates))
    save_config(config, beside)
    print(f"{len(answers):,} predictions for {config.split}: {config.out}")
    if config.only_parsing:
        print(f"{none_parsed:,} of them do not parse: none of {config.num_beams} beams did")


def check_options(config: PredictConfig) -> None:
    """Refuse at once what would fail after hours."""
    check_file(config.out, config.overwrite)
    for name in ("num_beams", "max_new_tokens", "batch_tokens", "limit", "longest_source"):
        value = getattr(config, name)
        if value is not None and value < 1:
            raise UserError(f"--{name} {value}: must be at least 1")
    if not 0 <= config.candidates <= config.num_beams:
        raise UserError(f"--candidates {config.candidates}: not between 0 and --num_beams")


def load_checkpoint(folder: Path) -> tuple[InputFormat, PreTrainedTokenizerFast, PreTrainedModel]:
    """The three things that a checkpoint is made of, checked against each other."""
    if not (folder / "config.json").is_file():
        raise UserError(
            f"--checkpoint {folder}: no trained model lies there (config.json is missing)"
        )
    fmt, tokenizer = load_input_format(folder), load_tokenizer(folder)
    try:
        model = AutoModelForSeq2SeqLM.from_pretrained(folder)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        cause = str(error).strip().partition("\n")[0]
        raise UserError(f"--checkpoint {folder}: the model cannot be loaded: {cause}") from None
    check_tokenizer(tokenizer, model.config)
    return fmt, tokenizer, model.to("cuda" if torch.cuda.is_available() else "cpu").eval()


def longest_source(
    config: PredictConfig, tokenizer: PreTrainedTokenizerFast, model: PreTrainedModel
) -> int:
    """How many input symbols all of option, tokenizer and model allow."""
    positions = getattr(model.config, "max_position_embeddings", None)
    limits = (config.longest_source, tokenizer.model_max_length, positions)
    return min(limit for limit in limits if limit)


def encode(
    rows: Dataset, fmt: InputFormat, tokenizer: PreTrainedTokenizerFast, longest: int
) -> list[list[int]]:
    """The input ids of each row; a cut takes the farthest context and keeps the `</s>`."""
    # verbose=False: no warning of what is cut in the next line
    encoded = (tokenizer(linearise(row, fmt), verbose=False)["input_ids"] for row in rows)
    return [cut(ids, longest) for ids in encoded]


def batches(sources: list[list[int]], budget: int) -> Iterator[list[int]]:
    """Places of sources of like lengths, the longest first: what will not fit fails at once.

    >>> list(batches([[1], [1, 1, 1], [1, 1]], budget=4))
    [[1], [2, 0]]
    """
    batch: list[int] = []
    for place in sorted(range(len(sources)), key=lambda place: -len(sources[place])):
        if batch and (len(batch) + 1) * len(sources[batch[0]]) > budget:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


@torch.inference_mode()
def generate(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    sources: list[list[int]],
    config: PredictConfig,
) -> list[list[str]]:
    """The texts of the best beams of each source, best first."""
    kept = config.num_beams if config.only_parsing else max(1, config.candidates)
    inputs = tokenizer.pad({"input_ids": sources}, return_tensors="pt").to(model.device)
    ids = model.generate(
        **inputs,  # (batch, source)
        num_beams=config.num_beams,
        num_return_sequences=kept,
        max_new_tokens=config.max_new_tokens,
        do_sample=False,
    )  # (batch * kept, target)
    texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
    return [texts[start : start + kept] for start in range(0, len(texts), kept)]


def lines(ids: list[str], answers: list[list[str]], candidates: int) -> Iterator[dict[str, Any]]:
    """The lines of predictions.jsonl."""
    for name, texts in zip(ids, answers, strict=True):
        line: dict[str, Any] = {"id": name, "prediction": texts[0]}
        yield {**line, "candidates": texts[:candidates]} if candidates else line


if __name__ == "__main__":
    run_program(main)
