"""Answers that nobody could tell from the cells above."""

import pytest

from nl2code.corpus.curated_rows import why_unknowable

NAMES = "names = ['Ann', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus', 'Hal', 'Ida', 'Jo']"


@pytest.mark.parametrize("code", ["import os", "# tools\nimport os\nfrom math import pi, e"])
def test_imports_alone_cannot_be_known_from_above(code):
    assert why_unknowable(code, ["Import what you need."]) == "imports_alone"


@pytest.mark.parametrize("code", ["import os\nos.sep", "x = 1", "return y"])
def test_imports_beside_an_answer_are_no_matter(code):
    assert why_unknowable(code, ["Do it."]) is None


def test_data_that_nothing_above_shows_cannot_be_known():
    assert why_unknowable(NAMES, ["Create the data."]) == "data_not_given"
    assert why_unknowable(NAMES.replace(", 'Jo'", ""), ["Create the data."]) is None


def test_data_that_stands_above_can_be_known():
    assert why_unknowable(NAMES, ["Ann, Bo, Cy and Di,", "Ed, Flo, Gus, Hal, Ida, Jo"]) is None
    assert why_unknowable(NAMES, ["Ann, Bo, Cy", "the others"]) is None
