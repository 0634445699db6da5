import pytest

from nl2code.metrics.annotation.agreement import agreements


def test_kappa_is_agreement_beyond_chance():
    # Chance agrees on half, as these do.
    (found,) = agreements({"a": [True, True, False, False], "b": [True, False, False, True]})
    assert (found.raw, found.kappa) == (0.5, 0.0)
    (found,) = agreements({"a": [True, True, False, False], "b": [True, True, False, True]})
    # Chance: 1/2 * 3/4 + 1/2 * 1/4.
    assert (found.raw, found.kappa) == (0.75, pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2)))


def test_only_what_both_answered_counts():
    answers = {"a": [True, False, True], "b": [True, False, None], "c": [None, True, None]}
    found = {(one.first, one.second): (one.items, one.raw) for one in agreements(answers)}
    assert found == {("a", "b"): (2, 1.0), ("a", "c"): (1, 0.0), ("b", "c"): (1, 0.0)}


def test_kappa_is_unknown_where_chance_explains_all():
    (found,) = agreements({"a": [True, True], "b": [True, True]})
    assert (found.raw, found.kappa) == (1.0, None)
    (nothing,) = agreements({"a": [None], "b": [True]})
    assert (nothing.items, nothing.raw, nothing.kappa) == (0, None, None)
