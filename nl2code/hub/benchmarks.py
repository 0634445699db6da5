"""The benchmarks, their tasks and metrics, and `eval.yaml`, which makes a dataset one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from nl2code.hub.papers import JUICE_PAPER, NL2BASH_PAPER, Paper


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of scores.json, and what the Hub calls it."""

    type: str
    title: str
    least: int = 0
    """The worst score; 1 is the best of all."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A dataset with leaderboards."""

    name: str
    text: str
    """What there is to do."""
    config: str
    fields: Mapping[str, str]
    """The columns of input and target."""
    titles: Mapping[str, str]
    """Of each task."""
    metrics: Mapping[str, Mapping[str, Metric]]
    """By task and name."""
    tags: tuple[str, ...]
    paper: Paper

    @property
    def results_file(self) -> str:
        """Where the Hub looks for results in a model repository."""
        return f".eval_results/{self.name.lower()}.yaml"


@dataclass(frozen=True, slots=True)
class Task:
    """A leaderboard of a benchmark: one figure of one task on one split."""

    task: str
    metric: str
    split: str

    @property
    def id(self) -> str:
        """Its name in eval.yaml.

        >>> Task("bash", "tm@1", "test").id
        'bash_tm_at_1_test'
        """
        return f"{self.task}_{self.metric.replace('@', '_at_')}_{self.split}"


_EXACT = Metric("exact_match", "Exact match")
JUICE = Benchmark(
    name="JuICe",
    text="Generate a notebook's next code cell, or its API sequence, from the cells above.",
    config="default",
    fields={"input": "nl_original", "target": "code"},
    titles={"code": "Full code", "api": "API sequence"},
    metrics={
        "code": {
            "exact_match": _EXACT,
            "bleu_nltk3": Metric("bleu", "BLEU (NLTK, smoothing 3)"),
            "bleu_sacre": Metric("sacrebleu", "BLEU (sacreBLEU, tokenize=none)"),
        },
        "api": {
            "exact_match": _EXACT,
            "precision": Metric("precision", "API precision"),
            "recall": Metric("recall", "API recall"),
        },
    },
    tags=("jupyter", "juice"),
    paper=JUICE_PAPER,
)
_BASH = {
    "command_match": ("Exact match", 0),
    "template_match": ("Template match", 0),
    "char_bleu": ("Character BLEU", 0),
    "tm": ("TM", 0),
    "nlc2cmd": ("NLC2CMD", -1),
}
NL2BASH = Benchmark(
    name="NL2Bash",
    text="Write a Bash command from an English sentence; one prediction answers a normalised NL,"
    " against all its commands.",
    config="published",
    fields={"input": "nl", "target": "command"},
    titles={"bash": "Bash command"},
    metrics={
        "bash": {
            f"{name}@{k}": Metric(f"{name}@{k}", f"{title}, best of {k}" if k > 1 else title, least)
            for name, (title, least) in _BASH.items()
            for k in (1, 3)
        }
    },
    tags=("bash", "nl2bash"),
    paper=NL2BASH_PAPER,
)
BENCHMARKS = {task: one for one in (JUICE, NL2BASH) for task in one.titles}
"""The benchmark that each task belongs to."""


def tasks_of(benchmark: Benchmark) -> list[Task]:
    """Its leaderboards, those of test first."""
    return [
        Task(task, metric, split)
        for split in ("test", "dev")
        for task, metrics in benchmark.metrics.items()
        for metric in metrics
    ]


def benchmark_yaml(benchmark: Benchmark) -> str:
    """The text of `eval.yaml`, for the root of the dataset repository: one leaderboard a task.

    The Hub wants a framework of its list and that framework's fields; `exact` is the nearest to
    ours there. The figures themselves come from recipes/score.py, as community results.
    """
    head = {
        "name": benchmark.name,
        "description": f"{benchmark.text} Results are percentages by recipes/score.py, with its"
        " signature in the notes.",
        "evaluation_framework": "inspect-ai",
    }
    tasks = [_benchmark_task(benchmark, task) for task in tasks_of(benchmark)]
    return dump(head | {"tasks": tasks})


def _benchmark_task(benchmark: Benchmark, task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "config": benchmark.config,
        "split": task.split,
        "field_spec": dict(benchmark.fields),
        "solvers": [{"name": "generate"}],
        "scorers": [{"name": "exact"}],
    }


def dump(value: object) -> str:
    """YAML in the order given, a value a line."""
    return str(yaml.safe_dump(value, sort_keys=False, width=1000))
