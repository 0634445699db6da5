"""What row order, row groups and compression cost in bytes, and what shuffling costs in time.

    python benchmarks/size.py juice --page benchmarks/size.md

Writes train of a built folder again in other ways, and reads it in an order as for training: as a
stream with a shuffle buffer, and by shuffled indices of a map-style dataset.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.features import FEATURES

EXAMPLES = 1_518_049
"""In the paper's training set."""
ROWS_PER_FILE = 10_000
BATCH = 64
VARIANTS = [
    *(("notebook", rows, 1) for rows in (50, 200, 1_000, 10_000)),
    *(("notebook", 200, level) for level in (9, 19)),
    *(("shuffled", rows, 1) for rows in (200, 1_000, 10_000)),
]
BUFFERS = (0, 1_000, 10_000)


def main() -> None:
    """Print both tables, and write them to a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    files = sorted(options.folder.glob("train-*.parquet"))
    with tempfile.TemporaryDirectory() as scratch:
        read = list(shuffles(files, Path(scratch)))  # first: a fork has the memory of its parent
        train = pa.concat_tables(map(pq.read_table, files)).cast(FEATURES.arrow_schema)
        lines = [f"Train of a build of {len(train):,} examples; the paper's has {EXAMPLES:,}.", ""]
        lines += table(
            "| order | rows a group | zstd level | bytes an example | GB at the paper's size |"
            " write, s | read, rows/s | one row at random, ms |",
            (size_of(train, variant, Path(scratch)) for variant in VARIANTS),
        )
        lines += ["Reading the folder as it was built, in CPU seconds:", ""]
        lines += table(
            "| how | rows | s to the first row | rows/s | notebooks in a batch of 64 |"
            " peak memory, MB |",
            read,
        )
    print("\n".join(lines))
    if options.page:
        options.page.write_text("\n".join(["# Size", "", *lines]), "utf-8")


def table(header: str, rows: Iterable[tuple[object, ...]]) -> list[str]:
    """Lines of markdown."""
    columns = header.count("|") - 1
    cells = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return [header, "| --- " * columns + "|", *cells, ""]


def size_of(train: pa.Table, variant: tuple[str, int, int], scratch: Path) -> tuple[object, ...]:
    """Write train in this way; return what it costs."""
    order, rows, level = variant
    places = list(range(len(train)))
    if order == "shuffled":
        random.Random(0).shuffle(places)
        train = train.take(pa.array(places))
    folder = scratch / f"{order}-{rows}-{level}"
    folder.mkdir()
    started = time.process_time()
    for number, start in enumerate(range(0, len(train), ROWS_PER_FILE)):
        part = train.slice(start, ROWS_PER_FILE).combine_chunks()
        file = folder / f"train-{number:05d}.parquet"
        pq.write_table(part, file, row_group_size=rows, compression="zstd", compression_level=level)
    written = time.process_time() - started
    files = sorted(folder.iterdir())
    a_row = sum(file.stat().st_size for file in files) / len(train)
    return (
        *(order, f"{rows:,}", level, f"{a_row:,.0f}", f"{a_row * EXAMPLES / 1e9:.1f}"),
        *(f"{written:.1f}", f"{len(train) / seconds(lambda: read_all(files)):,.0f}"),
        f"{1e3 * seconds(lambda: read_at_random(files, 20)) / 20:.0f}",
    )


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds: they say the same on a busy machine."""
    started = time.process_time()
    work()
    return time.process_time() - started


def read_all(files: list[Path]) -> None:
    """Read every row as Python objects."""
    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(200):
            batch.to_pylist()


def read_at_random(files: list[Path], count: int) -> None:
    """Read single rows, each with its row group: as an index into Parquet would."""
    draw = random.Random(0)
    for _ in range(count):
        file = pq.ParquetFile(draw.choice(files))
        group = file.read_row_group(draw.randrange(file.num_row_groups))
        group.slice(draw.randrange(len(group)), 1).to_pylist()


def shuffles(files: list[Path], scratch: Path) -> Iterator[tuple[object, ...]]:
    """Read 10,000 rows in each way, in a process of its own."""
    names = list(map(str, files))
    for size in BUFFERS:
        how = f"streaming, buffer of {size:,}" if size else "streaming, not shuffled"
        yield measured(how, lambda size=size: stream(names, size))
    yield measured("map-style, in order", lambda: by_index(names, scratch, shuffled=False))
    yield measured("map-style, shuffled indices", lambda: by_index(names, scratch, shuffled=True))


def stream(files: list[str], buffer: int) -> Iterator[dict[str, Any]]:
    """Rows as `load_dataset(…, streaming=True).shuffle(buffer_size=…)` gives them."""
    rows = datasets.load_dataset("parquet", data_files=files, split="train", streaming=True)
    yield from rows.shuffle(seed=0, buffer_size=buffer) if buffer else rows


def by_index(files: list[str], scratch: Path, shuffled: bool) -> Iterator[dict[str, Any]]:
    """Rows as `load_dataset(…).shuffle()` gives them, from the Arrow files in the cache."""
    cache = str(scratch / "cache")
    rows = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=cache)
    yield from rows.shuffle(seed=0) if shuffled else rows


def measured(how: str, make: Callable[[], Iterator[dict[str, Any]]]) -> tuple[object, ...]:
    """Run in a process of its own, so that its peak memory is its own."""
    context = get_context("fork")
    receiver, sender = context.Pipe()

    def work() -> None:
        datasets.disable_progress_bars()
        before = time.process_time()
        rows = make()
        next(rows)
        first = time.process_time()
        count, mixed = 1, []
        while batch := list(islice(rows, BATCH)):
            count += len(batch)
            places = {(row["metadata"]["repo"], row["metadata"]["path"]) for row in batch}
            mixed.append(len(places) if len(batch) == BATCH else 0)
            if count > 10_000:
                break
        rate = count / max(time.process_time() - first, 1e-9)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        notebooks = sum(mixed) / max(1, sum(map(bool, mixed)))
        line = how, f"{count:,}", f"{first - before:.1f}", f"{rate:,.0f}", f"{notebooks:.0f}"
        sender.send((*line, f"{memory:,.0f}"))

    process = context.Process(target=work)
    process.start()
    sender.close()
    line: tuple[object, ...] = receiver.recv()
    process.join()
    return line


if __name__ == "__main__":
    main()
