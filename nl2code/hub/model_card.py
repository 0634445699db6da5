"""The model card of a submission: its figures, their signatures, what differs from the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

Row = tuple[str, str, str]

PAPER_EXAMPLES = {"dev": 1744, "test": 1981}
PAPER_INPUT = {
    "context_tokens": ("tokens read of each context cell", 75),
    "cut_target_nl": ("target NL cut as well", False),
    "target_comments_in_input": ("the target's own comments in the input", False),
    "scheme": ("token scheme", "juice"),
}
PAPER_MODELS: dict[str, dict[str, float]] = {
    "juice-lstm": {
        "embedding_size": 1024,
        "hidden_size": 1024,
        "layers": 2,
        "dropout": 0.5,
        "input_feeding": True,
    },
    "marian": {
        "d_model": 512,
        "encoder_layers": 6,
        "decoder_layers": 6,
        "encoder_attention_heads": 4,
        "encoder_ffn_dim": 1024,
    },
}
NAMES = {
    "exact_match": ("exact_match", "Exact match"),
    "bleu_nltk3": ("bleu", "BLEU (NLTK, smoothing 3)"),
    "bleu_sacre": ("sacrebleu", "BLEU (sacreBLEU, tokenize=none)"),
    "precision": ("precision", "API precision"),
    "recall": ("recall", "API recall"),
}
TITLES = {"code": "Full code", "api": "API sequence"}


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
    figures = [
        (NAMES[name][1], f"{100 * score['value']:.2f}", f"`{score['signature']}`")
        for name, score in report["scores"].items()
    ]
    missing = report.get("missing", 0)
    note = f"\n{missing} examples had no prediction and count as empty.\n" if missing else ""
    if not submission.tied:
        note += "\nNothing but the submitter's word ties these scores to this model.\n"
    return f"""---
{_metadata(submission).to_yaml()}
---

# {submission.name}

A `{submission.model.get("model_type", "unknown")}` model that writes a notebook's next code cell
from the cells above, for JuICe ([Agashe et al., 2019](https://arxiv.org/abs/1910.02216)).

## Results

{TITLES[report["task"]]}, split {report["split"]} of `{submission.dataset_id}`,
{report["rows"]:,} examples, in per cent.

{_table(("metric", "score", "signature"), figures)}{note}
## What differs from the paper's set-up

{_table(("setting", "paper", "here"), differences(submission))}
Scores on other examples do not compare with the paper's Table 6.
"""


def _metadata(submission: Submission) -> ModelCardData:
    report = submission.report
    results = [
        EvalResult(
            task_type="text-generation",
            task_name=TITLES[report["task"]],
            dataset_type=submission.dataset_id,
            dataset_name="JuICe",
            dataset_split=report["split"],
            metric_type=NAMES[name][0],
            metric_name=NAMES[name][1],
            metric_value=round(100 * score["value"], 2),
        )
        for name, score in report["scores"].items()
    ]
    return ModelCardData(
        language=["en", "code"],
        license=submission.license,
        library_name="transformers",
        pipeline_tag="text-generation",
        tags=["code", "jupyter", "juice"],
        datasets=[submission.dataset_id],
        model_name=submission.name,
        eval_results=results,
    )


def differences(submission: Submission) -> Iterator[Row]:
    """Each setting that is not as in the paper: its name, the paper's value, ours."""
    report, model, shape = submission.report, submission.model, submission.input_format
    paper = PAPER_EXAMPLES[report["split"]]
    yield "data", "the authors' release", f"rebuilt, digest {report.get('dataset_digest')}"
    if report["rows"] != paper:
        yield f"examples in {report['split']}", f"{paper:,}", f"{report['rows']:,}"
    train = submission.run.get("data", {})
    if submission.run and train.get("train_examples") not in (100_000, 1_518_049):
        here = train.get("train_examples")
        yield "training examples", "100,000 or 1,518,049", f"{here:,}" if here else "all there are"
    if shape.get("context_cells", 3) not in (1, 3):
        yield "context cells (K)", "1 or 3", str(shape["context_cells"])
    for field, (name, value) in PAPER_INPUT.items():
        if shape.get(field, value) != value:
            yield name, str(value), str(shape[field])
    sizes = PAPER_MODELS.get(str(model.get("model_type")), {})
    if not sizes:
        yield "model", "LSTM or Transformer from scratch", str(model.get("model_type", "unknown"))
    for field, size in sizes.items():
        if field in model and model[field] != size:
            yield field.replace("_", " "), str(size), str(model[field])
    if model.get("vocab_size", 10_000) < 10_000:
        yield "vocabulary", "10,000 BPE merges", f"{model['vocab_size']:,} symbols"


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
