r"""Predict by retrieval (paper §6): what answers the most similar NL, in train or further above.

python recipes/retrieve.py --method ret-train --data juice --split dev --out ret-train.jsonl
python recipes/retrieve.py --method ret-context --context_cells 12 --data juice --split dev \
    --out ret-context.jsonl
python recipes/retrieve.py --method ret-train --data nl2bash --split test --task bash \
    --out ret-train-bash.jsonl
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import datasets
from sklearn.feature_extraction.text import TfidfVectorizer
from tqdm import tqdm

from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.errors import UserError, run_program
from nl2code.given_code import given_code
from nl2code.jsonl import write_jsonl
from nl2code.outputs import check_file
from nl2code.predictions import NL_COLUMNS, REFERENCE_COLUMNS, columns_of, reference_text
from nl2code.retrieval import ANSWERS, answer_from_context, fit_tfidf, most_similar, vectorize


@dataclass(frozen=True)
class RetrieveConfig:
    """Predict by retrieval."""

    method: Literal["ret-train", "ret-context"]
    """Where to look: in the training examples, or in the cells above in the same notebook."""
    out: Path
    """The predictions (JSON Lines). The resolved config goes beside them, as OUT.config.yaml."""
    data: str = "juice"
    """The built folder, or a dataset's name."""
    split: str = "dev"
    """The split to answer."""
    task: Literal["code", "api", "bash"] = "code"
    """Full code, or the API sequence; bash for the commands of NL2Bash."""
    train_examples: int | None = None
    """Take that many training examples, the same as train.py takes; null for all."""
    seed: int = 1
    """Decides which training examples are taken; the default is that of train.py."""
    context_cells: int | None = None
    """Look at that many cells above (the authors' data keep 12); null for all."""
    fill_in: bool = False
    """Ret-Context: of a retrieved function take what stands in it, where the row's given code
    (`boilerplate_code`) is a function to fill in."""
    overwrite: bool = False
    """Replace the predictions when the file exists."""


def main() -> None:
    """Read, retrieve, write."""
    config = read_config(RetrieveConfig, description=__doc__)
    check(config)
    beside = config_beside(config.out, config)
    rows = read_split(config.data, config.split)
    train = training_rows(config)
    vectorizer = fit_tfidf(train[NL_COLUMNS[config.task]])
    method = {"ret-train": from_train, "ret-context": from_context}[config.method]
    answers = method(config, rows, train, vectorizer)
    write_jsonl(config.out, tqdm(answers, total=rows.num_rows, disable=None))
    save_config(config, beside)
    print(f"{config.out}: {rows.num_rows} predictions by {config.method} for {config.split}")
    if config.fill_in:
        functions = sum(bool(given_code(text).function) for text in rows["boilerplate_code"])
        print(f"{functions} of them are for a function that is given")


def check(config: RetrieveConfig) -> None:
    """Refuse what can only end badly, before an hour of work."""
    check_file(config.out, config.overwrite)
    if config.task == "bash" and config.method == "ret-context":
        raise UserError("--method ret-context: no cells stand above a Bash command; take ret-train")
    if config.fill_in and (config.method, config.task) != ("ret-context", "code"):
        raise UserError("--fill_in: only for --method ret-context and --task code")
    for name in ("train_examples", "context_cells"):
        value = getattr(config, name)
        if value is not None and value < 1:
            raise UserError(f"--{name} {value}: at least 1 is needed, or null for all")


def training_rows(config: RetrieveConfig) -> datasets.Dataset:
    """The NL and the answers of the training examples."""
    train = read_split(config.data, "train")
    train = columns_of(
        train, ["id", NL_COLUMNS[config.task], REFERENCE_COLUMNS[config.task]], config.data
    )
    if config.train_examples is None:
        return train
    from nl2code.batches import nested_subset  # needs torch, which a retrieval over all does not

    return train.select(nested_subset(train["id"], config.train_examples, config.seed))


def from_train(
    config: RetrieveConfig,
    rows: datasets.Dataset,
    train: datasets.Dataset,
    vectorizer: TfidfVectorizer,
) -> Iterator[dict[str, Any]]:
    """Ret-Train."""
    nl, column = NL_COLUMNS[config.task], REFERENCE_COLUMNS[config.task]
    rows = columns_of(rows, ["id", nl], config.data)
    nearest = most_similar(vectorize(vectorizer, rows[nl]), vectorize(vectorizer, train[nl]))
    for name, index in zip(rows["id"], nearest, strict=True):
        yield {"id": name, "prediction": reference_text(train[int(index)][column])}


def from_context(
    config: RetrieveConfig,
    rows: datasets.Dataset,
    train: datasets.Dataset,
    vectorizer: TfidfVectorizer,
) -> Iterator[dict[str, Any]]:
    """Ret-Context; only the words' idf comes from train."""
    names = ["id", "nl", "nl_original", "context", *["boilerplate_code"] * config.fill_in]
    for row in columns_of(rows, names, config.data):
        fills = given_code(row["boilerplate_code"]).inside if config.fill_in else None
        answer = answer_from_context(
            row, vectorizer, fills or ANSWERS[config.task], config.context_cells
        )
        yield {"id": row["id"], "prediction": " ".join(answer)}


if __name__ == "__main__":
    run_program(main)
