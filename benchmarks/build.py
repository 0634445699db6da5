"""What a build costs, beside `json` and `ast.parse` of every code cell over the same files.

    python benchmarks/build.py ../shared/data/notebooks/train

Takes turns: the pass, a build with one and with two workers, two builds at once. Prints the medians
of CPU and wall seconds over the rounds, the ratios of a round's figures, the peak memory of the
largest process, and the digest that all builds have. What the search for near-duplicates takes of
it is measured by itself, on the built folder.
"""

from __future__ import annotations

import argparse
import ast
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import duckdb

from nl2code.corpus.contamination import TEXTS, near_pairs
from nl2code.jsonl import read_json
from nl2code.notebooks import join_source
from nl2code.sources import find_notebooks

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Measure the pass and the builds, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    passes = Measured("json + ast.parse")
    builds = {workers: Measured(f"{workers} worker(s)") for workers in (1, 2)}
    twice = Measured("two builds of one worker at once, the machine's limit")
    digests = set()
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(given.rounds):
            passes.measure(partial(parse_all, given.notebooks))
            for workers, measured in builds.items():
                out = Path(scratch, f"juice-{workers}-{number}")
                measured.measure(partial(build, given.notebooks, out, workers))
                digests.add(read_json(out / "build.json")["digest"])
            twice.measure(partial(build_twice, given.notebooks, Path(scratch, f"both-{number}")))
        search = in_a_process(partial(search_near, out))
        notebooks = notebooks_read(out)
    (digest,) = digests
    for measured in (passes, *builds.values(), twice):
        print(measured)
    print(f"digest {digest[:16]}, whatever the workers")
    cpu = builds[1].median("cpu")
    print(f"one worker: {notebooks / cpu:.0f} notebooks a CPU s")
    print(f"one worker's CPU time: {spread(builds[1].over(passes, 'cpu'))} x the pass")
    print(f"two workers are {spread(builds[1].over(builds[2], 'wall'))} times as fast as one")
    print(
        f"near-duplicates: {search['cpu']:.1f} CPU s, {search['cpu'] / passes.median('cpu'):.1f} x"
    )


class Measured:
    """What one thing took, round by round."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._costs: list[dict[str, float]] = []

    def measure(self, work: Callable[[], None]) -> None:
        """Do it once more, in a process of its own."""
        self._costs.append(in_a_process(work))

    def median(self, figure: str) -> float:
        """The median of `cpu` or `wall`, in seconds, or of `memory`, in bytes."""
        return statistics.median(cost[figure] for cost in self._costs)

    def over(self, other: Measured, figure: str) -> list[float]:
        """How many times the other's figure this one's is, in each round."""
        pairs = zip(self._costs, other._costs, strict=True)
        return [mine[figure] / theirs[figure] for mine, theirs in pairs]

    def __str__(self) -> str:
        largest = max(cost["memory"] for cost in self._costs) / 1e6
        return (
            f"{self._name}: {self.median('cpu'):.1f} CPU s, {self.median('wall'):.1f} s wall,"
            f" largest process {largest:.0f} MB"
        )


def spread(ratios: list[float]) -> str:
    """The median, and the least and greatest.

    >>> spread([1.5, 1.25, 2.0])
    '1.50 (1.25 to 2.00)'
    """
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def notebooks_read(folder: Path) -> int:
    """How many notebooks a build read."""
    funnel = read_json(folder / "build.json")["funnel"]
    (count,) = (n for stage, reason, n in funnel if (stage, reason) == ("read", "kept"))
    return int(count)


def parse_all(source: Path) -> None:
    """The least that any builder does: JSON, and the syntax tree of every code cell."""
    warnings.simplefilter("ignore")
    for raw in find_notebooks([source]):
        try:
            cells = json.loads(raw.content or raw.file.read_bytes())["cells"]
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        for cell in cells:
            if cell.get("cell_type") == "code":
                try:
                    ast.parse(join_source(cell.get("source")))
                except (SyntaxError, ValueError, RecursionError):
                    continue


def search_near(folder: Path) -> None:
    """The search for near-duplicates in the targets, NL and notebooks of a built folder."""
    with duckdb.connect() as connection:
        connection.execute(
            f"""CREATE VIEW built AS SELECT id AS name, nl, code_tokens_clean,
                regexp_extract(filename, '([a-z]+)-[0-9]+-of-', 1) AS split
                FROM read_parquet('{folder}/*.parquet', filename = true)"""
        )
        for kind in TEXTS:
            assert not list(near_pairs(connection, "FROM built", kind))


def build(source: Path, out: Path, workers: int) -> None:
    """Run the real command."""
    command = [ROOT / "juice.py", "build", source, "--out", out, "--workers", str(workers)]
    subprocess.run(
        [sys.executable, *command, "--no-install"], check=True, stdout=subprocess.DEVNULL
    )


def build_twice(source: Path, folder: Path) -> None:
    """Two builds that share nothing but the machine: what two workers could reach at best."""
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(
                lambda number: build(source, folder.with_name(f"{folder.name}-{number}"), 1),
                range(2),
            )
        )


def in_a_process(work: Callable[[], None]) -> dict[str, float]:
    """CPU and wall seconds of the work, and the bytes of its largest process."""
    context = get_context("fork")
    receiver, sender = context.Pipe()

    def measure() -> None:
        started = time.monotonic()
        work()
        mine, theirs = (
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        cpu = sum(usage.ru_utime + usage.ru_stime for usage in (mine, theirs))
        memory = 1024 * (theirs.ru_maxrss or mine.ru_maxrss)
        sender.send({"cpu": cpu, "wall": time.monotonic() - started, "memory": memory})

    process = context.Process(target=measure)
    process.start()
    sender.close()
    cost: dict[str, float] = receiver.recv()
    process.join()
    return cost


if __name__ == "__main__":
    main()
