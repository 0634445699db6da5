"""The model card of a submission: its figures, their signatures, what differs from the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

from nl2code.hub.answering import answering, other_answers, other_words, words_read
from nl2code.hub.benchmarks import BENCHMARKS
from nl2code.hub.papers import Paper
from nl2code.hub.scores import ranked

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
    answered: Mapping[str, Any] = field(default_factory=dict)
    """The config beside the predictions, which says that this model made them; or nothing."""
    dataset_config: str | None = None
    """The configuration of the dataset, where it is known."""


def model_card(submission: Submission) -> str:
    """README.md: the YAML with the model-index, and the text."""
    report = submission.report
    benchmark = BENCHMARKS[report["task"]]
    missing = report.get("missing", 0)
    note = f"\n{missing} examples had no prediction and count as empty.\n" if missing else ""
    answers = answering(submission.answered, submission.name, submission.dataset_id)
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
## How the answers were made

{words_read(submission.input_format)}{answers}
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
    table = _table(("metric", *parts, "signature"), rows)
    if not firm:
        return table
    leaking = report["rows"] - firm["rows"]
    return f"{table}\n{leaking} examples share their normalised NL with train: they leak.\n"


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
    yield from paper.always
    for name, (title, values) in paper.shape.items():
        if submission.input_format.get(name, values[0]) not in values:
            yield title, " or ".join(map(str, values)), str(submission.input_format[name])
    yield from other_words(submission.input_format)
    yield from _other_model(submission.model, paper)
    yield from _other_training(submission.run, paper)
    yield from other_answers(submission.answered, submission.input_format, paper)


def _other_data(submission: Submission, paper: Paper) -> Iterator[Row]:
    report = submission.report
    theirs, ours = paper.data
    ours = paper.configs.get(str(submission.dataset_config), ours)
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
    for name, size in sizes.items():
        if name in model and model[name] != size:
            yield name.replace("_", " "), str(size), str(model[name])
    if model.get("vocab_size", paper.merges) < paper.merges:
        yield "vocabulary", f"{paper.merges:,} BPE merges", f"{model['vocab_size']:,} symbols"


def _other_training(run: Mapping[str, Any], paper: Paper) -> Iterator[Row]:
    for place, (title, value) in paper.training.items():
        section, name = place.split(".")
        here = run.get(section, {}).get(name, value)
        if here != value:
            yield title, str(value), str(here)
    if run:
        yield from paper.ours


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
