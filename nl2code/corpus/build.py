"""Sources → the built folder: Parquet a split, a card, and the counts of what was dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from nl2code.corpus.attribution import license_table, write_attribution
from nl2code.corpus.contexts import Contexts
from nl2code.corpus.curated import Problems, write_problems
from nl2code.corpus.files import SplitFiles, digest_of, file_names, share_out, write_files
from nl2code.corpus.funnel import Funnel, funnel, nothing_left, why_empty
from nl2code.corpus.held_out import SPLITS, HeldOut
from nl2code.corpus.mapping import Drops, map_notebooks
from nl2code.corpus.notebook_parts import NOTEBOOKS
from nl2code.corpus.parts import CANDIDATES, Place
from nl2code.corpus.settling import settle
from nl2code.corpus.shards import Cluster, plain
from nl2code.corpus.splits import choose, count_names
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import Workers
from nl2code.errors import UserError
from nl2code.sources import find_notebooks

_KEYS_MEMORY = "1GB"


@dataclass(slots=True)
class Built:
    """What a build did: what the card says and `build.json` holds."""

    splits: dict[str, SplitFiles] = field(default_factory=dict)
    funnel: Funnel = field(default_factory=list)
    licenses: dict[str, int] = field(default_factory=dict)
    redacted: dict[str, int] = field(default_factory=dict)
    """How many addresses, keys and tokens were redacted, by kind."""
    bytes_per_example: dict[str, float] = field(default_factory=dict)
    """On disk, with the full context, by split."""
    options: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    note: str = ""
    """What the user should know of how dev and test were made, and why a split is empty."""


def build(
    sources: list[Path],
    folder: Path,
    rules: TargetRules,
    held_out: HeldOut,
    workers: int = 1,
    report: Callable[[int], object] = lambda count: None,
    cluster: Cluster | None = None,
) -> Built:
    """Build the dataset's Parquet files in the new folder `folder`.

    The same notebooks give the same bytes, whatever the workers, the executor, the tasks and the
    order of the sources.

    Raises:
        UserError: A source cannot be used, or no example is left.
    """
    folder.mkdir(parents=True)
    built = Built()
    with (
        TemporaryDirectory(dir=folder) as scratch,
        duckdb.connect() as connection,
        Workers(workers) as processes,
    ):
        parts = Path(scratch)
        drops = _map(sources, parts, rules, processes, report, cluster)
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute(f"SET memory_limit = '{_KEYS_MEMORY}'; SET threads = {workers}")
        # Kept in their order, the rows of each row group cost memory of their own, and a notebook
        # is a row group: a gigabyte was full at 37,000 notebooks. No query of ours relies on it.
        connection.execute("SET preserve_insertion_order = false")
        problems = Problems()
        if rules.curated:
            problems = write_problems(connection, parts, rules, held_out, processes.map)
        if not any((parts / CANDIDATES).iterdir()):
            raise UserError(nothing_left(sources, drops, problems))
        names = count_names(connection, parts / CANDIDATES)
        held_out, chosen = settle(held_out, drops, problems, names)
        duplicates = choose(connection, parts / CANDIDATES, held_out, processes.map)
        contexts = partial(Contexts, parts / NOTEBOOKS, rules.max_context_cells)
        built.splits = {split: _files_of(connection, split) for split in SPLITS}
        # In one go, so that no worker waits for another split's last file.
        files = (
            file
            for split, written in built.splits.items()
            for file in share_out(_places(connection, split), written.files)
        )
        write_files(folder, files, contexts, processes.map)
        for split, written in built.splits.items():
            size = sum((folder / file).stat().st_size for file in written.files)
            built.bytes_per_example[split] = round(size / max(1, written.examples), 1)
        built.licenses = {name: examples for name, examples, _ in license_table(connection, folder)}
        write_attribution(connection, folder)
    built.options = plain(rules) | held_out.options()
    del built.options["curated"]  # `dev_test` says so
    kept = sum(split.examples for split in built.splits.values())
    built.funnel = funnel(drops, problems, duplicates, kept)
    empty = why_empty(built.splits, built.funnel, held_out.unit, names.assignments)
    built.note = "\n".join(filter(None, [chosen, empty]))
    built.redacted = dict(sorted(drops.redacted.items()))
    built.digest = digest_of(folder)
    return built


def _map(
    sources: list[Path],
    parts: Path,
    rules: TargetRules,
    workers: Workers,
    report: Callable[[int], object],
    cluster: Cluster | None,
) -> Drops:
    if cluster is None:
        return map_notebooks(find_notebooks(sources), parts, rules, workers, report)
    try:
        from nl2code.corpus.executors import map_in_tasks
    except ImportError as error:
        raise UserError(
            f"--executor {cluster.executor}: {error.name} is missing: pip install -e '.[cluster]'"
            " in the folder of juice.py"
        ) from None
    return map_in_tasks(cluster, sources, rules, parts, workers.count, report)


def _files_of(connection: duckdb.DuckDBPyConnection, split: str) -> SplitFiles:
    ((examples, repositories, notebooks),) = connection.execute(
        "SELECT count(*), count(DISTINCT repo), count(DISTINCT (repo, path)) FROM ranked"
        " WHERE split = ?",
        [split],
    ).fetchall()
    return SplitFiles(file_names(split, examples), examples, repositories, notebooks)


def _places(connection: duckdb.DuckDBPyConnection, split: str) -> Iterator[Place]:
    """The split by repository, path and cell; only keys are sorted, rows are read back."""
    places = connection.sql(
        "SELECT filename, file_row_number FROM ranked WHERE split = ?"
        " ORDER BY repo, path, cell, id",
        params=[split],
    ).to_arrow_reader(10_000)
    yield from (tuple(row.values()) for batch in places for row in batch.to_pylist())
