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
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from ablation_report import SPLITS, report
from ablation_variants import BASELINES, VARIANTS, Variant, answers, baseline, place, scores

from nl2code.errors import UserError, run_program
from nl2code.jsonl import write_text

ROOT = Path(__file__).resolve().parents[1]
COOLDOWN = 6
"""With --updates the learning rate falls to zero in the last sixth of them."""


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
        retrieve(args)
        jobs = [pool.submit(answer, args, variant, s) for s in args.seeds for variant in variants]
        for job in jobs:
            job.result()
    write_text(args.report, report(args.out, variants, args.seeds, shlex.join(sys.argv[1:])))
    print(args.report.read_text(encoding="utf-8"))


def train(args: argparse.Namespace, variant: Variant, seed: int) -> None:
    """Train or go on; a finished run is left alone."""
    run = place(args.out, variant, seed)
    if (run / "report.md").exists():
        return
    options = ["--data.path", args.data, "--tokenizer", args.tokenizer, "--seed", seed]
    if args.minutes is not None:
        options += ["--limits.max_minutes", args.minutes, "--limits.max_steps", "null"]
    if args.updates is not None:
        options += ["--limits.max_steps", args.updates, "--limits.max_minutes", "null"]
    if variant.config is None and (args.minutes or args.updates):
        # A cooldown ends at a known update.
        options += ["--optim.cooldown_steps", (args.updates or 0) // COOLDOWN]
    if args.train_examples is not None:
        options += ["--data.train_examples", args.train_examples]
    config = ROOT / "recipes/configs" / f"{variant.config or args.config}.yaml"
    command = ["train.py", "--config", config, *options, *variant.options.split(), "--out", run]
    start(command, args.precision)
    if not (run / "report.md").exists():  # a signal ends it with exit code 0
        raise UserError(f"{run}: stopped before its end; the same command goes on")


def answer(args: argparse.Namespace, variant: Variant, seed: int) -> None:
    """Predict and score dev and test with the best checkpoint."""
    run = place(args.out, variant, seed)
    for split in SPLITS:
        out = answers(args.out, variant, seed, split)
        on = ["--data", args.data, "--split", split, "--out"]
        how = variant.answering.split()
        if variant.also:
            how += ["--also", str(baseline(args.out, variant.also, split))]
        make(out, ["predict.py", "--checkpoint", run / "best", *how, *on])
        make(scores(out), ["score.py", "--predictions", out, *on])


def retrieve(args: argparse.Namespace) -> None:
    """The baselines."""
    for (name, how), split in product(BASELINES.values(), SPLITS):
        out = baseline(args.out, name, split)
        on = ["--data", args.data, "--split", split, "--out"]
        make(out, ["retrieve.py", *how.split(), *on])
        make(scores(out), ["score.py", "--predictions", out, *on])


def make(place: Path, command: Sequence[object]) -> None:
    """Run a recipe that ends in `--out` unless what it makes is there."""
    if not place.exists():
        start([*command, place])


def start(command: Sequence[object], precision: str = "no") -> None:
    """Run a recipe on one CPU thread; its failure ends this program, too."""
    program, *options = map(str, command)
    shown = f"recipes/{shlex.join([program, *options])}"
    print(f"python {shown}", flush=True)
    changes = {"OMP_NUM_THREADS": "1", "ACCELERATE_MIXED_PRECISION": precision}
    words = [sys.executable, str(ROOT / "recipes" / program), *options]
    finished = subprocess.run(words, env=os.environ | changes, check=False)
    if finished.returncode:
        raise UserError(f"exit code {finished.returncode}: {shown}")


if __name__ == "__main__":
    run_program(main)
