"""What a build costs, beside `json` and `ast.parse` of every code cell over the same files.

    python benchmarks/build.py ../shared/data/notebooks/train

Prints CPU seconds, their ratio, wall seconds for one and two workers and for two builds at once,
the peak memory of the largest process, and whether both builds have the same digest. What the
search for near-duplicates takes of it is measured by itself, on the built folder.
"""

from __future__ import annotations

import argparse
import ast
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import duckdb

from nl2code.corpus.contamination import TEXTS, near_pairs
from nl2code.jsonl import read_json
from nl2code.notebooks import join_source
from nl2code.sources import find_notebooks

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Measure the pass and the two builds, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", type=Path)
    source = parser.parse_args().notebooks
    peer = in_a_process(lambda: parse_all(source))
    print(f"json + ast.parse: {peer['cpu']:.1f} CPU s, {peer['wall']:.1f} s")
    with tempfile.TemporaryDirectory() as scratch:
        walls = []
        for workers in (1, 2):
            out = Path(scratch, f"juice-{workers}")
            cost = in_a_process(lambda out=out, workers=workers: build(source, out, workers))
            report = read_json(out / "build.json")
            (found,) = (
                n for stage, reason, n in report["funnel"] if (stage, reason) == ("read", "kept")
            )
            print(
                f"{workers} worker(s): {cost['cpu']:.1f} CPU s, {cost['cpu'] / peer['cpu']:.1f} x"
                f" the pass, {found / cost['cpu']:.0f} notebooks a CPU s, {cost['wall']:.0f} s wall"
                f", largest process {cost['memory'] / 1e6:.0f} MB, digest {report['digest'][:16]}"
            )
            walls.append(cost["wall"])
        print(f"two workers are {walls[0] / walls[1]:.2f} times as fast as one")
        together = in_a_process(lambda: build_twice(source, Path(scratch)))
        print(
            f"two builds of one worker at once, the machine's limit: {together['wall']:.0f} s wall"
        )
        search = in_a_process(lambda: search_near(out))
        print(f"near-duplicates: {search['cpu']:.1f} CPU s, {search['cpu'] / peer['cpu']:.1f} x")


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
        list(pool.map(lambda number: build(source, folder / f"at-once-{number}", 1), range(2)))


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
