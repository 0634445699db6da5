"""Whether memory stays flat and time linear: builds of 1, 10 and 100 copies of one sample.

    python benchmarks/scale.py ../shared/data/notebooks --copies 1 10 100

The sample is some 300 notebooks of all kinds. Copies differ in the repositories' names and in
every cell, so that no copy is a duplicate of another; code cells get a statement that names the
copy. Prints a table of wall and CPU seconds, the peak resident memory of the driver and of the
largest worker, bytes on disk, and the largest that the folder of the build became meanwhile.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.jsonl import read_json
from nl2code.notebooks import join_source

ROOT = Path(__file__).resolve().parents[1]
FROM_A_REPOSITORY = 3
ONE_IN = 16
"""The share of assignments and of folders of exercises; whole ones, so that problems are found."""
ROWS_PER_GROUP = 100
EVERY = 0.2
"""Seconds between two looks at the processes."""


def main() -> None:
    """Write the copies, build them and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", type=Path, help="the folder of train, nbgrader and exercises")
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scratch", type=Path, help="where copies and builds go, and stay")
    parser.add_argument("more", nargs="*", help="further options of `build`, after --")
    options = parser.parse_args()
    rows = list(sample(options.notebooks))
    print("copies  notebooks  examples  dev+test  wall s  CPU s  driver MB  worker MB  scratch MB")
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        for copies in options.copies:
            source, out = Path(scratch, f"{copies}.parquet"), Path(scratch, f"juice-{copies}")
            write_copies(rows, copies, source)
            cost = build(source, out, options.workers, options.more)
            splits = read_json(out / "build.json")["splits"]
            examples = {name: split["examples"] for name, split in splits.items()}
            print(
                f"{copies:6}  {copies * len(rows):9}  {sum(examples.values()):8}"
                f"  {examples['dev'] + examples['test']:8}  {cost.wall:6.0f}  {cost.cpu:5.0f}"
                f"  {cost.driver / 1e6:9.0f}  {cost.worker / 1e6:9.0f}  {cost.disk / 1e6:10.0f}",
                flush=True,
            )


def sample(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield some notebooks of each kind, the same ones always."""
    columns = ["repo", "path", "commit", "license", "content"]
    taken: Counter[str] = Counter()
    for kind in ("train", "nbgrader", "exercises"):
        for file in sorted((folder / kind).glob("*.parquet")):
            for row in pq.read_table(file, columns=columns).to_pylist():
                path = PurePosixPath(row["path"])
                if kind == "train":
                    taken[row["repo"]] += 1
                    wanted = taken[row["repo"]] <= FROM_A_REPOSITORY
                else:
                    name = path.name if kind == "nbgrader" else path.parent.name
                    wanted = hashlib.sha256(name.lower().encode()).digest()[0] % ONE_IN == 0
                if wanted:
                    yield row


def write_copies(rows: list[dict[str, Any]], copies: int, file: Path) -> None:
    """Write so many copies, each unlike the others, without holding them in memory."""
    schema = pa.schema(dict.fromkeys(("repo", "path", "commit", "license", "content"), pa.string()))
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for number in range(copies):
            for start in range(0, len(rows), ROWS_PER_GROUP):
                group = rows[start : start + ROWS_PER_GROUP]
                table = pa.Table.from_pylist([copy(row, number) for row in group], schema=schema)
                writer.write_table(table)


def copy(row: dict[str, Any], number: int) -> dict[str, Any]:
    """The notebook in another repository, with a mark in every cell."""
    marked = {**row, "repo": f"{row['repo']}-{number}"}
    try:
        document = json.loads(row["content"])
        cells = document["cells"]
    except (ValueError, KeyError, TypeError):  # broken notebooks stay broken
        return marked
    marks = {"markdown": f"\n\nThis is copy{number}.", "code": f"\ncopy{number} = {number}"}
    for cell in cells:
        if cell.get("cell_type") in marks:
            cell["source"] = join_source(cell.get("source")) + marks[cell["cell_type"]]
    return {**marked, "content": json.dumps(document)}


@dataclass(slots=True)
class Cost:
    """What a build took, at its peak."""

    wall: float = 0
    cpu: float = 0
    driver: int = 0
    worker: int = 0
    disk: int = 0


def build(source: Path, out: Path, workers: int, more: list[str]) -> Cost:
    """Run the real command, and look at its processes meanwhile."""
    command = [sys.executable, "-m", "juice", "build", str(source), "--out", str(out)]
    command += ["--workers", str(workers), "--no-install", *more]
    started, cost = time.monotonic(), Cost()
    seconds: dict[int, float] = {}
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        driver = psutil.Process(process.pid)
        while process.poll() is None:
            look(driver, cost, seconds)
            cost.disk = max(cost.disk, size_of(out.parent, f".{out.name}.*"))
            time.sleep(EVERY)
    assert process.returncode == 0
    cost.wall, cost.cpu = time.monotonic() - started, sum(seconds.values())
    return cost


def look(driver: psutil.Process, cost: Cost, seconds: dict[int, float]) -> None:
    """Note the memory and CPU time of the processes that run now."""
    try:
        children = driver.children(recursive=True)
        for process in (driver, *children):
            times, memory = process.cpu_times(), process.memory_info().rss
            seconds[process.pid] = times.user + times.system
            if process == driver:
                cost.driver = max(cost.driver, memory)
            else:
                cost.worker = max(cost.worker, memory)
    except psutil.NoSuchProcess:  # it ended between the two
        return


def size_of(folder: Path, pattern: str) -> int:
    """Bytes of the files below the folders of that name; some may be gone by now."""
    total = 0
    for path in folder.glob(f"{pattern}/**/*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total


if __name__ == "__main__":
    main()
