"""Training speed beside other trainers': real tokens a CPU second, one thread, the same data.

    python benchmarks/train.py                                    # 4,000 made-up pairs
    python benchmarks/train.py --data juice --tokenizer tokenizer/juice-10k

Every side is a process of its own. They take turns, a window of at least a CPU second each, so that
all of them see the machine in the same moods; the first round warms up, the medians of the others
are printed. Tokens are those of source and target without padding; the share of the peak is the
model's FLOP for them against products of square matrices, measured in the same rounds. A peer that
does not install or run is named with its reason. Environments of peers are made in --peers, once.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from train_flops import flop_a_token
from train_peers import PEERS, python_of

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "benchmarks" / "train_sides"
VOCABULARY = 10_000
MODELS = ("transformer", "lstm", "lstm-feeding")
OURS = {
    "ours": ("ours", ""),
    "ours, bf16": ("ours", "bf16"),
    "plain PyTorch (ref)": ("reference", ""),
    "ref, bf16": ("reference", "bf16"),
    "peak": ("peak", ""),
    "peak, bf16": ("peak", "bf16"),
}
MARIAN = {
    "Seq2SeqTrainer, grouped": ("hugging_face", "grouped"),
    "Seq2SeqTrainer": ("hugging_face", "random"),
    "like run_translation_no_trainer": ("hugging_face", "no_trainer"),
}
Rows = list[np.ndarray]


@dataclass
class Racer:
    """A side's process, and its figures a window."""

    name: str
    process: subprocess.Popen[str]
    log: IO[str]
    windows: list[dict[str, Any]] = field(default_factory=list)

    def take_turn(self) -> bool:
        """Let it work for a window; say so, and why, when it can not."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print("go", file=self.process.stdin, flush=True)
            self.windows.append(json.loads(self.process.stdout.readline()))
        except (BrokenPipeError, json.JSONDecodeError):
            self.process.wait()
            self.log.seek(0)
            print(f"{self.name}: does not run: {self.log.read().strip().rpartition(chr(10))[2]}")
            return False
        return True

    def speed(self) -> Any:
        """The median over all windows but the first, in tokens a CPU second."""
        return statistics.median(window["tokens"] / window["cpu"] for window in self.windows[1:])

    def padding(self) -> float:
        """The share of its places that are padding: of all batches, or of those it went through."""
        tokens, places = self.windows[-1]["plan"] or (
            sum(window[kind] for window in self.windows) for kind in ("tokens", "places")
        )
        return 1 - tokens / places


def main() -> None:
    """Measure each model and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="a built folder; made-up pairs without it")
    parser.add_argument("--tokenizer", default="tokenizer/juice-10k")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--batch_tokens", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a window, at least")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path, default=ROOT / "runs" / "peers")
    parser.add_argument("--without", nargs="*", default=[], help="sides to leave out")
    given = parser.parse_args()
    sources, targets = made_up_pairs()
    vocabulary = VOCABULARY
    if given.data:
        sources, targets, vocabulary = real_pairs(given.data, given.tokenizer)
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch, "pairs.npz")
        save_pairs(data, sources, targets, vocabulary)
        for model in given.models:
            sides = sides_of(model, given.peers, given.without)
            asked = [f"--batch_tokens={given.batch_tokens}", f"--seconds={given.seconds}"]
            racers = [start(name, [model, str(data), *asked], *side) for name, *side in sides]
            for _ in range(given.rounds + 1):
                racers = [racer for racer in racers if racer.take_turn()]
            flop = flop_a_token(model, vocabulary, sources, targets)
            Console(width=100).print(table(model, racers, flop))
            for racer in racers:
                racer.process.kill()


def made_up_pairs(number: int = 4000) -> tuple[Rows, Rows]:
    """Sources of about 150 and targets of about 40 tokens, of words that follow Zipf's law."""
    draw = np.random.default_rng(0)
    share = 1 / np.arange(1, VOCABULARY - 3)
    sides = []
    for middle in (130, 33):
        lengths = np.clip(draw.lognormal(np.log(middle), 0.6, number), 4, 250).astype(int)
        words = [draw.choice(len(share), length, p=share / share.sum()) + 4 for length in lengths]
        sides.append([np.append(row[:-1], 2) for row in words])
    return sides[0], sides[1]


def real_pairs(data: str, tokenizer: str, number: int = 4000) -> tuple[Rows, Rows, int]:
    """The first train examples, as the recipe reads them, and the size of the vocabulary."""
    from nl2code.dataset import read_split
    from nl2code.encoding import encode
    from nl2code.linearisation import InputFormat
    from nl2code.tokenization import load_tokenizer

    loaded, rows = load_tokenizer(tokenizer), read_split(data, "train")
    pairs, _ = encode(rows.select(range(min(number, len(rows)))), loaded, InputFormat(), (250, 250))
    sources, targets = (
        np.split(side.values, side.offsets[1:-1]) for side in (pairs.sources, pairs.targets)
    )
    return sources, targets, len(loaded)


def save_pairs(file: Path, sources: Rows, targets: Rows, vocabulary: int) -> None:
    """Write what `read_side` reads."""
    flat = {"vocabulary": np.array(vocabulary)}
    for name, rows in (("sources", sources), ("targets", targets)):
        flat |= {name: np.concatenate(rows), f"{name}_ends": np.cumsum([len(row) for row in rows])}
    np.savez(file, **flat)  # type: ignore[arg-type]


def sides_of(model: str, peers: Path, without: list[str]) -> Iterator[tuple[str, str, str, Path]]:
    """Name, script, variant and interpreter of each side that there is for the model."""
    for name, (script, variant) in (OURS | (MARIAN if model == "transformer" else {})).items():
        if name not in without:
            yield name, script, variant, Path(sys.executable)
    for name, peer in PEERS.items():
        wanted = name not in without and model in peer.models
        if wanted and (python := python_of(name, peer, peers)):
            yield name, peer.script, "", python


def start(name: str, asked: list[str], script: str, variant: str, python: Path) -> Racer:
    """Start a side; it waits for its first turn."""
    command = [python, SCRIPTS / f"{script}.py", *asked, "--variant", variant]
    log = tempfile.TemporaryFile("w+")  # noqa: SIM115 (open as long as the racer)
    process = subprocess.Popen(
        list(map(str, command)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return Racer(name, process, log)


def table(model: str, racers: list[Racer], flop: float) -> Table:
    """Speed, ratio, padding and share of the peak, side by side."""
    speeds = {racer.name: racer.speed() for racer in racers}
    rows = Table("", "tokens / CPU s", "ours ÷ it", "padding", "share of peak", title=model)
    for racer in racers:
        half = ", bf16" if racer.name.endswith("bf16") else ""
        peak = speeds.get(f"peak{half}")
        if racer.name.startswith("peak"):
            rows.add_row(racer.name, f"{racer.speed() / 1e9:.0f} GFLOP/s")
            continue
        ratio = f"{speeds['ours'] / racer.speed():.2f}" if "ours" in speeds else ""
        share = f"{racer.speed() * flop / peak:.2f}" if peak else ""
        figures = (ratio, f"{racer.padding():.1%}", share)
        rows.add_row(racer.name, f"{racer.speed():.0f}", *figures)
    rows.caption = f"{flop / 1e6:.0f} MFLOP a token, forwards and backwards"
    return rows


if __name__ == "__main__":
    main()
