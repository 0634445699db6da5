r"""Score predictions of code, of API sequences (JuICe) and of Bash commands (NL2Bash).

python recipes/score.py --predictions predictions.jsonl --data juice --split dev --task code \
    --out scores.json
python recipes/score.py --predictions predictions.jsonl --data nl2bash --split test --task bash \
    --judgements manual_judgements --out scores.json
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import evaluate
import orjson
from rich.console import Console
from rich.table import Table

from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.errors import UserError, run_program
from nl2code.instances import COLUMNS, Instance, instances
from nl2code.jsonl import write_json
from nl2code.metrics.api import api_signature
from nl2code.metrics.exact_match import exact_match_signature
from nl2code.metrics.judgements import Judgement, judged_accuracy, read_folder
from nl2code.outputs import check_file
from nl2code.predictions import (
    answers_to,
    columns_of,
    digest_of,
    ranked_answers,
    references,
    task_of,
)
from nl2code.records import Prediction

METRICS = Path(__file__).resolve().parents[1] / "metrics"
MODULES = {
    "code": ("exact_match_code", "bleu_tokens"),
    "api": ("exact_match_code", "api_sequence"),
    "bash": ("command_match", "template_match", "char_bleu", "tm", "nlc2cmd"),
}
KS = (1, 3)
"""How many candidates may be right (NL2Bash, section 6)."""


@dataclass(frozen=True)
class ScoreConfig:
    """Score predictions."""

    predictions: Path
    """JSON Lines: {"id", "prediction", "candidates"?}, in any order: whitespace-joined tokens, or
    commands as written, whose candidates (best first) count too."""
    out: Path = Path("scores.json")
    """The scores with their signatures; the resolved config goes beside them: OUT.config.yaml."""
    data: str = "juice"
    """The built folder, or a dataset's name."""
    split: str = "dev"
    """The split that the predictions answer."""
    task: Literal["code", "api", "bash"] = "code"
    """Full code, or the API sequence: exact match, and BLEU or precision and recall; bash for
    NL2Bash: command and template match, character BLEU, TM and NLC2CMD, at k = 1 and 3."""
    judgements: Path | None = None
    """Of Bash: a folder of people's judgements (*evaluations*.csv), to look predictions up in."""
    allow_missing: bool = False
    """Score ids without a prediction as empty ones, instead of refusing."""
    overwrite: bool = False
    """Replace the scores when the file exists."""


def main() -> None:
    """Read, check, score, print, write."""
    config = read_config(ScoreConfig, description=__doc__)
    check(config)
    beside = config_beside(config.out, config)
    rows = read_split(config.data, config.split)
    gold = references(rows, config.task, config.data)
    is_bash = config.task == "bash"
    asked = instances(columns_of(rows, COLUMNS, config.data)) if is_bash else []
    ids = [one.id for one in asked] or list(gold)
    answers, missing = answers_to(
        ids, config.predictions, allow_missing=config.allow_missing, known=gold
    )
    judged = read_folder(config.judgements) if config.judgements else []
    digest = digest_of(config.data, gold)
    report = {
        "task": config.task,
        "split": config.split,
        "rows": len(ids),
        "missing": len(missing),
        "data": config.data,
        "dataset_digest": digest,
        "predictions": str(config.predictions),
    }
    place = f"task:{config.task}|split:{config.split}|rows:{{}}|data:{digest}"
    if is_bash:
        report |= score_bash(answers, asked, judged, place)
    else:
        texts = [one.prediction for one in answers]
        figures = compute(config.task, texts, list(gold.values()))
        report["scores"] = placed(figures, place.format(len(ids)))
    write_json(config.out, report)
    save_config(config, beside)
    show(report, config.out)


def check(config: ScoreConfig) -> None:
    """Refuse what does not fit together."""
    check_file(config.out, config.overwrite, predictions=config.predictions)
    answered = task_of(config.predictions)
    if answered not in (None, config.task):
        raise UserError(f"--task {config.task}: {config.predictions} answers the task {answered}")
    if config.judgements and config.task != "bash":
        raise UserError(f"--judgements {config.judgements}: is for --task bash, not {config.task}")


def placed(figures: Mapping[str, tuple[float, str]], place: str) -> dict[str, dict[str, Any]]:
    """Each figure with its scorer's signature and that of the data."""
    return {
        name: {"value": value, "signature": f"{signature}|{place}"}
        for name, (value, signature) in figures.items()
    }


