"""The figures of Table 2 and the distributions, from the narrow rows of the examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import duckdb

from nl2code.corpus.statistics.distances import Distances
from nl2code.corpus.statistics.rows import count_distinct

GROUPS = {"train": ("train",), "dev/test": ("dev", "test")}
"""The columns of the paper's tables, and the splits that each of them holds."""
_COUNTED = (
    ("NL length", "tokens", "nl_tokens", (0, 1, 6, 11, 21, 41, 81, 161, 321)),
    ("Target length", "tokens", "code_tokens", (0, 1, 11, 21, 31, 41, 61, 81, 101, 121)),
    ("Context length", "cells", "context_cells", (0, 1, 3, 6, 11, 21, 41, 81, 161)),
    ("API calls", "calls of the target", "api_calls", (0, 1, 2, 3, 4, 5, 6, 8, 11, 16)),
    ("NL distance", "cells above the target", "nl_distance", (1, 2, 3, 4, 5, 6, 11)),
)
"""Name, unit, column of the table `examples`, and starts of the bins."""


@dataclass(frozen=True, slots=True)
class Table2:
    """A column of the paper's Table 2: averages, and shares as fractions; None of no example."""

    examples: tuple[int, ...]
    """One a split of the group, in their order."""
    context_cells: float | None
    nl_tokens: float | None
    code_tokens: float | None
    unique_nl_tokens: int
    unique_code_tokens: int
    uses_variables: float | None
    uses_methods: float | None
    contextual: float | None
    multi_cell: float | None


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often each value occurs, by group; `missing` counts what has no value."""

    name: str
    unit: str
    """What one of the value is: a token, a cell …, in the plural."""
    of: str
    """What is counted: `examples`, or `names`."""
    starts: tuple[int, ...]
    """The first value of each bin that a report shows."""
    counts: dict[str, dict[int, int]]
    missing: dict[str, int] = field(default_factory=dict)


def measure_table2(
    connection: duckdb.DuckDBPyConnection, files: dict[str, list[Path]], splits: tuple[str, ...]
) -> Table2:
    """Return the column of Table 2 for the examples of `splits`."""
    found = connection.execute("SELECT split, count(*) FROM examples GROUP BY split").fetchall()
    examples = tuple(dict(found).get(split, 0) for split in splits)
    total = sum(examples)
    (sums,) = connection.execute(
        """SELECT sum(context_cells), sum(nl_tokens), sum(code_tokens), sum(uses_variables::INT),
           sum(uses_methods::INT), sum(contextual::INT), sum(multi_cell::INT)
           FROM examples WHERE list_contains(?, split)""",
        [list(splits)],
    ).fetchall()
    # Divided here, from whole numbers: no average hangs on the order in which threads add.
    context, nl, code, *flags = (int(value) / total if total else None for value in sums)
    paths = [path for split in splits for path in files[split]]
    unique = (count_distinct(connection, paths, column) for column in ("nl", "code_tokens_clean"))
    return Table2(examples, context, nl, code, *unique, *flags)


def measure_distributions(connection: duckdb.DuckDBPyConnection) -> Iterator[Distribution]:
    """Yield the distributions that need no more than the narrow rows."""
    for name, unit, column, starts in _COUNTED:
        counts: dict[str, dict[int, int]] = {}
        missing: dict[str, int] = {}
        for group, splits in GROUPS.items():
            found: dict[int | None, int] = dict(
                connection.execute(
                    f"SELECT {column}, count(*) FROM examples WHERE list_contains(?, split)"
                    " GROUP BY 1 ORDER BY 1",
                    [list(splits)],
                ).fetchall()
            )
            missing[group] = found.pop(None, 0)
            counts[group] = {value: count for value, count in found.items() if value is not None}
        yield Distribution(name, unit, "examples", starts, counts, missing)


def distribution_of_definitions(distances: dict[str, Distances]) -> Distribution:
    """Return how far above the nearest definitions stand; a name without one is missing."""
    return Distribution(
        "Definition distance",
        "cells above the target",
        "names",
        (1, 2, 3, 4, 5, 6, 11, 21, 41),
        {group: found.counts for group, found in distances.items()},
        {group: found.missing for group, found in distances.items()},
    )


def quantile(counts: dict[int, int], share: float) -> int | None:
    """The smallest value that at least `share` of all values do not exceed.

    >>> [quantile({1: 5, 2: 3, 9: 2}, share) for share in (0.5, 0.8, 0.9)]
    [1, 2, 9]
    """
    needed, seen = share * sum(counts.values()), 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= needed:
            return value
    return None


def bins(distribution: Distribution) -> tuple[str, ...]:
    """The labels of the bins.

    >>> bins(Distribution("API", "calls", "examples", (0, 1, 2, 5), {}))
    ('0', '1', '2-4', '5+')
    """
    starts = distribution.starts
    inner = [f"{a}-{b - 1}" if b - a > 1 else str(a) for a, b in pairwise(starts)]
    return (*inner, f"{starts[-1]}+")


def shares_of_bins(distribution: Distribution, group: str) -> list[float]:
    """The share of each bin, among the values that are there."""
    counts = distribution.counts[group]
    total = sum(counts.values())
    ends = (*distribution.starts[1:], float("inf"))
    return [
        sum(count for value, count in counts.items() if start <= value < end) / (total or 1)
        for start, end in zip(distribution.starts, ends, strict=True)
    ]
