"""OUT/report.md: what a run was and how it went, from the files in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nl2code.curves import draw_curves
from nl2code.jsonl import read_json, write_text
from nl2code.trackers import read_log

Rows = Sequence[Mapping[str, Any]]


def write_report(out: Path, results: str, metric: str = "dev_loss") -> None:
    """Write OUT/report.md and the curves that it shows.

    Args:
        out: The run's folder, with run.json, config.yaml, environment.json and log.jsonl.
        results: The run in one line.
        metric: What has decided which model is best.
    """
    rows = read_log(out / "log.jsonl")
    draw_curves(out / "curves.png", rows)
    config = (out / "config.yaml").read_text(encoding="utf-8")
    parts = [
        f"# {out.name}\n\n{results}\n",
        "![Loss, scores and learning rate over the updates](curves.png)\n",
        f"## Evaluations\n\n{_evaluations(rows, metric)}\n",
        *_answers(out),
        f"## Run\n\n{_pairs(read_json(out / 'run.json'))}\n",
        f"## Config\n\n```yaml\n{config}```\n",
        f"## Environment\n\n{_pairs(read_json(out / 'environment.json'))}\n",
    ]
    write_text(out / "report.md", "\n".join(parts))


def _evaluations(rows: Rows, metric: str) -> str:
    """A table of the evaluations, that of the best model in bold."""
    found = [row for row in rows if "dev_loss" in row]
    if not found:
        return "None."
    best = (min if metric == "dev_loss" else max)(found, key=lambda row: row[metric])
    scores = [name for name in found[0] if name not in ("step", "epoch", "seconds")]
    lines = []
    for row in found:
        cells = [str(row["step"]), str(row["epoch"]), f"{row['seconds'] / 60:.1f}"]
        cells += [f"{row[name]:.4f}" for name in scores]
        bold = "**" if row is best else ""
        lines.append([f"{bold}{cell}{bold}" for cell in cells])
    return _table(["update", "epoch", "minutes", *scores], lines)


def _answers(out: Path) -> list[str]:
    there = (out / "examples.md").is_file()
    return ["[The latest answers](examples.md) to examples of dev.\n"] if there else []


def _pairs(facts: Mapping[str, Any]) -> str:
    return _table(["", ""], [[name, str(value)] for name, value in sorted(facts.items())])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A markdown table.

    >>> print(_table(["a", "b"], [["1", "x|y"]]))
    | a | b |
    | --- | --- |
    | 1 | x\|y |
    """
    lines = [
        head,
        ["---"] * len(head),
        *([cell.replace("|", "\\|") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
