"""The model card of a submission: its figures, their signatures, what differs from the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

from nl2code.hub.benchmarks import BENCHMARKS
from nl2code.hub.papers import Paper
from nl2code.hub.results import ranked

Row = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Submission:
    """What a card tells of: a checked `scores.json` and what lies beside the weights."""

    name: str
    dataset_id: str
    report: Mapping[str, Any]
    model: Mapping[str, Any]
    """config.json."""
    input_format: Mapping[str, Any]
    """juice_input.json; empty for a model that our training did not make."""
    run: Mapping[str, Any]
    """The training run's config.yaml, or nothing."""
    license: str | None = None
    tied: bool = True
    """Whether the config beside the predictions says that this model made them."""


def model_card(submission: Submission) -> str:
    """README.md: the YAML with the model-index, and the text."""
    report = submission.report
    benchmark = BENCHMARKS[report["task"]]
    missing = report.get("missing", 0)
    note = f"\n{missing} examples had no prediction and count as empty.\n" if missing else ""
    if not submission.tied:
        note += "\nNothing but the submitter's word ties these scores to this model.\n"
    return f"""---
{_metadata(submission).to_yaml()}
---

# {submission.name}

A `{submission.model.get("model_type", "unknown")}` model that {benchmark.paper.task},
for {benchmark.name} ({benchmark.paper.link}).

## Results

{benchmark.titles[report["task"]]}, split {report["split"]} of `{submission.dataset_id}`,
{report["rows"]:,} examples, in per cent.

{_results(report)}{note}
## What differs from the paper's set-up

{_table(("setting", "paper", "here"), differences(submission))}
{benchmark.paper.closing}
"""


def _results(report: Mapping[str, Any]) -> str:
    """A line a metric; where examples leak from train, one column without them (NL2Bash)."""
    metrics = BENCHMARKS[report["task"]].metrics[report["task"]]
    parts = {"score": report["scores"]}
    if firm := report.get("without_leaks"):
        parts[f"the {firm['rows']:,} without leaks"] = firm["scores"]
    rows = [
        (
            metrics[name].title,
            *(f"{100 * scores[name]['value']:.2f}" for scores in parts.values()),
            f"`{score['signature']}`",
        )
        for name, score in ranked(report["scores"]).items()
    ]
    return _table(("metric", *parts, "signature"), rows)


def _metadata(submission: Submission) -> ModelCardData:
    report = submission.report
    benchmark = BENCHMARKS[report["task"]]
    metrics = benchmark.metrics[report["task"]]
    results = [
        EvalResult(
            task_type="text-generation",
            task_name=benchmark.titles[report["task"]],
            dataset_type=submission.dataset_id,
            dataset_name=benchmark.name,
            dataset_split=report["split"],
            metric_type=metrics[name].type,
            metric_name=metrics[name].title,
            metric_value=round(100 * score["value"], 2),
        )
        for name, score in ranked(report["scores"]).items()
    ]
    return ModelCardData(
        language=["en", "code"],
        license=submission.license,
        library_name="transformers",
        pipeline_tag="text-generation",
        tags=["code", *benchmark.tags],
        datasets=[submission.dataset_id],
        model_name=submission.name,
        eval_results=results,
    )


def differences(submission: Submission) -> Iterator[Row]:
    """Each setting that is not as in the paper: its name, the paper's value, ours."""
    paper = BENCHMARKS[submission.report["task"]].paper
    yield from _other_data(submission, paper)
    for field, (name, values) in paper.shape.items():
        if submission.input_format.get(field, values[0]) not in values:
            yield name, " or ".join(map(str, values)), str(submission.input_format[field])
    yield from _other_model(submission.model, paper)


def _other_data(submission: Submission, paper: Paper) -> Iterator[Row]:
    report = submission.report
    theirs, ours = paper.data
    yield "data", theirs, f"{ours}digest {report.get('dataset_digest')}"
    count, usual = report[paper.counted], paper.examples[report["split"]]
    if count != usual:
        what = "examples" if paper.counted == "rows" else paper.counted
        yield f"{what} in {report['split']}", f"{usual:,}", f"{count:,}"
    here = submission.run.get("data", {}).get("train_examples")
    if submission.run and here not in paper.train_examples:
        sizes = " or ".join(f"{size:,}" for size in paper.train_examples if size)
        yield "training examples", sizes, f"{here:,}" if here else "all there are"


def _other_model(model: Mapping[str, Any], paper: Paper) -> Iterator[Row]:
    sizes = paper.models.get(str(model.get("model_type")), {})
    if not sizes:
        yield "model", paper.model, str(model.get("model_type", "unknown"))
    for field, size in sizes.items():
        if field in model and model[field] != size:
            yield field.replace("_", " "), str(size), str(model[field])
    if model.get("vocab_size", paper.merges) < paper.merges:
        yield "vocabulary", f"{paper.merges:,} BPE merges", f"{model['vocab_size']:,} symbols"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    r"""A markdown table; a pipe in a cell would end it.

    >>> print(_table(("a", "b"), [("1", "x|y")]), end="")
    | a | b |
    | --- | --- |
    | 1 | x\|y |
    """
    lines = [head, ("---",) * len(head)]
    lines += [tuple(cell.replace("|", "\\|") for cell in row) for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