def compute(task: str, answers: Sequence[str], gold: Sequence[str]) -> dict[str, tuple[float, str]]:
    """Each figure, a fraction, with its scorer's signature."""
    values: dict[str, Any] = {}
    for name in MODULES[task]:
        values |= module(name).compute(predictions=answers, references=gold)
    bleu = str(values.pop("signature", "")).split(" ")
    signatures = {
        "exact_match": exact_match_signature(),
        "bleu_nltk3": bleu[0],
        "bleu_sacre": bleu[-1],
        "precision": api_signature("precision"),
        "recall": api_signature("recall"),
    }
    return {name: (value, signatures[name]) for name, value in values.items()}


def module(name: str) -> Any:
    """The evaluate module of that name, found from any folder."""
    return evaluate.load(str(METRICS / name), keep_in_memory=True)


def score_bash(
    answers: Sequence[Prediction], asked: Sequence[Instance], judged: list[Judgement], place: str
) -> dict[str, Any]:
    """The figures of all instances, and of those that do not leak where some do."""
    report: dict[str, Any] = {
        "pairs": pairs_of(asked),
        "scores": bash_figures(answers, asked, judged, place.format(len(asked))),
    }
    kept = [nth for nth, one in enumerate(asked) if not one.leaks]
    if 0 < len(kept) < len(asked):
        answers, asked = [answers[nth] for nth in kept], [asked[nth] for nth in kept]
        report["without_leaks"] = {
            "rows": len(asked),
            "pairs": pairs_of(asked),
            "scores": bash_figures(
                answers, asked, judged, place.format(f"{len(asked)}|leaks:without")
            ),
        }
    return report


def pairs_of(asked: Iterable[Instance]) -> int:
    """How many pairs of the split the instances stand for."""
    return sum(len(one.references) for one in asked)


def bash_figures(
    answers: Sequence[Prediction], asked: Sequence[Instance], judged: list[Judgement], place: str
) -> dict[str, dict[str, Any]]:
    """Each figure at each k, over all references; what was judged, with the share that was not."""
    candidates = [ranked_answers(one) for one in answers]
    gold = [list(one.references) for one in asked]
    figures = {}
    for name in MODULES["bash"]:
        for k in KS:
            values = module(name).compute(predictions=candidates, references=gold, k=k)
            figures[f"{name}@{k}"] = (values[name], values["signature"])
    scores = placed(figures, place)
    if judged:
        scores |= look_up(candidates, [one.nl for one in asked], judged, place)
    return scores


def look_up(
    candidates: Sequence[Sequence[str]], nl: Sequence[str], judged: list[Judgement], place: str
) -> dict[str, dict[str, Any]]:
    """What people judged correct, full command and template, and the share that nobody judged."""
    digest = hashlib.sha256(orjson.dumps(judged)).hexdigest()[:16]
    both = [judged_accuracy(candidates, nl, judged, k) for k in KS]
    found = [(k, score.full) for k, score in zip(KS, both, strict=True)]
    found += [(k, score.template) for k, score in zip(KS, both, strict=True)]
    return {
        f"{score.name}@{k}": {
            "value": score.value,
            "signature": f"{score.signature}|judgements:{digest}|{place}",
            "unjudged_share": score.counts["unjudged_share"],
        }
        for k, score in found
    }


def show(report: dict[str, Any], out: Path) -> None:
    """Print the figures as percentages, and below them the signature that belongs to each."""
    title = f"{report['predictions']}: {report['task']}, {report['split']}, {report['rows']} rows"
    parts = {"score": report["scores"]}
    if firm := report.get("without_leaks"):
        parts[f"{firm['rows']} rows without leaks"] = firm["scores"]
    table = Table("metric", *parts)
    for name in report["scores"]:
        table.add_row(name, *(f"{100 * scores[name]['value']:.2f}" for scores in parts.values()))
    Console().print(title, table, sep="\n", soft_wrap=True, markup=False, highlight=False)
    for scores in parts.values():
        for name, score in scores.items():
            print(f"{name}: {score['signature']}")  # whole, to be copied
    for name, score in report["scores"].items():
        if "unjudged_share" in score:
            print(
                f"{name} is a lower bound, not the manual accuracy: nobody judged"
                f" {score['unjudged_share']:.1%} of the candidates."
            )
    if report["missing"]:
        print(f"{report['missing']} ids had no prediction and were scored as empty.")
    print(f"Written to {out}")


if __name__ == "__main__":
    run_program(main)
