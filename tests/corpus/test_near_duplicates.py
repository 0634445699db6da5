import random

import duckdb
import pyarrow as pa
import pytest

from nl2code.corpus import contamination
from nl2code.corpus.contamination import TEXTS, Kind, near_pairs
from nl2code.corpus.near_duplicates import (
    NearIndex,
    Rule,
    cell_key,
    keys_shown,
    nl_parts,
    notebook_parts,
    shingles,
    target_parts,
)


def similarity(one, other):
    shared = sum((one & other).values())
    return shared / (sum(one.values()) + sum(other.values()) - shared)


def texts(count, seed):
    """Texts of few words, most of them variants of an earlier one."""
    draw = random.Random(seed)
    made = [[draw.choice("abcdef") for _ in range(20)]]
    while len(made) < count:
        text = list(draw.choice(made))
        for _ in range(draw.randrange(6)):
            text[draw.randrange(len(text))] = draw.choice("abcdef")
        made.append(text[: draw.randrange(8, 21)])
    return [shingles(text) for text in made]


@pytest.mark.parametrize("threshold", [0.4, 0.7, 1.0])
def test_the_index_finds_what_comparing_every_pair_finds(threshold):
    held, train = texts(60, seed=1), texts(60, seed=1)[::-1] + texts(60, seed=2)
    index = NearIndex(enumerate(held), Rule("near", threshold, 1))
    expected = [
        next((n for n, other in enumerate(held) if similarity(one, other) >= threshold), None)
        for one in train
    ]
    assert [index.near(one) for one in train] == expected
    assert None in expected


def test_short_texts_are_near_nothing():
    index = NearIndex([("held", shingles(list("abcdef")))], Rule("near", 0.5, 5))
    assert index.near(shingles(list("abcdef"))) is None
    assert NearIndex([("held", shingles(list("abcdefg")))], Rule("near", 0.5, 5)).near(
        shingles(list("abcdefg"))
    )


def test_a_list_of_five_strings_is_not_one_of_fifty():
    five, fifty = (target_parts(["x", "=", *["'s'", ","] * count]) for count in (5, 50))
    assert set(five) == set(fifty)
    assert similarity(five, fifty) < 0.2


def test_where_a_long_line_wraps_makes_no_difference():
    assert target_parts(["f", "(", "a", ",", "NEWLINE", "b", ")"]) == target_parts(
        ["f", "(", "NEWLINE", "a", ",", "b", ")"]
    )


def test_case_and_punctuation_of_an_nl_make_no_difference():
    assert nl_parts(["Load", "the", "CTAG", "df", "CTAG", "!"]) == nl_parts(
        ["load", ",", "the", "ctag", "DF", "ctag", "."]
    )


def test_blanks_make_no_difference_to_a_cell_but_its_type_does():
    assert cell_key("code", "x  = 1\n") == cell_key("code", "x = 1\n\n")
    assert cell_key("code", "x = 1") != cell_key("markdown", "x = 1")
    assert cell_key("code", " \n") == cell_key("markdown", "") == 0


def test_a_cell_s_key_is_the_same_on_every_machine_and_holds_its_weight():
    key = cell_key("code", "import numpy as np")
    assert key == 13614745646649557266
    assert list(notebook_parts([key, cell_key("code", "x" * 300)]).values()) == [18, 255]


def test_more_held_out_rows_than_fit_at_once_are_compared_as_well(monkeypatch):
    monkeypatch.setattr(contamination, "HELD_AT_ONCE", 2)
    words = [[f"{number}-{word}" for word in range(30)] for number in range(7)]
    table = pa.table(
        {
            "name": [f"{side}{n}" for side in ("train", "test") for n in range(5)],
            "nl": words[2:] + words[:5],
            "split": ["train"] * 5 + ["test"] * 5,
        }
    )
    with duckdb.connect() as connection:
        connection.register("rows", table)
        kind: Kind = TEXTS[1]
        pairs = list(near_pairs(connection, "SELECT * FROM rows", kind))
    assert sorted(pairs) == [("train0", "test2"), ("train1", "test3"), ("train2", "test4")]


def test_the_cells_shown_are_those_of_the_capped_context_given_code_among_them():
    keys = [1 << 8, 2 << 8, 3 << 8]
    assert set(keys) <= set(keys_shown(keys, 3, "x", None))
    assert {2 << 8, 3 << 8} == set(keys) & set(keys_shown(keys, 3, "x", 2))
    assert {3 << 8} == set(keys) & set(keys_shown(keys, 3, "x", 2, given="y"))
