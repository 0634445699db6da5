"""The statistics as tables of text, Table 2 beside the paper's; printed on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.statistics.figures import Statistics
from nl2code.corpus.statistics.measures import GROUPS, Distribution, Table2, quantile

PAPER = {
    "train": Table2((1_518_049,), 29.9, 39.6, 38.8, 851_127, 1_001_289, 0.453, 0.064, 0.482, 0.197),
    "dev/test": Table2((1_744, 1_981), 28.3, 57.2, 33.7, 11_142, 5_113, 0.586, 0.082, 0.619, 0.290),
}
"""Table 2 of the paper (section 3)."""

LABELS = {
    "examples": "examples",
    "context_cells": "average context cells",
    "nl_tokens": "average NL tokens",
    "code_tokens": "average code tokens",
    "unique_nl_tokens": "unique NL tokens",
    "unique_code_tokens": "unique code tokens",
    "uses_variables": "uses variables above",
    "uses_methods": "uses methods above",
    "contextual": "contextual",
    "multi_cell": "multi-cell",
}
"""The rows of Table 2."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to read: the first column names the row, the others are figures."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def tables(stats: Statistics) -> Iterator[Table]:
    """Yield all tables: Table 2, distributions, packages, licences, sources, the funnel."""
    yield table2(stats)
    yield summary(stats)
    yield packages(stats)
    yield sources(stats)
    yield licenses(stats)
    yield funnel(stats)


def print_statistics(stats: Statistics, console: Console) -> None:
    """Print all tables."""
    print_tables(tables(stats), console)
    if stats.digest:
        console.print(f"digest {stats.digest}", soft_wrap=True, highlight=False)


def print_tables(found: Iterable[Table], console: Console) -> None:
    """Print the tables, figures to the right."""
    for table in found:
        printed = RichTable(
            title=escape(table.title), caption=escape(table.note), box=box.SIMPLE_HEAD
        )
        for number, name in enumerate(table.header):
            printed.add_column(escape(name), justify="right" if number else "left")
        for row in table.rows:
            printed.add_row(*map(escape, row))
        console.print(printed)


def table2(stats: Statistics) -> Table:
    """Table 2, ours beside the paper's, and what differs."""
    header = ["", *(name for group in GROUPS for name in (group, f"{group}, paper"))]
    rows = [
        (
            label,
            *(
                _cell(column, name)
                for group in GROUPS
                for column in (stats.table2[group], PAPER[group])
            ),
        )
        for name, label in LABELS.items()
    ]
    return Table("Table 2", tuple(header), tuple(rows), differences(stats))


def _cell(column: Table2, name: str) -> str:
    """A figure of Table 2, its fractions as percentages.

    >>> [_cell(PAPER["dev/test"], name) for name in ("examples", "nl_tokens", "contextual")]
    ['1,744 / 1,981', '57.2', '61.9 %']
    """
    value = getattr(column, name)
    if isinstance(value, tuple):
        return " / ".join(f"{count:,}" for count in value)
    if value is None or isinstance(value, int):
        return number(value)
    return (
        f"{value:.1f}" if name in ("context_cells", "nl_tokens", "code_tokens") else percent(value)
    )


def number(value: float | None) -> str:
    """A count with its thousands apart; `-` where there is none."""
    return "-" if value is None else f"{value:,.0f}"


def percent(fraction: float | None) -> str:
    """A fraction as a percentage; `-` where there is none."""
    return "-" if fraction is None else f"{100 * fraction:.1f} %"


def differences(stats: Statistics) -> str:
    """What sets our figures apart from the paper's."""
    kinds = {
        source: sum(counts[split] for split in GROUPS["dev/test"])
        for source, counts in stats.sources.items()
    }
    made = ", ".join(f"{count:,} of kind {source}" for source, count in kinds.items() if count)
    return (
        "The paper's figures are of other notebooks (659K from GitHub in 2019) and its dev and test"
        " are nbgrader and exercise problems; dev and test here: "
        f"{made or 'no example'} (kind train: held out, not curated). Tokens follow the"
        " released files; how the paper counted them and traced names it does not print. Unique"
        " tokens grow with the examples: compare them at like sizes."
    )


def summary(stats: Statistics) -> Table:
    """Mean and quantiles of each distribution."""
    header = ("value", "group", "mean", "median", "90 %", "largest", "counted", "without")
    rows = tuple(
        (f"{distribution.name}, {distribution.unit}", group, *_summarised(distribution, group))
        for distribution in stats.distributions
        for group in GROUPS
    )
    shares = ", ".join(f"{percent(share)} of {group}" for group, share in stats.sampled.items())
    note = (
        "Context length and distances are those of the stored context; NL distance is that of the"
        " nearest markdown, definition distance that of the nearest definition of each name that"
        f" the target takes from above, read from {shares}. Without: examples that have no"
        " markdown above, names whose definition is not in the stored context."
    )
    return Table("Lengths and distances", header, rows, note)


def _summarised(distribution: Distribution, group: str) -> Iterator[str]:
    counts = distribution.counts[group]
    total = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / total if total else None
    yield "-" if mean is None else f"{mean:.1f}"
    for share in (0.5, 0.9, 1):
        yield number(quantile(counts, share))
    yield number(total)
    yield number(distribution.missing.get(group, 0))


def packages(stats: Statistics) -> Table:
    """The most imported packages, as shares of the examples."""
    rows = tuple(
        (package, *(percent(found.get(group)) for group in GROUPS))
        for package, found in stats.packages.items()
    )
    note = (
        "Share of the examples whose target or stored context imports the package, by the import"
        " statements at the start of a line; by examples of all splits."
    )
    return Table("Packages", ("package", *GROUPS), rows, note)


def sources(stats: Statistics) -> Table:
    """Examples by the kind of notebook that they come from."""
    return _by_split("Sources", "source", stats.sources)


def licenses(stats: Statistics) -> Table:
    """Examples by licence."""
    return _by_split("Licences", "licence", stats.licenses)


def _by_split(title: str, name: str, counts: dict[str, dict[str, int]]) -> Table:
    rows = tuple(
        (value, *(number(found[split]) for split in SPLITS)) for value, found in counts.items()
    )
    return Table(title, (name, *SPLITS), rows, "Examples.")


def funnel(stats: Statistics) -> Table:
    """What the build kept and dropped, by stage."""
    note = "`kept` closes a stage." if stats.funnel else "Unknown: the folder has no build.json."
    rows = tuple((stage, reason, number(count)) for stage, reason, count in stats.funnel)
    return Table("Kept and dropped", ("stage", "reason", "count"), rows, note)
