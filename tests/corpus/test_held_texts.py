import pytest

from nl2code.corpus.held_texts import HeldTexts, read_held, telling, write_held

TASK = "Load the prices of all houses that were sold in the year, please."
OTHER = "Load the prices of all houses that were sold in the year as floats."
"""Begins as `TASK` does, for more than the characters that are looked for at first."""
BOTH = HeldTexts(telling(TASK) | telling(OTHER))


@pytest.mark.parametrize(
    "text",
    [
        TASK,
        f"**1.**\n{TASK}\nGood luck!",
        TASK.replace(" ", "\n  "),
        f"é\ud800 {OTHER}",
        f"{TASK[:60]} {OTHER}",
    ],
)
def test_a_text_is_found_within_more_whatever_the_blanks(text):
    assert BOTH.stand_in("markdown", text)
    assert BOTH.stand_in("code", text)


@pytest.mark.parametrize("text", ["", TASK[:-1], OTHER[:60], TASK[1:], TASK.replace("year", "day")])
def test_a_part_of_a_text_or_another_is_none(text):
    assert not BOTH.stand_in("markdown", text)


def test_what_anybody_may_write_tells_nothing():
    imports = "import pandas as pd\nfrom sklearn.linear_model import LinearRegression, Ridge"
    assert telling(None, "import numpy as np", imports, f"{imports}\nx = 1") == set()
    assert telling("x" * 49, None, "") == set()
    assert telling("x" * 50, "  ".join("x" * 26)) == {"x" * 50, " ".join("x" * 26)}
    assert not HeldTexts(()).stand_in("code", TASK)


def test_comments_make_no_difference_to_code():
    code = "total = 0\nfor price in prices:\n    total += price\nmean = total / len(prices)"
    spoken = "import os\n" + code.replace("\n", "  # next\n# step\n") + "\nprint(mean)"
    held = HeldTexts(telling(None, code))
    assert held.stand_in("code", spoken)
    assert HeldTexts(telling(None, spoken[10:-12])).stand_in("code", code)
    assert not held.stand_in("code", spoken.replace("total", "sum"))
    assert held.stand_in("code", spoken.replace("# next", "#!"))
    assert not held.stand_in("code", code.replace("prices:", "prices#:"))


def test_held_texts_are_those_of_the_file(tmp_path):
    for number, text in enumerate((TASK, OTHER)):
        write_held({text}, tmp_path / f"{number}")
    assert read_held(tmp_path / "0").stand_in("markdown", TASK)
    assert not read_held(tmp_path / "1").stand_in("markdown", TASK)
