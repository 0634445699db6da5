"""Bar charts as inline SVG that takes its colours from the page; the same bytes always."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_WIDTH, _HEIGHT, _ROW = 4.8, 2.9, 0.27
"""Inches. Narrow, so that a phone shows the labels at a size that can be read."""

# Colours that stand for the page's variables, whose values change in the dark.
_INK, _GRID = "#010101", "#020202"
_SERIES = ("#030303", "#040404")
_VARIABLES = {_INK: "--ink", _GRID: "--grid", _SERIES[0]: "--first", _SERIES[1]: "--second"}

_SETTINGS = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",  # comes with matplotlib: no layout hangs on a machine's fonts
    "font.size": 10,
    "text.color": _INK,
    "text.parse_math": False,  # a label is text, dollar signs and all
    "axes.labelcolor": _INK,
    "axes.edgecolor": _GRID,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.limits": (-9, 12),  # no powers of ten
    "grid.color": _GRID,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
}


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars for each label, one a series (at most two), and what the axes say, with units."""

    title: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]
    label_axis: str
    value_axis: str
    lying: bool = False
    """Bars from left to right, one label a line: for long labels."""


def svg(chart: Chart) -> str:
    """Draw the chart; its title is its name for readers that do not see it."""
    # On top of "default": a user's own style must not change the page.
    with style.context(["default", {**_SETTINGS, "svg.hashsalt": chart.title}]):
        height = 1 + _ROW * len(chart.labels) if chart.lying else _HEIGHT
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        plot = figure.add_subplot()
        _draw_bars(plot, chart)
        if len(chart.series) > 1:
            figure.legend(loc="outside upper right", ncols=len(chart.series))
        drawn = StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)
    return _inline(drawn.getvalue(), chart.title)


def _draw_bars(plot: Axes, chart: Chart) -> None:
    width = 0.8 / len(chart.series)
    draw: Callable[..., object] = plot.barh if chart.lying else plot.bar
    for number, (name, values) in enumerate(chart.series.items()):
        shift = width * (number - (len(chart.series) - 1) / 2)
        places = [place + shift for place in range(len(chart.labels))]
        draw(places, values, width, label=name, color=_SERIES[number])
    if chart.lying:
        plot.set(xlabel=chart.value_axis, ylabel=chart.label_axis)
        plot.set_yticks(range(len(chart.labels)), chart.labels)
        plot.set_ylim(len(chart.labels) - 0.5, -0.5)
    else:
        plot.set(xlabel=chart.label_axis, ylabel=chart.value_axis)
        plot.set_xticks(
            range(len(chart.labels)), chart.labels, rotation=45, ha="right", rotation_mode="anchor"
        )
    plot.grid(axis="y" if chart.lying else "x", visible=False)


def _inline(drawn: str, title: str) -> str:
    """The `svg` element alone, as wide as the page lets it be, with colours by name."""
    element = drawn[drawn.index("<svg") :].strip()
    element = re.sub(
        r'<svg .*?viewBox="(.*?)".*?>',
        rf'<svg viewBox="\1" role="img" aria-label="{escape(title)}">',
        element,
        count=1,
        flags=re.DOTALL,
    )
    for colour, variable in _VARIABLES.items():
        element = element.replace(colour, f"var({variable})")
    # Matplotlib numbers its groups anew in each figure; on one page an id must stand once.
    referred = set(re.findall(r"#([\w-]+)", element))
    return re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in referred else "", element)
