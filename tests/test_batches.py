from __future__ import annotations

import random
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest

from nl2code.batches import (
    Pairs,
    Sequences,
    collate,
    make_batches,
    nested_subset,
    padded_tokens,
    plan_epoch,
)

IDS = [f"repo/notebook-{number}" for number in range(50)]


def pairs_of(lengths: list[tuple[int, int]]) -> Pairs:
    return Pairs(
        Sequences.of([5] * source for source, _ in lengths),
        Sequences.of([6] * target for _, target in lengths),
    )


def some_pairs(number: int) -> Pairs:
    draw = random.Random(0)
    return pairs_of([(draw.randint(1, 60), draw.randint(1, 30)) for _ in range(number)])


def plan(pairs: Pairs, epoch: int = 0, seed: int = 1, **shares: int) -> list[list[list[int]]]:
    updates = plan_epoch(pairs, 300, seed=seed, epoch=epoch, **shares)
    return [[rows.tolist() for rows in update] for update in updates]


def test_a_smaller_subset_lies_within_a_larger_one() -> None:
    small, large = nested_subset(IDS, 10, seed=0), nested_subset(IDS, 20, seed=0)
    assert len(small) == 10
    assert set(small) < set(large)
    assert small.tolist() == sorted(small)


def test_the_subset_depends_on_the_ids_not_on_their_order() -> None:
    turned = IDS[::-1]
    chosen = {IDS[place] for place in nested_subset(IDS, 10, seed=0)}
    assert chosen == {turned[place] for place in nested_subset(turned, 10, seed=0)}


def test_another_seed_gives_another_subset() -> None:
    assert nested_subset(IDS, 10, seed=0).tolist() != nested_subset(IDS, 10, seed=1).tolist()


@pytest.mark.parametrize("size", [None, 50, 51])
def test_asking_for_more_than_there_is_gives_all(size: int | None) -> None:
    assert nested_subset(IDS, size, seed=0).tolist() == list(range(50))


def test_every_example_comes_once_an_epoch() -> None:
    rows = [row for update in plan(some_pairs(200)) for batch in update for row in batch]
    assert sorted(rows) == list(range(200))


def test_the_plan_follows_from_seed_and_epoch() -> None:
    pairs = some_pairs(200)
    assert plan(pairs) == plan(pairs)
    assert plan(pairs) != plan(pairs, epoch=1)
    assert plan(pairs) != plan(pairs, seed=2)


def test_batches_stay_within_the_budget() -> None:
    pairs = some_pairs(200)
    source, target = pairs.sources.lengths, pairs.targets.lengths
    batches = make_batches(source, target, 300, np.random.default_rng(0))
    assert max(padded_tokens(rows, source, target) for rows in batches) <= 300


def test_an_example_over_the_budget_stands_alone() -> None:
    pairs = pairs_of([(400, 1), (10, 1), (10, 1)])
    batches = make_batches(
        pairs.sources.lengths, pairs.targets.lengths, 300, np.random.default_rng(0)
    )
    assert sorted(map(sorted, batches)) == [[0], [1, 2]]


@pytest.mark.parametrize(("number", "batch_tokens"), [(4000, 3000), (20_000, 12_000)])
def test_padding_takes_at_most_eight_percent(number: int, batch_tokens: int) -> None:
    draw = np.random.default_rng(0)
    source = np.clip(draw.lognormal(4.6, 0.6, number), 2, 250).astype(np.int64)
    target = np.clip(draw.lognormal(3.5, 0.6, number), 2, 250).astype(np.int64)
    batches = make_batches(source, target, batch_tokens, draw)
    places = sum(padded_tokens(rows, source, target) for rows in batches)
    assert 1 - (source.sum() + target.sum()) / places <= 0.08


@pytest.mark.parametrize("processes", [2, 3])
def test_every_process_gets_as_many_batches(processes: int) -> None:
    for update in plan(some_pairs(200), processes=processes, together=2):
        assert len(update) % processes == 0
        assert all(update)


def test_two_processes_make_the_updates_of_one_with_twice_as_many_batches() -> None:
    pairs = some_pairs(210)
    alone, shared = plan(pairs, together=2), plan(pairs, processes=2)
    assert len(alone[-1]) == 1  # a batch is left over: the case that matters
    assert [sorted(chain(*update)) for update in alone] == [
        sorted(chain(*update)) for update in shared
    ]


def test_fewer_examples_than_processes_make_no_update() -> None:
    assert plan(some_pairs(1), processes=2) == []


def test_the_decoder_reads_the_target_one_place_late() -> None:
    pairs = Pairs(Sequences.of([[5, 2], [6, 7, 2]]), Sequences.of([[8, 9, 2], [8, 2]]))
    ids = SimpleNamespace(pad_token_id=0, decoder_start_token_id=1)
    batch = collate(pairs, np.array([0, 1]), ids)
    assert batch["input_ids"].tolist() == [[5, 2, 0], [6, 7, 2]]
    assert batch["attention_mask"].tolist() == [[1, 1, 0], [1, 1, 1]]
    assert batch["decoder_input_ids"].tolist() == [[1, 8, 9], [1, 8, 2]]
    assert batch["positions"].tolist() == [0, 1, 2, 3, 4]
    assert batch["labels"].tolist() == [8, 9, 2, 8, 2]


def test_the_digest_sees_tokens_and_where_they_are_cut() -> None:
    def digest(*rows: list[int]) -> str:
        return Pairs(Sequences.of(rows), Sequences.of([[2]])).digest()

    assert digest([5, 6], [7]) == digest([5, 6], [7])
    assert len({digest([5, 6], [7]), digest([5], [6, 7]), digest([5, 6], [8])}) == 3
