"""`.eval_results/*.yaml`, checked by ourselves, and the pull request that brings it.

The Hub's own check lets a string pass for a value, and reads an unquoted date as no string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import (
    EvalResultEntry,
    HfApi,
    eval_result_entries_to_yaml,
    parse_eval_result_entries,
)

from nl2code.errors import UserError
from nl2code.hub.benchmarks import (
    BENCHMARKS,
    JUICE,
    NL2BASH,
    Benchmark,
    Task,
    dump,
    tasks_of,
)
from nl2code.hub.scores import is_number, ranked

_METRICS = {
    task.id: BENCHMARKS[task.task].metrics[task.task][task.metric]
    for benchmark in (JUICE, NL2BASH)
    for task in tasks_of(benchmark)
}


def results_yaml(
    report: Mapping[str, Any], dataset_id: str, date: str, source_url: str | None = None
) -> str:
    """The text of the results file for a checked `scores.json`: percentages."""
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
        for name, score in ranked(report["scores"]).items()
    ]
    text = dump(eval_result_entries_to_yaml(entries))
    read_results(text, BENCHMARKS[report["task"]].results_file)
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
    metric = _METRICS.get(entry.task_id)
    if metric is None:
        raise UserError(f"{place}: dataset.task_id is {entry.task_id!r}, no task of a benchmark")
    if not is_number(entry.value) or not 100 * metric.least <= entry.value <= 100:
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


def push(api: HfApi, folder: Path, repo: str, benchmark: Benchmark) -> str:
    """Open a pull request with the folder's files in the model repository; return its address."""
    file = folder / benchmark.results_file
    read_results(file.read_text(encoding="utf-8"), str(file))
    commit = api.upload_folder(
        repo_id=repo,
        folder_path=folder,
        commit_message=f"Add results on {benchmark.name}",
        create_pr=True,
    )
    return str(commit.pr_url)
