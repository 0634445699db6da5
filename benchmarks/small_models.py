"""The README's first table: retrieval and small LSTMs, K = 1 beside K = 3, on one dev split.

    python benchmarks/small_models.py ../shared/data/notebooks/train --out runs/small

K = 1 and K = 3 train side by side, a CPU thread and the same wall time each. What is there already
is not made again, and a killed training goes on, so the command can be repeated.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nl2code.dataset import read_split
from nl2code.errors import UserError, run_program
from nl2code.jsonl import read_json, read_jsonl, write_jsonl
from nl2code.python_code import NO_API_SEQUENCE

ROOT = Path(__file__).resolve().parents[1]
TASKS = {
    "code": ("lstm-small-k1", "lstm-small-k3"),
    "api": ("api-lstm-small-k1", "api-lstm-small-k3"),
}
FIGURES = {"code": ("bleu_nltk3", "bleu_sacre", "exact_match"), "api": ("precision", "recall")}
LAUNCH = "-m accelerate.commands.launch --config_file recipes/accelerate/cpu.yaml recipes/train.py"


def main() -> None:
    """Make what is missing, step by step, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", type=Path, help="what juice.py build takes")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    out = arguments.out.absolute()
    dataset, on_dev = out / "juice", dev(out)
    make(dataset, ["juice.py", "build", arguments.notebooks.absolute(), "--no-install", "--out"])
    make(out / "tokenizer", ["tokenizer/train.py", "--data", dataset, "--out"])
    for task, names in TASKS.items():
        train(out, names)
        for name in names:
            predict = ["recipes/predict.py", "--checkpoint", out / "runs" / name / "best"]
            make(out / f"{name}.jsonl", [*predict, *on_dev])
            score(out, name, task)
        for method in ("ret-train", "ret-context"):
            cells = ["--context_cells", 12] if method == "ret-context" else []
            retrieve = ["recipes/retrieve.py", "--method", method, *cells, "--task", task]
            name = f"{task}-{method}"
            make(out / f"{name}.jsonl", [*retrieve, *on_dev])
            score(out, name, task)
        systems = [f"{task}-ret-train", f"{task}-ret-context", *names]
        if task == "api":
            answer_nothing(out)
            systems.insert(0, "api-none")
        Console(width=120).print(table(out, task, systems))


def make(place: Path, command: Sequence[object]) -> None:
    """Run one of the project's programs unless what it makes is there."""
    if not place.exists():
        wait([start([*command, place])])


def start(command: Sequence[object]) -> subprocess.Popen[bytes]:
    """Start one of the project's programs on one CPU thread."""
    words = list(map(str, command))
    print(f"python {shlex.join(words)}", flush=True)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, *words], cwd=ROOT, env=environment)


def wait(processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait for all; a failed one ends this program too."""
    for process in processes:
        if process.wait():
            raise UserError(f"exit code {process.returncode}: {process.args}")


def train(out: Path, names: tuple[str, ...]) -> None:
    """Train the models side by side; a finished run only evaluates again."""
    data = ["--data.path", out / "juice", "--tokenizer", out / "tokenizer"]
    processes = []
    for name in names:
        if not (out / f"{name}.jsonl").exists():
            run = ["--config", f"recipes/configs/{name}.yaml", "--out", out / "runs" / name]
            processes.append(start([*LAUNCH.split(), *run, *data]))
    wait(processes)


def answer_nothing(out: Path) -> None:
    """Predict for every example that it calls nothing: what a score of API sequences starts at."""
    if not (out / "api-none.jsonl").exists():
        ids = read_split(str(out / "juice"), "dev")["id"]
        rows = ({"id": name, "prediction": NO_API_SEQUENCE} for name in ids)
        write_jsonl(out / "api-none.jsonl", rows)
    score(out, "api-none", "api")


def score(out: Path, name: str, task: str) -> None:
    """Score the predictions of a system."""
    predictions = ["--predictions", out / f"{name}.jsonl", "--task", task]
    make(out / f"{name}.scores.json", ["recipes/score.py", *predictions, *dev(out)])


def dev(out: Path) -> list[object]:
    """The options that name the split and end in `--out`, as `make` wants them."""
    return ["--data", out / "juice", "--split", "dev", "--out"]


def table(out: Path, task: str, names: list[str]) -> Table:
    """The systems of a task side by side, in percent; of the trained ones the best checkpoint."""
    columns = ("system", *FIGURES[task], "dev loss", "updates", "minutes")
    examples = read_json(out / "juice" / "build.json")["splits"]["train"]["examples"]
    rows = Table(*columns, title=f"{task}, dev, N = {examples:,}")
    for name in names:
        scores = read_json(out / f"{name}.scores.json")["scores"]
        figures = [f"{100 * scores[figure]['value']:.2f}" for figure in FIGURES[task]]
        rows.add_row(name, *figures, *best_checkpoint(out / "runs" / name))
    rows.caption = "\n".join(scores[figure]["signature"] for figure in FIGURES[task])
    return rows


def best_checkpoint(run: Path) -> tuple[str, str, str]:
    """Its dev loss, updates and minutes of training; blanks where nothing was trained."""
    if not run.exists():
        return ("", "", "")
    evaluations = [row for row in read_jsonl(run / "log.jsonl") if "dev_loss" in row]
    best = min(evaluations, key=lambda row: float(row["dev_loss"]))
    return (f"{best['dev_loss']:.3f}", f"{best['step']:,}", f"{best['seconds'] / 60:.0f}")


if __name__ == "__main__":
    run_program(main)
