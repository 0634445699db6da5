"""What `scores.json` must hold: figures that can be, each with the signature that it must have."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import zip_longest
from typing import Any, TypeGuard

from nl2code.errors import UserError
from nl2code.hub.benchmarks import BENCHMARKS, Metric


def check_scores(report: Mapping[str, Any], place: str, task: str, split: str) -> None:
    """Refuse a `scores.json` of another task or split, or whose figures or signatures cannot be."""
    for field, wanted in (("task", task), ("split", split)):
        given = report.get(field)
        if given != wanted:
            raise UserError(f"{place}: the field {field!r} is {given!r}, not {wanted!r}")
    if not isinstance(report.get("dataset_digest"), str):
        given = report.get("dataset_digest")
        raise UserError(f"{place}: the field 'dataset_digest' is {given!r}, no string")
    if type(report.get("missing", 0)) is not int:
        raise UserError(f"{place}: the field 'missing' is {report['missing']!r}, no number")
    _check_part(report, report, place)
    if "without_leaks" in report:
        part = report["without_leaks"]
        _check_part(part if isinstance(part, dict) else {}, report, place, "without_leaks.")


def _check_part(
    part: Mapping[str, Any], report: Mapping[str, Any], place: str, within: str = ""
) -> None:
    task = report["task"]
    for field in dict.fromkeys(("rows", BENCHMARKS[task].paper.counted)):
        if not isinstance(part.get(field), int):
            given = part.get(field)
            raise UserError(f"{place}: the field '{within}{field}' is {given!r}, no number")
    metrics = BENCHMARKS[task].metrics[task]
    scores = part.get("scores")
    if not isinstance(scores, dict) or ranked(scores).keys() != metrics.keys():
        raise UserError(f"{place}: the field '{within}scores' must hold {', '.join(metrics)}")
    leaks = "|leaks:without" if within else ""
    data = report["dataset_digest"]
    facts = f"task:{task}|split:{report['split']}|rows:{part['rows']}{leaks}|data:{data}"
    for name, score in ranked(scores).items():
        where = f"{place}: {within}scores.{name}"
        _check_value(score, where, metrics[name])
        _check_signature(score, where, f"{_signatures(task)[name]}|{facts}")


def ranked(scores: Mapping[str, Any]) -> dict[str, Any]:
    """The figures but for those that were looked up in judgements: lower bounds have no rank."""
    return {
        name: score
        for name, score in scores.items()
        if not (isinstance(score, dict) and "unjudged_share" in score)
    }


def _check_value(score: object, place: str, metric: Metric) -> None:
    value = score.get("value") if isinstance(score, dict) else score
    if not is_number(value) or not metric.least <= value <= 1:
        raise UserError(f"{place}.value is {value!r}, no fraction from {metric.least} to 1")
    if not isinstance(score, dict) or not isinstance(score.get("signature"), str):
        raise UserError(f"{place}.signature is missing")


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a number that counts or measures something."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_signature(score: Mapping[str, Any], place: str, wanted: str) -> None:
    # How many references there are depends on the rows.
    fields = [re.sub(r"\|nrefs:\w+", "", text).split("|") for text in (score["signature"], wanted)]
    for had, want in zip_longest(*fields, fillvalue="nothing"):
        if had != want:
            raise UserError(
                f"{place}.signature says {had!r} in the place of {want!r};"
                " recipes/score.py scores again"
            )


@lru_cache
def _signatures(task: str) -> Mapping[str, str]:
    """What a scorer here and now signs each figure of the task with, the data aside."""
    return _of_bash() if task == "bash" else _of_tokens()


# The scorers' libraries take a second to load, and who builds or pushes a dataset needs none.
def _of_bash() -> dict[str, str]:
    from nl2code.metrics import bash

    scorers = (bash.command_match, bash.template_match, bash.char_bleu, bash.tm, bash.nlc2cmd)
    found = [(k, scorer([["pwd"]], [["pwd"]], k)) for scorer in scorers for k in (1, 3)]
    return {f"{score.name}@{k}": score.signature for k, score in found}


def _of_tokens() -> dict[str, str]:
    from nl2code.metrics.api import api_signature
    from nl2code.metrics.bleu import bleu_nltk3, bleu_sacre
    from nl2code.metrics.exact_match import exact_match

    own = {name: api_signature(name) for name in ("precision", "recall")}
    made = [scorer(["x"], ["x"]) for scorer in (exact_match, bleu_nltk3, bleu_sacre)]
    return own | {score.name: score.signature for score in made}
