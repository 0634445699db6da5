"""What a trained model's slots are filled by: learnt from pairs, kept beside it, read again."""

import numpy as np
import pytest

from nl2code.errors import UserError
from nl2code.slot_filling import ALIGNMENT_FILE, filler_of, learn_alignment, learning_pairs

PAIRS = [
    ("rename from 'a' to 'b'", "mv a b"),
    ("rename to 'b' from 'a'", "mv a b"),
    ("list all", "ls"),
    ("rename 'x'", "mv y z"),
    ("list 'a'", "ls ("),
]
WORDS = ["from", "to", "first", "second"]


def states(source, target):
    """One-hot: what a constant stands behind, and which File of its template a slot is."""
    before = ["", *source][: len(source)]
    encoder = np.array([[word == known for known in WORDS] for word in before], float)
    files = np.cumsum([token == "File" for token in target])
    decoder = np.array([[place == 2 + nth for place in range(1, 5)] for nth in files], float)
    return encoder, decoder


def test_only_pairs_with_a_constant_that_is_an_argument_teach():
    found = [" ".join(pair.sentence.tokens) for pair in learning_pairs(PAIRS)]
    assert found == ["renam from Regex to Regex", "renam to Regex from Regex"]


def test_what_was_learnt_fills_the_slots_of_other_sentences(tmp_path):
    learn_alignment(learning_pairs(PAIRS * 5), states).save(tmp_path / ALIGNMENT_FILE)
    fill = filler_of(tmp_path, states, most=1)
    for nl in ("move from 'c.c' to 'd.c'", "move to 'd.c' from 'c.c'"):
        assert fill(nl, ["ls (", "mv File File", "cp File File"]) == ["mv c.c d.c"]


def test_a_model_whose_alignment_is_missing_or_broken_is_refused(tmp_path):
    with pytest.raises(UserError, match=rf"{ALIGNMENT_FILE}: no such file; recipes/align.py"):
        filler_of(tmp_path, states, most=3)
    (tmp_path / ALIGNMENT_FILE).write_bytes(b"half a file")
    with pytest.raises(UserError, match="not a slot alignment"):
        filler_of(tmp_path, states, most=3)


def test_pairs_that_teach_nothing_are_said_to():
    with pytest.raises(UserError, match="in no training pair does a constant"):
        learn_alignment(learning_pairs([("list all", "ls")]), states)
