"""A built folder's figures: Table 2, packages, lengths, distances, licences, the drop funnel."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa

from nl2code.corpus.folders import JUICE, REPORT, refuse_incomplete, refuse_others
from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.statistics.distances import SAMPLE, definition_distances
from nl2code.corpus.statistics.measures import (
    GROUPS,
    Distribution,
    Table2,
    distribution_of_definitions,
    measure_distributions,
    measure_table2,
)
from nl2code.corpus.statistics.rows import fill_examples, split_files
from nl2code.errors import UserError, sentence
from nl2code.jsonl import read_json

TOP_PACKAGES = 20
_MEMORY = "1GB"


@dataclass(frozen=True, slots=True)
class Statistics:
    """What `statistics` finds in a built folder."""

    folder: Path
    digest: str
    """As build.json states it; empty when there is no such file."""
    table2: dict[str, Table2]
    distributions: tuple[Distribution, ...]
    packages: dict[str, dict[str, float]]
    """The share of a group's examples that import the package, most frequent package first."""
    licenses: dict[str, dict[str, int]]
    """Examples by licence and split; those without one are `unknown`."""
    sources: dict[str, dict[str, int]]
    """Examples by kind (train, nbgrader, exercise) and split."""
    funnel: tuple[tuple[str, str, int], ...]
    """(stage, reason, count) of the build; empty when there is no build.json."""
    sampled: dict[str, float]
    """The share of a group's examples that the distances of definitions were read from."""


def statistics(folder: Path, sample: int = SAMPLE) -> Statistics:
    """Measure the Parquet splits in `folder`, whoever built them.

    Memory does not grow with the examples: DuckDB scans the files, and keeps a narrow row an
    example, which it spills to disk. Only the distances of definitions parse Python; they come
    from all examples of a group or, where there are more than `sample`, from about as many.

    Raises:
        UserError: The folder holds no split, or a file that is not one of a dataset.
    """
    refuse_others(folder, JUICE)
    files = split_files(folder)
    refuse_incomplete(folder, JUICE)
    report = read_json(folder / REPORT) if (folder / REPORT).is_file() else {}
    with TemporaryDirectory() as scratch, duckdb.connect() as connection:
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute(f"SET memory_limit = '{_MEMORY}'; SET preserve_insertion_order = false")
        try:
            fill_examples(connection, files)
            return _measure(connection, folder, files, report, sample)
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise UserError(f"{folder}: the splits cannot be read: {sentence(error)}") from None


def _measure(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    files: dict[str, list[Path]],
    report: dict[str, Any],
    sample: int,
) -> Statistics:
    table2 = {group: measure_table2(connection, files, splits) for group, splits in GROUPS.items()}
    distances = {
        group: definition_distances(
            [path for split in splits for path in files[split]], sum(table2[group].examples), sample
        )
        for group, splits in GROUPS.items()
    }
    return Statistics(
        folder=folder,
        digest=str(report.get("digest", "")),
        table2=table2,
        distributions=(*measure_distributions(connection), distribution_of_definitions(distances)),
        packages=_packages(connection, table2),
        licenses=_by_split(connection, "license"),
        sources=_by_split(connection, "source"),
        funnel=_funnel(report, folder),
        sampled={group: found.share for group, found in distances.items()},
    )


def _packages(
    connection: duckdb.DuckDBPyConnection, table2: dict[str, Table2]
) -> dict[str, dict[str, float]]:
    found = connection.sql(
        """SELECT split, package, count(*) FROM (
             SELECT split, unnest(packages) AS package FROM examples) GROUP BY ALL"""
    ).fetchall()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for split, package, count in found:
        counts[package][split] += count
    most = sorted(counts, key=lambda package: (-counts[package].total(), package))[:TOP_PACKAGES]
    return {
        package: {
            group: sum(counts[package][split] for split in splits) / total
            for group, splits in GROUPS.items()
            if (total := sum(table2[group].examples))
        }
        for package in most
    }


def _by_split(connection: duckdb.DuckDBPyConnection, column: str) -> dict[str, dict[str, int]]:
    found = connection.sql(
        f"SELECT {column}, split, count(*) FROM examples GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(SPLITS, 0))
    for value, split, count in found:
        counts[value][split] = count
    return dict(sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])))


def _funnel(report: dict[str, Any], folder: Path) -> tuple[tuple[str, str, int], ...]:
    rows = report.get("funnel", [])
    try:
        return tuple((str(stage), str(reason), int(count)) for stage, reason, count in rows)
    except (TypeError, ValueError):
        raise UserError(
            f"{folder / REPORT}: funnel: rows of stage, reason and count are expected"
        ) from None
