"""The statistics of NL2Bash as tables of text, each figure beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator

from nl2code.corpus.nl2bash.statistics import Figure, PairStatistics
from nl2code.corpus.statistics.table import Table, number

_BAR = 24
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
            (figure.name, _shown(figure, figure.ours), _shown(figure, figure.published))
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
            _bar(bar.commands / most),
            number(bar.rank),
            number(bar.published_rank),
        )
        for bar in stats.histogram
    ]
    header = ("utility", "commands", "", "rank", "rank, paper")
    missing = ", ".join(stats.missing)
    note = f"Of the paper's utilities these are not there: {missing}." if missing else ""
    return Table("Utilities", header, tuple(rows), note)


def _bar(share: float) -> str:
    """A bar in a column that is flush right.

    >>> _bar(0.25)
    '██████░░░░░░░░░░░░░░░░░░'
    """
    return "█" * round(_BAR * share) + "░" * (_BAR - round(_BAR * share))


def _shown(figure: Figure, value: float | None) -> str:
    """A value of the figure, with as many decimals as the paper gives.

    >>> mean, median = (Figure("Table 3", name, 1.09, None) for name in ("a, mean", "a, median"))
    >>> [_shown(mean, 1.0871), _shown(median, 11.0), _shown(median, 7.5), _shown(mean, None)]
    ['1.09', '11', '7.5', '-']
    """
    if value is None or not figure.name.endswith("mean"):
        return number(value) if value is None or float(value).is_integer() else f"{value:,}"
    return f"{value:,.2f}" if figure.published < 2 else f"{value:,.1f}"
