"""Score predictions: exact match and BLEU for code, precision and recall for API sequences.

python recipes/score.py --predictions predictions.jsonl --data juice --split dev --task code \
    --out scores.json
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import evaluate
from rich.console import Console
from rich.table import Table

from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.errors import UserError, run_program
from nl2code.jsonl import write_json
from nl2code.metrics.api import api_signature
from nl2code.metrics.exact_match import exact_match_signature
from nl2code.outputs import check_file
from nl2code.predictions import answers_to, digest_of, references, task_of

METRICS = Path(__file__).resolve().parents[1] / "metrics"
MODULES = {
    "code": ("exact_match_code", "bleu_tokens"),
    "api": ("exact_match_code", "api_sequence"),
}


@dataclass(frozen=True)
class ScoreConfig:
    """Score predictions."""

    predictions: Path
    """JSON Lines: {"id", "prediction"}, whitespace-joined tokens, in any order."""
    out: Path = Path("scores.json")
    """The scores with their signatures; the resolved config goes beside them: OUT.config.yaml."""
    data: str = "juice"
    """The built folder, or a dataset's name."""
    split: str = "dev"
    """The split that the predictions answer."""
    task: Literal["code", "api"] = "code"
    """Full code, or the API sequence."""
    allow_missing: bool = False
    """Score ids without a prediction as empty ones, instead of refusing."""
    overwrite: bool = False
    """Replace the scores when the file exists."""


def main() -> None:
    """Read, check, score, print, write."""
    config = read_config(ScoreConfig, description=__doc__)
    check_file(config.out, config.overwrite, predictions=config.predictions)
    if task_of(config.predictions) not in (None, config.task):
        answered = task_of(config.predictions)
        raise UserError(f"--task {config.task}: {config.predictions} answers the task {answered}")
    beside = config_beside(config.out, config)
    gold = references(read_split(config.data, config.split), config.task, config.data)
    answers, missing = answers_to(gold, config.predictions, allow_missing=config.allow_missing)
    digest = digest_of(config.data, gold)
    place = f"task:{config.task}|split:{config.split}|rows:{len(gold)}|data:{digest}"
    figures = compute(config.task, answers, list(gold.values()))
    scores = {
        name: {"value": value, "signature": f"{signature}|{place}"}
        for name, (value, signature) in figures.items()
    }
    report = {
        "task": config.task,
        "split": config.split,
        "rows": len(gold),
        "missing": len(missing),
        "data": config.data,
        "dataset_digest": digest,
        "predictions": str(config.predictions),
        "scores": scores,
    }
    write_json(config.out, report)
    save_config(config, beside)
    show(report, config.out)


def compute(task: str, answers: Sequence[str], gold: Sequence[str]) -> dict[str, tuple[float, str]]:
    """Each figure, a fraction, with its scorer's signature."""
    values: dict[str, Any] = {}
    for name in MODULES[task]:
        metric = evaluate.load(str(METRICS / name), keep_in_memory=True)
        values |= metric.compute(predictions=answers, references=gold)
    bleu = str(values.pop("signature", "")).split(" ")
    signatures = {
        "exact_match": exact_match_signature(),
        "bleu_nltk3": bleu[0],
        "bleu_sacre": bleu[-1],
        "precision": api_signature("precision"),
        "recall": api_signature("recall"),
    }
    return {name: (value, signatures[name]) for name, value in values.items()}


def show(report: dict[str, Any], out: Path) -> None:
    """Print the figures as percentages, and below them the signature that belongs to each."""
    title = f"{report['predictions']}: {report['task']}, {report['split']}, {report['rows']} rows"
    table = Table("metric", "score")
    for name, score in report["scores"].items():
        table.add_row(name, f"{100 * score['value']:.2f}")
    Console().print(title, table, sep="\n", soft_wrap=True, markup=False, highlight=False)
    for name, score in report["scores"].items():
        print(f"{name}: {score['signature']}")  # whole, to be copied
    if report["missing"]:
        print(f"{report['missing']} ids had no prediction and were scored as empty.")
    print(f"Written to {out}")


if __name__ == "__main__":
    run_program(main)
