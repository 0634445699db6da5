"""The authors' figures for their 150 golden pairs beside ours.

python benchmarks/scores.py ../shared/data/goldens/scores
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nl2code.errors import UserError, run_program
from nl2code.jsonl import read_json, read_jsonl
from nl2code.metrics.api import api_sequence_scores
from nl2code.metrics.bleu import bleu_nltk3, bleu_sacre
from nl2code.metrics.exact_match import exact_match


def main() -> None:
    """Score the pairs and print a row a figure; no golden stands for sacreBLEU."""
    if len(sys.argv) != 2:
        raise UserError(
            "usage: python benchmarks/scores.py FOLDER (of pairs.jsonl and scores.json)"
        )
    folder = Path(sys.argv[1])
    goldens = read_json(folder / "scores.json")
    pairs = list(read_jsonl(folder / "pairs.jsonl"))
    code = [pair["prediction"] for pair in pairs], [pair["reference"] for pair in pairs]
    calls = [pair["prediction_api"] for pair in pairs], [pair["reference_api"] for pair in pairs]
    api = api_sequence_scores(*calls)
    rows = {
        "em": exact_match(*code),
        "bleu": bleu_nltk3(*code),
        "api_precision": api.precision,
        "api_recall": api.recall,
        "": bleu_sacre(*code),
    }
    table = Table("metric", "authors", "ours", "difference", "signature")
    for name, score in rows.items():
        golden, ours = goldens.get(name), 100 * score.value
        theirs = ("-", "-") if golden is None else (f"{golden:.4f}", f"{abs(ours - golden):.0e}")
        table.add_row(score.name, theirs[0], f"{ours:.4f}", theirs[1], score.signature)
    Console().print(table)


if __name__ == "__main__":
    run_program(main)
