r"""The copying Transformer with each of its pieces left out: same N, same budget, same seeds.

    python benchmarks/ablations.py --data juice --tokenizer tokenizer/juice-10k \
        --out runs/ablations --seeds 1 2 3 --together 2

Trains every variant, answers the curated dev and test, scores, and writes the table. What is there
already is not made again, and a killed training goes on: repeat the command.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

from nl2code.errors import UserError, run_program
from nl2code.jsonl import read_json, read_jsonl, write_text
from nl2code.python_code.layouts import parses

ROOT = Path(__file__).resolve().parents[1]
SPLITS = ("dev", "test")
FIGURES = {"BLEU": "bleu_nltk3", "EM": "exact_match"}
BASELINE = "Ret-Context, 12 cells"


@dataclass(frozen=True, slots=True)
class Variant:
    """A system to train, and how it answers."""

    name: str
    """What the table calls it."""
    run: str
    """The folder of its trainings; variants that share it differ in how they answer only."""
    options: str = ""
    """What its training changes of the config."""
    config: str | None = None
    """Another config than that of all."""
    answering: str = "--only_parsing true --no_repeat_ngram_size 8"
    """How it answers."""


VARIANTS = (
    Variant("best", "best"),
    Variant("without the parse filter", "best", answering="--no_repeat_ngram_size 8"),
    Variant("free to repeat itself", "best", answering="--only_parsing true"),
    Variant(
        "longer answers",
        "best",
        answering="--only_parsing true --no_repeat_ngram_size 8 --length_penalty 1.1",
    ),
    Variant("without copying", "no-copying", "--model.copy_heads 0"),
    Variant("copying without matches", "no-matches", "--model.copy_matches 0"),
    Variant(
        "the 5 nearest cells, none chosen",
        "nearest-5",
        "--format.context_cells 5 --format.chosen_cells 0",
    ),
    Variant("the 3 nearest cells, none chosen", "nearest-3", "--format.chosen_cells 0"),
    Variant("the paper's LSTM, small", "lstm", config="lstm-small-k3", answering=""),
    Variant(
        "the same, kept from repeating itself",
        "lstm",
        config="lstm-small-k3",
        answering="--no_repeat_ngram_size 8",
    ),
)


def main() -> None:
    """Train what is missing, answer, score, write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", default="juice", help="the built dataset")
    parser.add_argument("--tokenizer", default="tokenizer/juice-10k")
    parser.add_argument("--out", type=Path, required=True, help="where runs and scores go")
    parser.add_argument("--config", default="best-small", help="of recipes/configs")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--minutes", type=float, help="of each training; the config's otherwise")
    parser.add_argument("--updates", type=int, help="of each training, however long they take")
    parser.add_argument("--train_examples", type=int, help="N; all otherwise")
    parser.add_argument("--precision", default="bf16", choices=("bf16", "no"))
    parser.add_argument(
        "--together", type=int, default=1, help="trainings at a time, a thread each"
    )
    every = list(dict.fromkeys(variant.run for variant in VARIANTS))
    parser.add_argument("--runs", nargs="+", choices=every, default=every, help="which to train")
    parser.add_argument("--report", type=Path, default=ROOT / "benchmarks/ablations.md")
    args = parser.parse_args()
    variants = [variant for variant in VARIANTS if variant.run in args.runs]
    with ThreadPoolExecutor(args.together) as pool:
        runs = {variant.run: variant for variant in reversed(variants)}.values()
        jobs = [pool.submit(train, args, variant, s) for s in args.seeds for variant in runs]
        for job in jobs:
            job.result()
        jobs = [pool.submit(answer, args, variant, s) for s in args.seeds for variant in variants]
        for job in jobs:
            job.result()
    retrieve(args)
    write_text(args.report, report(args.out, variants, args.seeds, shlex.join(sys.argv[1:])))
    print(args.report.read_text(encoding="utf-8"))


def train(args: argparse.Namespace, variant: Variant, seed: int) -> None:
    """Train or go on; a finished run is left alone."""
    run = place(args.out, variant, seed)
    if (run / "report.md").exists():
        return
    options = f"--data.path {args.data} --tokenizer {args.tokenizer} --seed {seed}"
    if args.minutes is not None:
        options += f" --limits.max_minutes {args.minutes}"
    if args.updates is not None:
        options += f" --limits.max_steps {args.updates} --limits.max_minutes null"
    if args.train_examples is not None:
        options += f" --data.train_examples {args.train_examples}"
    config = f"--config {ROOT}/recipes/configs/{variant.config or args.config}.yaml"
    start(f"train.py {config} {options} {variant.options} --out {run}", args.precision)
    if not (run / "report.md").exists():  # a signal ends it with exit code 0
        raise UserError(f"{run}: stopped before its end; the same command goes on")


def answer(args: argparse.Namespace, variant: Variant, seed: int) -> None:
    """Predict and score dev and test with the best checkpoint."""
    run = place(args.out, variant, seed)
    for split in SPLITS:
        out = answers(args.out, variant, seed, split)
        on = f"--data {args.data} --split {split} --out"
        make(out, f"predict.py --checkpoint {run}/best {variant.answering} {on}")
        make(scores(out), f"score.py --predictions {out} {on}")


def retrieve(args: argparse.Namespace) -> None:
    """The baseline that copies a whole cell."""
    for split in SPLITS:
        out = args.out / f"ret-context.{split}.jsonl"
        on = f"--data {args.data} --split {split} --out"
        make(out, f"retrieve.py --method ret-context --context_cells 12 {on}")
        make(scores(out), f"score.py --predictions {out} {on}")


def make(place: Path, command: str) -> None:
    """Run a recipe that ends in `--out` unless what it makes is there."""
    if not place.exists():
        start(f"{command} {shlex.quote(str(place))}")


def start(command: str, precision: str = "no") -> None:
    """Run a recipe on one CPU thread; its failure ends this program, too."""
    print(f"python recipes/{command}", flush=True)
    changes = {"OMP_NUM_THREADS": "1", "ACCELERATE_MIXED_PRECISION": precision}
    program, *options = shlex.split(command)
    words = [sys.executable, str(ROOT / "recipes" / program), *options]
    finished = subprocess.run(words, env=os.environ | changes, check=False)
    if finished.returncode:
        raise UserError(f"exit code {finished.returncode}: recipes/{command}")


def place(out: Path, variant: Variant, seed: int) -> Path:
    """The folder of a training."""
    return out / f"{variant.run}-{seed}"


def answers(out: Path, variant: Variant, seed: int, split: str) -> Path:
    """The predictions of a variant."""
    kind = "".join(f".{word.strip('-')}" for word in variant.answering.split())
    return place(out, variant, seed) / f"{split}{kind}.jsonl"


def scores(predictions: Path) -> Path:
    """The scores of predictions, beside them."""
    return predictions.with_suffix(".scores.json")


def report(out: Path, variants: Sequence[Variant], seeds: Sequence[int], command: str) -> str:
    """The table as Markdown: means over the seeds, in percent, with the spread of several."""
    columns = [f"{split} {figure}" for split in SPLITS for figure in FIGURES]
    head = ["system", *columns, "do not parse", "dev loss", "updates"]
    rows = [row(out, variant, seeds) for variant in variants]
    paths = [[out / f"ret-context.{split}.jsonl"] for split in SPLITS]
    rows.append([BASELINE, *figures(paths), "", "", ""])
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


if __name__ == "__main__":
    run_program(main)
