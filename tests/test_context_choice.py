"""Cells from far above are chosen by what they say of the NL, never by the target."""

from __future__ import annotations

import dataclasses
from typing import Any

from nl2code.context_choice import choose_cells
from nl2code.linearisation import InputFormat, linearise, source_columns


def cells(*texts: str) -> list[dict[str, Any]]:
    """Cells in reading order; a text that begins with # is markdown."""
    kinds = ["markdown" if text.startswith("#") else "code" for text in texts]
    return [
        {
            "cell_type": kind,
            "distance_target": distance,
            "nl_original": text.lstrip("# ") if kind == "markdown" else None,
            "code": text if kind == "code" else None,
        }
        for distance, (kind, text) in enumerate(zip(kinds, texts, strict=True), 1)
    ]


def test_code_that_shares_words_with_the_nl_is_chosen() -> None:
    above = cells("# plot the mean", "x = 1", "y = 2", "mean.plot()", "z = 3")
    assert choose_cells(above, near=2, count=3) == [3]


def test_names_are_compared_by_their_parts() -> None:
    above = cells("# load the iris", "x = 1", "dataIris = 2", "load_all()", "y")
    assert choose_cells(above, near=2, count=5) == [3, 2]


def test_code_is_found_by_the_markdown_above_it() -> None:
    above = cells("# plot the mean", "x = 1", "f()", "# Plot the mean of y", "g()", "# other")
    assert choose_cells(above, near=2, count=2) == [2]


def test_rare_words_of_the_notebook_weigh_more() -> None:
    above = cells("# use df, iris", "x", "df.a", "df.b", "df.c", "iris.d", "df.e")
    assert choose_cells(above, near=2, count=1) == [5]


def test_the_nearest_of_equals_comes_first() -> None:
    above = cells("# mean", "x", "a.mean()", "b.mean()", "c.mean()")
    assert choose_cells(above, near=2, count=1) == [2]
    assert choose_cells(above, near=2, count=2) == [2, 3]
    assert choose_cells(above, near=2, count=9) == [2, 3, 4]


def test_words_of_near_cells_ask_too_but_less_than_the_nl() -> None:
    above = cells("# mean", "iris = 1", "iris.a()", "mean.b()", "c()")
    assert choose_cells(above, near=2, count=1) == [3]
    assert choose_cells(above, near=2, count=2) == [3, 2]
    assert choose_cells(above, near=1, count=2) == [3]


def test_what_is_shown_already_is_not_chosen_again() -> None:
    above = cells("# mean", "mean()", "mean()", "y = mean(x)", "z", "y = mean(x)")
    assert choose_cells(above, near=2, count=3) == [3]


def test_markdown_and_empty_contexts_give_nothing() -> None:
    assert choose_cells(cells("# mean", "x", "# the mean"), near=2, count=3) == []
    assert choose_cells([], near=3, count=3) == []
    assert choose_cells(cells("mean"), near=3, count=3) == []


def test_chosen_cells_follow_the_near_ones_each_behind_its_marker() -> None:
    row = {"context": cells("# plot it", "x = 1", "y = 2", "plot(x)", "z = 3", "plot(z)")}
    text = linearise(row, InputFormat(context_cells=2, chosen_cells=2))
    assert text == "<markdown> plot it <code> x = 1 <code> plot ( x ) <code> plot ( z )"
    cut = InputFormat(context_cells=2, chosen_cells=1, context_tokens=2)
    assert linearise(row, cut) == "<markdown> plot it <code> x = <code> plot ("


def test_the_target_has_no_say() -> None:
    fmt = InputFormat(context_cells=1, chosen_cells=1)
    assert set(source_columns(fmt)) == {"nl_original", "context"}


def test_by_default_nothing_is_chosen() -> None:
    row = {"context": cells("# plot it", "x = 1", "y = 2", "plot(x)")}
    assert InputFormat().chosen_cells == 0
    assert linearise(row, InputFormat()) == "<markdown> plot it <code> x = 1 <code> y = 2"
    near = dataclasses.replace(InputFormat(), chosen_cells=5, context_cells=4)
    assert linearise(row, near) == linearise(row, dataclasses.replace(near, chosen_cells=0))
