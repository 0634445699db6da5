"""Which constant fills which slot, and what stands in the others (section 5 of the spec)."""

import numpy as np
import pytest

from nl2code.slot_filling import Constant, Slot, fill, read_template
from nl2code.slot_filling.filling import FITS, fits, matched

SLOT_TYPES = {
    *("Regex", "Path", "File", "Directory", "Quantity", "Number", "Size", "Timespan"),
    *("DateTime", "Permission", "Bandwidth", "Program"),
}


def constants(*typed):
    return [Constant(text, kind, 0) for text, kind in typed]


def filled(text, typed, scores=None):
    template = read_template(text)
    shape = len(typed), len(template.slots)
    scores = np.zeros(shape) if scores is None else np.array(scores, float).reshape(shape)
    return fill(template, constants(*typed), scores)


@pytest.mark.parametrize(
    ("kind", "slots"),
    [
        ("Number", "Number Quantity Permission Regex"),
        ("Size", "Size"),
        ("Timespan", "Timespan"),
        ("DateTime", "DateTime"),
        ("Permission", "Permission"),
        ("Directory", "Directory Path File"),  # File is ours: see `fits`
        ("File", "File Path Directory Regex"),
        ("Regex", "Regex File Path Directory"),
    ],
)
def test_a_constant_fits_the_types_of_the_paper_and_no_other(kind, slots):
    constant = Constant("x", kind, 0)
    fitting = {name for name in SLOT_TYPES if fits(constant, Slot(name, "", "x", "", 0))}
    assert fitting == set(slots.split())
    assert kind in FITS


@pytest.mark.parametrize(
    ("kind", "utility", "flag", "slot"),
    [
        ("Timespan", "find", "-mmin", "Quantity"),
        ("DateTime", "find", "-newermt", "Regex"),
        ("DateTime", "date", "-d", "Regex"),
    ],
)
def test_timespans_fit_minutes_and_dates_fit_what_reads_dates(kind, utility, flag, slot):
    constant = Constant("x", kind, 0)
    assert fits(constant, Slot(slot, "", utility, flag, 0))
    assert not fits(constant, Slot(slot, "", "cut", "-d", 0))


def test_fewer_slots_than_constants_are_refused():
    assert filled("ls File", [("a.c", "File"), ("b.c", "File")]) is None
    assert filled("cat File File", [("a.c", "File"), ("b.c", "File")]) == "cat a.c b.c"


def test_a_constant_that_fits_nowhere_is_refused_though_there_are_slots():
    assert filled("find Path -name Regex", [("10 MB", "Size")]) is None


def test_a_constant_left_over_by_the_others_is_refused():
    # The file takes the only slot that the number fits, since it scores higher there.
    typed = [("a.c", "File"), ("5", "Number")]
    assert filled("find Path -name Regex", typed, [[0, 1], [0, 0.5]]) is None
    assert filled("find Path -name Regex", typed, [[1, 0], [0, 0.5]]) == 'find a.c -name "5"'


def test_the_highest_score_is_served_first():
    typed = [("a", "Regex"), ("b", "Regex")]
    assert filled("mv File File", typed, [[0.6, 0.9], [0.5, 0.8]]) == "mv b a"


def test_equal_scores_go_in_the_order_of_the_sentence():
    assert filled("mv File File", [("b", "Regex"), ("a", "Regex")]) == "mv b a"


def test_no_score_makes_a_constant_go_where_its_type_does_not_fit():
    command = filled("find Path -size Size", [("10 MB", "Size")], [[9, 1]])
    assert command == "find . -size 10M"


def test_the_matching_is_stable():
    scores = np.random.default_rng(1).random((4, 5))
    words = [Constant("x", "Regex", 0)] * 4
    slots = [Slot("File", "", "cp", "", 0)] * 5
    chosen = matched(words, slots, scores)
    assert sorted(chosen.values()) == [0, 1, 2, 3]
    mine = {row: scores[row, column] for column, row in chosen.items()}
    theirs = {column: scores[row, column] for column, row in chosen.items()}
    for row in range(4):
        for column in range(5):
            better_for_both = scores[row, column] > max(mine[row], theirs.get(column, -1))
            assert not better_for_both


@pytest.mark.parametrize(
    ("template", "command"),
    [
        ("find Path", "find ."),
        ("grep Regex File", "grep '.*' [file]"),
        ("find Path -name Regex", 'find . -name "*"'),
        ("find Path -iname Regex", 'find . -iname "*"'),
        ("head - Quantity", "head -10"),
        ("tail -n Quantity", "tail -n 10"),
        ("find Path -path Regex", "find . -path [regex]"),
        ("find Path -size +Size", "find . -size +[size]"),
        ("sort -k Number File", "sort -k [number] [file]"),
    ],
)
def test_a_slot_that_nothing_fills_has_its_default_or_says_its_type(template, command):
    assert filled(template, []) == command


def test_the_sign_of_the_template_stays():
    assert filled("find Path -mtime -Timespan", [("2 weeks", "Timespan")]) == "find . -mtime -14"
