"""The alignment that is learnt from states."""

import numpy as np
import pytest

from nl2code.errors import UserError
from nl2code.slot_filling import Constant, SlotAlignment, aligned, read_sentence, take_apart


def labels(nl, command):
    template, arguments = take_apart(command)
    return aligned(read_sentence(nl).constants, template.slots, arguments).tolist()


@pytest.mark.parametrize(
    ("nl", "command", "found"),
    [
        ("'*.c' in /usr", "find /usr -name '*.c'", [[False, True], [True, False]]),
        ("over 10 MB", "find . -size +10M", [[False, True]]),
        ("older than 2 weeks", "find . -mtime +14", [[False, True]]),
        ("txt files", "find . -name '*.txt'", [[False, True]]),
        ("5 lines", "find . -size 5", [[False, False]]),  # a Number is no Size
        ("foo_a", "find . -name '*.c'", [[False, False]]),
    ],
)
def test_constants_that_equal_an_argument_once_formatted_are_aligned(nl, command, found):
    assert labels(nl, command) == found


def sentences(count, seed=0):
    """Two constants and two slots a sentence; the first of one goes with the first of the other."""
    noise = np.random.default_rng(seed)
    encoder, decoder = (
        [np.eye(4)[:2] + 0.1 * noise.standard_normal((2, 4)) for _ in range(count)]
        for _ in range(2)
    )
    return encoder, decoder, [np.eye(2, dtype=bool)] * count


def test_new_pairs_score_by_the_old_pairs_that_are_like_them():
    alignment = SlotAlignment.fit(*sentences(20))
    (constants,), (slots,), _ = sentences(1, seed=9)
    scores = alignment.score(constants, slots)
    assert scores.shape == (2, 2)
    assert scores.argmax(axis=1).tolist() == [0, 1]
    assert np.diag(scores).min() > 0.9 > 0.1 > np.fliplr(scores).diagonal().max()


def test_states_count_by_direction_and_neither_side_outweighs_the_other():
    encoder, decoder, found = sentences(20)
    one = SlotAlignment.fit(encoder, decoder, found)
    other = SlotAlignment.fit([100 * state for state in encoder], decoder, found)
    (constants,), (slots,), _ = sentences(1, seed=9)
    assert np.allclose(one.score(constants, slots), other.score(constants, 7 * slots), atol=1e-5)


def test_only_ten_neighbours_count():
    states = np.array([[1.0, 0.0]])
    near, far = np.ones((1, 1), bool), np.array([[False, True]])
    encoder = [states] * 40
    decoder = [states] * 10 + [np.array([[0.0, 1.0], [0.5, 0.5]])] * 30
    alignment = SlotAlignment.fit(encoder, decoder, [near] * 10 + [far] * 30)
    assert alignment.score(states, states) == pytest.approx(1)


def test_constants_without_a_slot_teach_nothing():
    encoder, decoder, found = sentences(3)
    lost = found[0].copy()
    lost[1] = False
    alignment = SlotAlignment.fit(encoder, decoder, [lost, *found[1:]])
    assert len(alignment.labels) == 10


def test_fewer_pairs_than_neighbours_are_enough():
    encoder, decoder, found = sentences(1)
    alignment = SlotAlignment.fit([encoder[0][:1]], decoder, [found[0][:1]])
    assert alignment.score(encoder[0][:1], decoder[0]).argmax() == 0


def test_nothing_to_score_gives_an_empty_table():
    alignment = SlotAlignment.fit(*sentences(2))
    assert alignment.score(np.zeros((0, 4)), np.ones((3, 4))).shape == (0, 3)
    assert alignment.score(np.ones((2, 4)), np.zeros((0, 4))).shape == (2, 0)


def test_training_data_without_any_aligned_constant_is_refused():
    encoder, decoder, _ = sentences(2)
    with pytest.raises(UserError, match="in no training pair"):
        SlotAlignment.fit(encoder, decoder, [np.zeros((2, 2), bool)] * 2)


def test_what_was_saved_scores_the_same(tmp_path):
    alignment = SlotAlignment.fit(*sentences(20))
    alignment.save(tmp_path / "slots.npz")
    (constants,), (slots,), _ = sentences(1, seed=9)
    again = SlotAlignment.load(tmp_path / "slots.npz").score(constants, slots)
    assert np.allclose(again, alignment.score(constants, slots), atol=1e-3)


@pytest.mark.parametrize("content", [None, b"", b"text", b"PK\x03\x04cut"])
def test_a_file_that_is_no_alignment_is_the_users_mistake(tmp_path, content):
    path = tmp_path / "slots.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=r"slots\.npz: (no such file|not a slot alignment)"):
        SlotAlignment.load(path)


def test_a_constant_of_no_fitting_type_is_not_aligned_by_its_text():
    template, arguments = take_apart("chmod 644 a")
    assert not aligned([Constant("644", "Size", 0)], template.slots, arguments).any()
