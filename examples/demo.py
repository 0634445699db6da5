"""The whole path on the embedded notebooks, from the dataset to a submission.

python examples/demo.py    (or `make demo`, which makes the virtual environment first)
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nl2code.errors import UserError, run_program
from nl2code.help_text import Help
from nl2code.jsonl import read_json, write_json

ROOT = Path(__file__).resolve().parents[1]
RUN = Path("runs/demo")
JUICE = ROOT / "juice"
MARK = ROOT / "runs" / "demo-dataset.json"
SYSTEMS = ("lstm", "ret-train", "ret-context")
LAUNCH = "-m accelerate.commands.launch --config_file recipes/accelerate/cpu.yaml"
DATA = "--data juice --split test --overwrite true"

STEPS = [
    (
        "dataset",
        "juice.py build examples/notebooks --out juice --overwrite --no-install",
        "juice",
    ),
    (
        "tokenizer",
        "tokenizer/train.py --data juice --out tokenizer/demo --merges 2000 --overwrite true",
        "tokenizer/demo",
    ),
    (
        "model",
        f"{LAUNCH} recipes/train.py --config recipes/configs/demo.yaml --out {RUN}"
        " --limits.max_minutes {minutes}",
        f"{RUN}/best",
    ),
    (
        "predictions",
        f"recipes/predict.py --checkpoint {RUN}/best {DATA} --out {RUN}/lstm.jsonl",
        f"{RUN}/lstm.jsonl",
    ),
    *(
        (
            f"{method} baseline",
            f"recipes/retrieve.py --method {method} {DATA} --out {RUN}/{method}.jsonl",
            f"{RUN}/{method}.jsonl",
        )
        for method in SYSTEMS[1:]
    ),
    *(
        (
            f"scores of {system}",
            f"recipes/score.py --predictions {RUN}/{system}.jsonl --data juice --split test"
            f" --out {RUN}/{system}.scores.json",
            f"{RUN}/{system}.scores.json",
        )
        for system in SYSTEMS
    ),
    (
        "submission",
        f"recipes/submit.py --scores {RUN}/lstm.scores.json --checkpoint {RUN}/best --split test"
        f" --dataset_id YOUR_NAME/juice --name demo-lstm --out {RUN}/submission",
        f"{RUN}/submission",
    ),
]


def main() -> None:
    """Run every step in the project's folder, then print what was made and where it lies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=Help)
    parser.add_argument("--minutes", type=float, default=2, help="of training (default: 2)")
    minutes = parser.parse_args().minutes
    console = Console()
    check_that_juice_is_ours()
    shutil.rmtree(ROOT / RUN, ignore_errors=True)
    made = Table("step", "seconds", "where", title="What was made")
    for name, template, place in STEPS:
        command = template.format(minutes=minutes)
        console.rule(f"[bold]{name}")
        console.print(f"python {command}", style="dim", soft_wrap=True)
        started = time.monotonic()
        run_step(name, shlex.split(command))
        if name == "dataset":
            write_json(MARK, {"digest": read_json(JUICE / "build.json")["digest"]})
        made.add_row(name, f"{time.monotonic() - started:.0f}", place)
    table, signature = scores()
    console.print(made, table)
    console.print(f"BLEU: {signature}", soft_wrap=True)
    console.print(
        'Next: load_dataset("juice") in Python, started here; your own notebooks: '
        "python juice.py build FOLDER --out juice --overwrite",
        soft_wrap=True,
    )


def check_that_juice_is_ours() -> None:
    """Refuse to replace a dataset that the demo did not build."""
    if not JUICE.exists():
        return
    ours = read_json(MARK)["digest"] if MARK.is_file() else None
    report = JUICE / "build.json"
    if not report.is_file() or read_json(report)["digest"] != ours:
        raise UserError(f"{JUICE}: is not the demo's; move it away, or build it under another name")


def run_step(name: str, command: Sequence[str]) -> None:
    """Run one of the project's programs with this interpreter."""
    done = subprocess.run([sys.executable, *command], cwd=ROOT)
    if done.returncode:
        raise UserError(f"the step {name!r} failed with exit code {done.returncode}; see above")


def scores() -> tuple[Table, str]:
    """The systems side by side, and the signature that their figures share."""
    reports = {name: read_json(ROOT / RUN / f"{name}.scores.json") for name in SYSTEMS}
    table = Table("system", *reports["lstm"]["scores"], title="Scores on test, in percent")
    for name, report in reports.items():
        table.add_row(name, *(f"{100 * score['value']:.2f}" for score in report["scores"].values()))
    table.caption = "A few hundred examples and two minutes: this shows the path, not the models."
    return table, reports["lstm"]["scores"]["bleu_nltk3"]["signature"]


if __name__ == "__main__":
    run_program(main)
