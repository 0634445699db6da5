"""The statistics of NL2Bash as tables of text, each figure beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator

from nl2code.corpus.nl2bash_statistics import PairStatistics
from nl2code.corpus.statistics.table import Table

_BAR = 40
_NOTES = {
    "Table 3": "Over all pairs. Words: without stop words, not stemmed, asides in parentheses"
    " included, which gives the paper's figures; the spelling is not corrected.",
    "Table 4": "Nested commands are counted too, each occurrence once.",
    "Table 5": "Of distinct pairs.",
}


def tables(stats: PairStatistics) -> Iterator[Table]:
    """Yield the splits, Tables 3 to 5, and the histogram of utilities."""
    yield _splits(stats)
    for name in _NOTES:
        rows = [
            (figure.name, number(figure.ours), number(figure.published))
            for figure in stats.figures
            if figure.table == name
        ]
        yield Table(name, ("", "ours", "paper"), tuple(rows), _NOTES[name])
    yield _histogram(stats)


def _splits(stats: PairStatistics) -> Table:
    published = {"train": 8_090, "dev": 609, "test": 606}
    rows = [(name, number(count), number(published[name])) for name, count in stats.splits.items()]
    note = f"{stats.unparsed:,} commands do not parse." if stats.unparsed else ""
    return Table("Pairs", ("split", "ours", "paper"), tuple(rows), note)


def _histogram(stats: PairStatistics) -> Table:
    most = max((bar.commands for bar in stats.histogram), default=1)
    rows = [
        (
            bar.name,
            number(bar.commands),
            "█" * round(_BAR * bar.commands / most) or "▏",
            number(bar.rank),
            number(bar.published_rank),
        )
        for bar in stats.histogram
    ]
    header = ("utility", "commands", "", "rank", "rank, paper")
    missing = ", ".join(stats.missing)
    note = f"Of the paper's utilities these are not there: {missing}." if missing else ""
    return Table("Utilities", header, tuple(rows), note)


def number(value: float | None) -> str:
    """A figure as the paper writes it.

    >>> [number(value) for value in (8559, 11.0, 7.5, 1.0871, 155.03, None)]
    ['8,559', '11', '7.5', '1.09', '155.0', '-']
    """
    if value is None:
        return "-"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if value < 2 else f"{value:,.1f}"
