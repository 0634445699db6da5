"""`.eval_results/juice.yaml`, checked by ourselves, and the pull request that brings it.

The Hub's own check lets a string pass for a value, and reads an unquoted date as no string.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeGuard

import yaml
from huggingface_hub import (
    EvalResultEntry,
    HfApi,
    eval_result_entries_to_yaml,
    parse_eval_result_entries,
)

from nl2code.errors import UserError

RESULTS_FILE = ".eval_results/juice.yaml"
METRICS = {
    "code": ("exact_match", "bleu_nltk3", "bleu_sacre"),
    "api": ("exact_match", "precision", "recall"),
}


@dataclass(frozen=True, slots=True)
class Task:
    """A leaderboard of the benchmark: one figure of one task on one split."""

    task: str
    metric: str
    split: str

    @property
    def id(self) -> str:
        """Its name in eval.yaml."""
        return f"{self.task}_{self.metric}_{self.split}"


TASKS = {
    task.id: task
    for split in ("test", "dev")
    for name, metrics in METRICS.items()
    for task in (Task(name, metric, split) for metric in metrics)
}


def check_scores(report: Mapping[str, Any], place: str, task: str, split: str) -> None:
    """Refuse a `scores.json` that is of another task or split, or whose figures cannot be."""
    for field, wanted in (("task", task), ("split", split)):
        given = report.get(field)
        if given != wanted:
            raise UserError(f"{place}: the field {field!r} is {given!r}, not {wanted!r}")
    if not isinstance(report.get("rows"), int):
        raise UserError(f"{place}: the field 'rows' is {report.get('rows')!r}, no number")
    scores = report.get("scores")
    if not isinstance(scores, dict) or set(scores) != set(METRICS[task]):
        raise UserError(f"{place}: the field 'scores' must hold {', '.join(METRICS[task])}")
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        if not _is_number(value) or not 0 <= value <= 1:
            raise UserError(f"{place}: scores.{name}.value is {value!r}, no fraction from 0 to 1")
        if not isinstance(score.get("signature"), str):
            raise UserError(f"{place}: scores.{name}.signature is missing")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def results_yaml(
    report: Mapping[str, Any], dataset_id: str, date: str, source_url: str | None = None
) -> str:
    """The text of `.eval_results/juice.yaml` for a checked `scores.json`: percentages."""
    entries = [
        EvalResultEntry(
            dataset_id=dataset_id,
            task_id=Task(report["task"], name, report["split"]).id,
            value=round(100 * score["value"], 2),
            date=date,
            source_url=source_url,
            source_name="Scores" if source_url else None,
            notes=score["signature"],
        )
        for name, score in report["scores"].items()
    ]
    text = _dump(eval_result_entries_to_yaml(entries))
    read_results(text, RESULTS_FILE)
    return text


def read_results(text: str, place: str) -> list[EvalResultEntry]:
    """The entries of a results file.

    Raises:
        UserError: The Hub would take it for something else, or show it wrongly.
    """
    try:
        entries = parse_eval_result_entries(yaml.safe_load(text))
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{place}: no list of results: {error!r}") from None
    for number, entry in enumerate(entries, 1):
        _check_entry(entry, f"{place}, result {number}")
    return entries


def _check_entry(entry: EvalResultEntry, place: str) -> None:
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", str(entry.dataset_id)):
        raise UserError(f"{place}: dataset.id is {entry.dataset_id!r}, not ORGANISATION/NAME")
    if entry.task_id not in TASKS:
        raise UserError(f"{place}: dataset.task_id is {entry.task_id!r}, no task of the benchmark")
    if not _is_number(entry.value) or not 0 <= entry.value <= 100:
        raise UserError(f"{place}: value is {entry.value!r}, no percentage")
    if entry.date is not None and not _is_date(entry.date):
        raise UserError(f"{place}: date is {entry.date!r}, no quoted ISO 8601 date")
    if entry.source_url is not None and not str(entry.source_url).startswith("https://"):
        raise UserError(f"{place}: source.url is {entry.source_url!r}, no https address")


def _is_date(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def benchmark_yaml() -> str:
    """The text of `eval.yaml`, for the root of the dataset repository: one leaderboard a task.

    The Hub wants a framework of its list and that framework's fields; `exact` is the nearest to
    ours there. The figures themselves come from recipes/score.py, as community results.
    """
    tasks = [_benchmark_task(task) for task in TASKS.values()]
    head = {
        "name": "JuICe",
        "description": "Generate a notebook's next code cell, or its API sequence, from the cells "
        "above. Results are percentages by recipes/score.py, with its signature in the notes.",
        "evaluation_framework": "inspect-ai",
    }

    return _dump(head | {"tasks": tasks})


def _benchmark_task(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "config": "default",
        "split": task.split,
        "field_spec": {"input": "nl_original", "target": "code"},
        "solvers": [{"name": "generate"}],
        "scorers": [{"name": "exact"}],
    }


def _dump(value: object) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, width=1000))


def push(api: HfApi, folder: Path, repo: str) -> str:
    """Open a pull request with the folder's files in the model repository; return its address."""
    read_results((folder / RESULTS_FILE).read_text(encoding="utf-8"), str(folder / RESULTS_FILE))
    commit = api.upload_folder(
        repo_id=repo,
        folder_path=folder,
        commit_message="Add results on JuICe",
        create_pr=True,
    )
    return str(commit.pr_url)
