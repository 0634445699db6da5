"""What the tables say, on figures in sight."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from nl2code.corpus.statistics import table as tables
from nl2code.corpus.statistics.figures import Statistics
from nl2code.corpus.statistics.measures import (
    GROUPS,
    Distribution,
    Table2,
    bins,
    quantile,
    shares_of_bins,
)

NOTHING = Table2((0, 0), None, None, None, 0, 0, None, None, None, None)
LENGTHS = Distribution(
    "NL length", "tokens", "examples", (0, 1, 3), {"train": {1: 1, 2: 1, 9: 2}, "dev/test": {}}
)


@pytest.fixture
def stats():
    return Statistics(
        folder=Path("juice"),
        digest="d1",
        table2={
            "train": Table2((1234,), 2.5, 3.0, 4.0, 10, 20, 0.5, 0.25, 0.6, 0.125),
            "dev/test": NOTHING,
        },
        distributions=(LENGTHS,),
        packages={"numpy": {"train": 0.5}},
        licenses={"[bold]MIT<b>&": {"train": 1234, "dev": 0, "test": 0}},
        sources={"train": {"train": 1234, "dev": 0, "test": 0}},
        funnel=(("read", "kept", 3000),),
        sampled={"train": 0.25, "dev/test": 1.0},
    )


def cells(table):
    return {row[0]: row[1:] for row in table.rows}


def test_table_2_sets_ours_beside_the_papers(stats):
    found = cells(tables.table2(stats))
    assert found["examples"] == ("1,234", "1,518,049", "0 / 0", "1,744 / 1,981")
    assert found["average NL tokens"] == ("3.0", "39.6", "-", "57.2")
    assert found["unique code tokens"] == ("20", "1,001,289", "0", "5,113")
    assert found["multi-cell"] == ("12.5 %", "19.7 %", "-", "29.0 %")
    assert len(found) == 10


def test_table_2_says_how_dev_and_test_were_made(stats):
    assert "dev and test here: no example" in tables.table2(stats).note
    sources = {
        "train": {"train": 5, "dev": 0, "test": 0},
        "nbgrader": {"train": 0, "dev": 1000, "test": 2},
    }
    note = tables.table2(replace(stats, sources=sources)).note
    assert "dev and test here: 1,002 of kind nbgrader" in note
    assert "other notebooks" in note


def test_the_summary_has_a_line_for_each_group(stats):
    ours, empty = tables.summary(stats).rows
    assert ours == ("NL length, tokens", "train", "5.2", "2", "9", "9", "4", "0")
    assert empty == ("NL length, tokens", "dev/test", "-", "-", "-", "-", "0", "0")
    assert "25.0 % of train" in tables.summary(stats).note


@pytest.mark.parametrize(
    ("counts", "share", "expected"),
    [({}, 0.5, None), ({3: 1}, 0.5, 3), ({1: 1, 2: 1}, 0.5, 1), ({1: 9, 7: 1}, 1, 7)],
)
def test_a_quantile_is_a_value_that_occurs(counts, share, expected):
    assert quantile(counts, share) == expected


def test_bins_hold_every_value_and_their_shares_add_up_to_one():
    assert bins(LENGTHS) == ("0", "1-2", "3+")
    assert shares_of_bins(LENGTHS, "train") == [0, 0.5, 0.5]
    assert shares_of_bins(LENGTHS, "dev/test") == [0, 0, 0]


def test_a_package_of_an_empty_group_has_no_share(stats):
    assert cells(tables.packages(stats)) == {"numpy": ("50.0 %", "-")}


def test_an_unknown_funnel_says_why(stats):
    assert cells(tables.funnel(stats)) == {"read": ("kept", "3,000")}
    assert "no build.json" in tables.funnel(replace(stats, funnel=())).note


def test_the_terminal_shows_every_table_as_it_is(stats):
    output = io.StringIO()
    tables.print_statistics(stats, Console(file=output, width=120))
    text = output.getvalue()
    for title in (table.title for table in tables.tables(stats)):
        assert title in text
    assert "[bold]MIT<b>&" in text
    assert "1,518,049" in text
    assert "digest d1" in text


def test_the_paper_has_a_column_for_each_group():
    assert tables.PAPER.keys() == GROUPS.keys()
