"""The page stands alone, is the same every time, and can be read without seeing its plots."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib import style

from nl2code.corpus.statistics.figures import Statistics
from nl2code.corpus.statistics.measures import Distribution, Table2
from nl2code.corpus.statistics.page import render, write_page
from nl2code.errors import UserError

ROOT = Path(__file__).parents[3]
COLUMN = Table2((2,), 2.5, 3.0, 4.0, 10, 20, 0.5, 0.25, 0.6, 0.125)
STATS = Statistics(
    folder=Path("juice"),
    digest="",
    table2={"train": COLUMN, "dev/test": replace(COLUMN, examples=(0, 1))},
    distributions=(
        Distribution(
            "NL length", "tokens", "examples", (0, 1, 3), {"train": {1: 2}, "dev/test": {9: 1}}
        ),
    ),
    packages={"numpy": {"train": 0.5, "dev/test": 1.0}},
    licenses={"</table><script>": {"train": 2, "dev": 0, "test": 1}},
    sources={"train": {"train": 2, "dev": 0, "test": 1}},
    funnel=(("read", "<b>", 2), ("read", "kept", 3)),
    sampled={"train": 1.0, "dev/test": 1.0},
)


class Page(HTMLParser):
    """The elements of a page, and which of them were left open."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in ("meta", "use"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "use":
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def all(self, tag):
        return [attributes for found, attributes in self.elements if found == tag]


@pytest.fixture(scope="module")
def text():
    return render(STATS)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_page_is_whole_html(page):
    assert page.open == []
    identifiers = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))


def test_nothing_is_fetched_or_run(text, page):
    assert not page.all("script") + page.all("link") + page.all("img") + page.all("iframe")
    assert not re.search(r"https?:|url\((?!#)|@import", text)


def test_each_plot_has_a_name_labelled_axes_and_its_figures_below(text, page):
    plots = re.findall(r"<figure>.*?</figure>", text, re.DOTALL)
    assert len(plots) == 3
    names = [attributes["aria-label"] for attributes in page.all("svg")]
    assert names == ["NL length", "The 1 packages imported most", "Stage: read"]
    for plot, axes in zip(
        plots,
        [
            ("NL length [tokens]", "share of examples [%]"),
            ("package", "share of examples [%]"),
            ("reason", "notebooks"),
        ],
        strict=True,
    ):
        assert all(f">{axis}</text>" in plot for axis in axes)
        assert "<table>" in plot


def test_a_plots_table_holds_its_figures(text):
    lengths = text[text.index("The figures of this plot") :]
    rows = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', lengths)
    assert rows[:3] == [
        ("0", "0.0 %", "0.0 %"),
        ("1-2", "100.0 %", "0.0 %"),
        ("3+", "0.0 %", "100.0 %"),
    ]


def test_the_plots_take_their_colours_from_the_page(text):
    drawn = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert re.findall(r"(?:fill|stroke): *#\w+", drawn) == []
    used = set(re.findall(r"var\((--\w+)\)", drawn))
    light, dark = re.findall(r":root \{(.*?)\}", text)
    assert {"--ink", "--first", "--second"} <= used
    for variable in used:
        assert f"{variable}:" in light
        assert f"{variable}:" in dark


def test_what_the_data_says_is_text_and_no_html(text):
    assert "&lt;/table&gt;&lt;script&gt;" in text
    assert "<b>" not in text


def test_ours_stand_beside_the_papers_with_what_differs(text):
    assert "1,518,049" in text
    assert "other notebooks" in text


def test_a_users_own_style_changes_nothing(text):
    with style.context({"axes.labelsize": 30, "font.size": 30, "svg.fonttype": "path"}):
        assert render(STATS) == text


@pytest.mark.slow
def test_another_process_writes_the_same_bytes(text, tmp_path):
    program = (
        "import sys; from pathlib import Path\n"
        "from tests.corpus.statistics import test_statistics_page as t\n"
        "t.write_page(t.STATS, Path(sys.argv[1]))"
    )
    path = tmp_path / "page.html"
    environment = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8"}
    subprocess.run([sys.executable, "-c", program, path], cwd=ROOT, env=environment, check=True)
    assert path.read_text(encoding="utf-8") == text


def test_a_folder_without_rows_and_funnel_still_has_a_page():
    nothing = Table2((0,), None, None, None, 0, 0, None, None, None, None)
    empty = replace(
        STATS,
        table2={"train": nothing, "dev/test": replace(nothing, examples=(0, 0))},
        distributions=(replace(STATS.distributions[0], counts={"train": {}, "dev/test": {}}),),
        packages={},
        licenses={},
        sources={},
        funnel=(),
    )
    assert "no build.json" in render(empty)


def test_any_stage_and_reason_of_a_build_is_drawn_as_text():
    page = render(replace(STATS, funnel=(("pairs", r"a $\frac$", 2),)))
    assert "Stage: pairs" in page
    assert r">a $\frac$</text>" in page
    assert ">count</text>" in page


def test_a_folders_odd_name_stands_in_the_title():
    page = render(replace(STATS, folder=Path("a<b>\udcff")))
    assert "<title>a&lt;b&gt;?: statistics</title>" in page


def test_a_folder_is_never_replaced_by_the_page(tmp_path):
    (tmp_path / "kept").write_text("x")
    with pytest.raises(UserError, match="is a folder"):
        write_page(STATS, tmp_path)
    assert (tmp_path / "kept").read_text() == "x"


def test_a_missing_extra_is_named_and_nothing_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(UserError, match=r"extra `stats`.*jinja2"):
        write_page(STATS, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
