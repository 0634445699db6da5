"""Sources → the built folder: Parquet a split, a card, and the counts of what was dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from nl2code.corpus.attribution import license_table, write_attribution
from nl2code.corpus.contexts import Contexts
from nl2code.corpus.curated import Problems, forget_problems, write_problems
from nl2code.corpus.files import SplitFiles, digest_of, write_files
from nl2code.corpus.held_out import SPLITS, HeldOut
from nl2code.corpus.licenses import WHERE_FROM
from nl2code.corpus.mapping import Drops, map_notebooks
from nl2code.corpus.notebook_parts import NOTEBOOKS
from nl2code.corpus.parts import CANDIDATES
from nl2code.corpus.shards import Cluster, plain
from nl2code.corpus.splits import choose
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import InOrder, Workers
from nl2code.errors import UserError
from nl2code.sources import find_notebooks

FEW_PROBLEMS = 100
"""With fewer curated problems `auto` says that another dev and test would be larger."""
_KEYS_MEMORY = "1GB"


@dataclass(slots=True)
class Built:
    """What a build did: what the card says and `build.json` holds."""

    splits: dict[str, SplitFiles] = field(default_factory=dict)
    funnel: list[tuple[str, str, int]] = field(default_factory=list)
    """(stage, reason, count), `kept` among the reasons of each stage."""
    licenses: dict[str, int] = field(default_factory=dict)
    redacted: dict[str, int] = field(default_factory=dict)
    """How many addresses, keys and tokens were redacted, by kind."""
    bytes_per_example: dict[str, float] = field(default_factory=dict)
    """On disk, with the full context, by split."""
    options: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    note: str = ""
    """What the user should know of how dev and test were made."""


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
            held_out, built.note = _settle(held_out, problems, drops)
            if held_out.unit != "curated":
                problems = forget_problems(parts)
        if not any((parts / CANDIDATES).iterdir()):
            raise UserError(_nothing_left(sources, drops))
        duplicates = choose(connection, parts / CANDIDATES, held_out, processes.map)
        contexts = partial(Contexts, parts / NOTEBOOKS, rules.max_context_cells)
        for split in SPLITS:
            written = _write_split(connection, split, folder, contexts, processes.map)
            size = sum((folder / file).stat().st_size for file in written.files)
            built.splits[split] = written
            built.bytes_per_example[split] = round(size / max(1, written.examples), 1)
        built.licenses = {name: examples for name, examples, _ in license_table(connection, folder)}
        write_attribution(connection, folder)
    built.options = plain(rules) | held_out.options()
    del built.options["curated"]  # `dev_test` says so
    kept = sum(split.examples for split in built.splits.values())
    built.funnel = funnel(drops, problems, duplicates, kept)
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
            f"--executor {cluster.executor}: {error.name} is missing: pip install"
            " 'nl2code[cluster]'"
        ) from None
    return map_in_tasks(cluster, sources, rules, parts, workers.count, report)


def _settle(held_out: HeldOut, problems: Problems, drops: Drops) -> tuple[HeldOut, str]:
    """What dev and test are made of, now that the problems are known; and a word on `auto`."""
    found = problems.kept.total()
    if held_out.unit == "auto" and found:
        note = (
            f"There are {found} curated problems only; --dev-test repositories makes a larger dev"
            " and test."
        )
        return replace(held_out, unit="curated"), note if found < FEW_PROBLEMS else ""
    if held_out.unit == "auto":
        return replace(held_out, unit="repositories"), (
            "The notebooks hold no nbgrader assignment and no exercise with its solution, so whole"
            " repositories are held out."
        )
    if held_out.unit == "curated" and not found:
        raise UserError(
            f"--dev-test curated: no nbgrader assignment and no exercise with its solution in"
            f" {drops.notebooks} notebooks gives a problem; --dev-test repositories holds out"
            " whole repositories instead"
        )
    return held_out, ""


def _nothing_left(sources: list[Path], drops: Drops) -> str:
    reasons = drops.unreadable + drops.filtered + drops.targets
    counts = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    where = ", ".join(map(str, sources))
    hint = f"; {WHERE_FROM}" if drops.filtered["license_unknown"] else ""
    dropped = f"dropped: {counts or 'nothing'}{hint}"
    return f"{where}: no example in {drops.notebooks} notebooks; {dropped}"


def funnel(
    drops: Drops, problems: Problems, duplicates: dict[str, int], kept: int
) -> list[tuple[str, str, int]]:
    """The table of reasons, from the notebooks found to the examples kept."""
    read = drops.notebooks - drops.unreadable.total()
    unique = kept + sum(duplicates.values())
    stages = {
        "read": (drops.unreadable, read),
        "notebook": (drops.filtered, read - drops.filtered.total()),
        "target": (drops.targets, unique - problems.kept.total()),
    }
    for source, reasons in problems.drops.items():
        graded = drops.graded if source == "nbgrader" else Counter()
        stages[source] = (reasons + graded, problems.kept[source])
    stages["duplicate"] = (Counter(duplicates), kept)
    rows = []
    for stage, (reasons, left) in stages.items():
        counted = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        rows += [(stage, reason, count) for reason, count in counted if count]
        rows.append((stage, "kept", left))
    return rows


def _write_split(
    connection: duckdb.DuckDBPyConnection,
    split: str,
    folder: Path,
    contexts: Callable[[], Contexts],
    in_order: InOrder,
) -> SplitFiles:
    """Write the split by repository, path and cell; only keys are sorted, rows are read back."""
    ((examples, repositories, notebooks),) = connection.execute(
        "SELECT count(*), count(DISTINCT repo), count(DISTINCT (repo, path)) FROM ranked"
        " WHERE split = ?",
        [split],
    ).fetchall()
    places = connection.sql(
        "SELECT filename, file_row_number FROM ranked WHERE split = ?"
        " ORDER BY repo, path, cell, id",
        params=[split],
    ).to_arrow_reader(10_000)
    rows = (tuple(row.values()) for batch in places for row in batch.to_pylist())
    files = write_files(split, folder, examples, rows, contexts, in_order)
    return SplitFiles(files, examples, repositories, notebooks)
