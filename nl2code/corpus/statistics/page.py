"""The statistics as one self-contained HTML page: no network, no script, the same bytes always."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from nl2code.corpus.statistics import table as text
from nl2code.corpus.statistics.figures import Statistics
from nl2code.corpus.statistics.measures import GROUPS, Distribution, bins, shares_of_bins
from nl2code.corpus.statistics.table import Table
from nl2code.errors import UserError
from nl2code.jsonl import write_text

if TYPE_CHECKING:
    from markupsafe import Markup

    from nl2code.corpus.statistics.plots import Chart


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart, drawn, and its figures as a table for those who do not see it."""

    title: str
    svg: Markup
    table: Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: a table, plots, or both."""

    title: str
    note: str
    table: Table | None = None
    plots: tuple[Plot, ...] = ()


def write_page(stats: Statistics, path: Path) -> None:
    """Write the page; it appears whole or not at all.

    Raises:
        UserError: The path is a folder, or the extra `stats` is not installed.
    """
    if path.is_dir():
        raise UserError(f"--page {path}: is a folder; name a file")
    try:
        page = render(stats)
    except ModuleNotFoundError as error:
        raise UserError(
            f"--page {path}: needs the extra `stats` (no module named {error.name})"
        ) from None
    write_text(path, page)


def render(stats: Statistics) -> str:
    """Return the page."""
    # Here, and not above: the tables on the terminal need neither Jinja nor matplotlib.
    from jinja2 import Environment, StrictUndefined

    template = resources.files("nl2code.corpus.statistics").joinpath("page.html")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    # A folder's name may hold bytes that are no text.
    name = stats.folder.resolve().name.encode(errors="replace").decode()
    page = environment.from_string(template.read_text(encoding="utf-8"))
    return page.render(name=name, digest=stats.digest, sections=list(_sections(stats))) + "\n"


def _sections(stats: Statistics) -> Iterator[Section]:
    table = text.table2(stats)
    yield Section(f"{table.title}, beside the paper's", table.note, table)
    table = text.summary(stats)
    plots = tuple(_distribution(found) for found in stats.distributions)
    yield Section(table.title, f"{table.note} {_BINS}", table, plots)
    table = text.packages(stats)
    yield Section(table.title, table.note, plots=tuple(_packages(stats, table)))
    for table in (text.sources(stats), text.licenses(stats)):
        yield Section(table.title, table.note, table)
    table = text.funnel(stats)
    yield Section(table.title, table.note, table, tuple(_drops(stats)))


_BINS = "The bars are shares of what has a value; bins differ in width."
_COUNTED = {
    "read": "notebooks",
    "notebook": "notebooks",
    "target": "targets",
    "duplicate": "targets",
}
"""What each stage of a build counts; one that is not known here is drawn all the same."""


def _distribution(found: Distribution) -> Plot:
    from nl2code.corpus.statistics.plots import Chart

    labels = bins(found)
    shares = {group: shares_of_bins(found, group) for group in GROUPS}
    chart = Chart(
        found.name,
        labels,
        {group: [100 * share for share in values] for group, values in shares.items()},
        f"{found.name} [{found.unit}]",
        f"share of {found.of} [%]",
    )
    rows = zip(labels, *(map(text.percent, values) for values in shares.values()), strict=True)
    return _plot(chart, Table(found.name, (found.unit, *GROUPS), tuple(rows)))


def _packages(stats: Statistics, table: Table) -> Iterator[Plot]:
    from nl2code.corpus.statistics.plots import Chart

    if not stats.packages:
        return
    series = {
        group: [100 * found.get(group, 0.0) for found in stats.packages.values()]
        for group in GROUPS
    }
    title = f"The {len(stats.packages)} packages imported most"
    chart = Chart(title, tuple(stats.packages), series, "package", "share of examples [%]", True)
    yield _plot(chart, table)


def _drops(stats: Statistics) -> Iterator[Plot]:
    from nl2code.corpus.statistics.plots import Chart

    for stage in dict.fromkeys(stage for stage, _, _ in stats.funnel):
        found = {reason: count for at, reason, count in stats.funnel if at == stage}
        what = _COUNTED.get(stage, "count")
        chart = Chart(
            f"Stage: {stage}", tuple(found), {what: list(found.values())}, "reason", what, True
        )
        rows = tuple((reason, text.number(count)) for reason, count in found.items())
        yield _plot(chart, Table(chart.title, ("reason", what), rows))


def _plot(chart: Chart, table: Table) -> Plot:
    from markupsafe import Markup

    from nl2code.corpus.statistics.plots import svg

    return Plot(chart.title, Markup(svg(chart)), table)
