"""The table of benchmarks/ablations.py, from the files of its runs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import yaml
from ablation_variants import BASELINES, Variant, answers, baseline, place, scores

from nl2code.jsonl import read_json, read_jsonl
from nl2code.python_code.layouts import parses

SPLITS = ("dev", "test")
FIGURES = {"BLEU": "bleu_nltk3", "EM": "exact_match"}


def report(out: Path, variants: Sequence[Variant], seeds: Sequence[int], command: str) -> str:
    """The table as Markdown: means over the seeds, in percent, with the spread of several."""
    columns = [f"{split} {figure}" for split in SPLITS for figure in FIGURES]
    head = ["system", *columns, "do not parse", "dev loss", "updates"]
    rows = [row(out, variant, seeds) for variant in variants]
    for name, (file, _) in BASELINES.items():
        paths = [[baseline(out, file, split)] for split in SPLITS]
        rows.append([name, *figures(paths), "", "", ""])
    lines = [" | ".join(cells) for cells in [head, ["---"] * len(head), *rows]]
    example = read_json(scores(paths[0][0]))["scores"]["bleu_nltk3"]["signature"]
    config = yaml.safe_load((place(out, variants[0], seeds[0]) / "config.yaml").read_text())
    limits = config["limits"]
    budget = f"{limits['max_minutes']} minutes on one CPU thread"
    if limits.get("max_steps"):
        budget = f"{limits['max_steps']} updates"
    return "\n".join(
        [
            "# Ablations",
            "",
            f"`python benchmarks/ablations.py {command}`",
            "",
            f"N = {config['data']['train_examples'] or 'all'}, {budget} for each training, seeds"
            f" {', '.join(map(str, seeds))}; best checkpoint by dev loss, beam 5. In percent.",
            "",
            *(f"| {line} |" for line in lines),
            "",
            f"BLEU on dev: `{example}`.",
            "",
        ]
    )


def row(out: Path, variant: Variant, seeds: Sequence[int]) -> list[str]:
    """A line of the table."""
    paths = [[answers(out, variant, seed, split) for seed in seeds] for split in SPLITS]
    predictions = [
        line["prediction"].split() for split in paths for path in split for line in read_jsonl(path)
    ]
    wrong = sum(not parses(tokens) for tokens in predictions) / len(predictions)
    logs = [best_evaluation(place(out, variant, seed)) for seed in seeds]
    loss = spread([float(log["dev_loss"]) for log in logs], 3)
    updates = spread([float(log["step"]) for log in logs], 0)
    return [variant.name, *figures(paths), f"{100 * wrong:.1f}", loss, updates]


def figures(paths: Sequence[Sequence[Path]]) -> list[str]:
    """The scores of each split, over the seeds."""
    return [
        spread([100 * read_json(scores(path))["scores"][name]["value"] for path in split], 2)
        for split in paths
        for name in FIGURES.values()
    ]


def best_evaluation(run: Path) -> dict[str, float]:
    """What the log says of the best checkpoint."""
    evaluations = [row for row in read_jsonl(run / "log.jsonl") if "dev_loss" in row]
    return min(evaluations, key=lambda row: float(row["dev_loss"]))


def spread(values: Sequence[float], digits: int) -> str:
    """The mean, and with several values their standard deviation.

    >>> spread([1.0, 3.0], 1), spread([2.0], 0)
    ('2.0 ± 1.4', '2')
    """
    mean = f"{statistics.mean(values):.{digits}f}"
    return f"{mean} ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else mean
