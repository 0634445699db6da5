from __future__ import annotations

import json
import math
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from nl2code.divergence import Diverged, Watch
from nl2code.optimisation import BatchLoss
from nl2code.progress import Progress

VOCABULARY = 20  # a uniform guess costs 3.0 nats
FINE = 4 * 2.0


def watch(progress: Progress) -> Watch:
    return Watch(Accelerator(), progress, VOCABULARY, lambda rows: [f"nb/{row}" for row in rows])


def update(
    one: Watch, progress: Progress, *losses: float, norm: float = 1.0, tokens: int = 4
) -> None:
    """An update of a batch for each loss; the rows of update 2 are 20, 21, …"""
    progress.step += 1
    progress.loss_tokens += tokens * len(losses)
    noted = [
        BatchLoss(np.array([10 * progress.step + place]), tokens, torch.tensor(loss))
        for place, loss in enumerate(losses)
    ]
    one.note(noted, torch.tensor(norm))


def test_a_look_gives_the_mean_since_the_last_row() -> None:
    progress = Progress()
    one = watch(progress)
    update(one, progress, 4.0, 8.0)
    assert one.look() == 1.5
    update(one, progress, 12.0)
    assert one.look() == 2.0
    one.next_row(2.0)
    update(one, progress, 8.0)
    assert one.look() == 2.0


def test_a_look_in_between_changes_no_bit_of_the_sum() -> None:
    losses = [0.1, 1e8, 0.7, 1 / 3, 1e-9]
    sums = []
    for looks in (set(), {1, 3}):
        progress = Progress()
        one = watch(progress)
        for place, loss in enumerate(losses):
            update(one, progress, loss, tokens=10**9)
            if place in looks:
                one.look()
                one = watch(progress)  # as after a kill
        one.look()
        sums.append(progress.loss_sums)
    assert sums[0] == sums[1]


def test_what_was_looked_at_is_let_go() -> None:
    progress = Progress(step=1, loss_tokens=4)
    one, loss, norm = watch(progress), torch.tensor(FINE), torch.tensor(1.0)
    one.note([BatchLoss(np.array([0]), 4, loss)], norm)
    kept = [weakref.ref(loss), weakref.ref(norm)]
    del loss, norm
    one.look()
    assert [reference() for reference in kept] == [None, None]


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_the_first_batch_that_is_no_number_is_named(loss: float) -> None:
    progress = Progress()
    one = watch(progress)
    update(one, progress, FINE)
    update(one, progress, FINE, loss, FINE)
    update(one, progress, math.nan, math.nan)
    with pytest.raises(Diverged, match=f"the train loss is {loss} at update 2") as error:
        one.look()
    assert error.value.ids == ["nb/21"]


def test_a_gradient_that_is_no_number_is_blamed_on_all_of_its_update() -> None:
    progress = Progress()
    one = watch(progress)
    update(one, progress, FINE)
    update(one, progress, FINE, FINE, norm=math.inf)
    update(one, progress, math.nan)  # what comes of it
    with pytest.raises(Diverged, match="the gradient's norm is inf at update 2") as error:
        one.look()
    assert error.value.ids == ["nb/20", "nb/21"]


def test_an_exploded_mean_is_blamed_on_the_worst_batch() -> None:
    progress = Progress()
    one = watch(progress)
    update(one, progress, FINE)
    update(one, progress, 4 * 40.0, FINE)
    with pytest.raises(Diverged, match="the train loss has grown to 40 at update 2") as error:
        one.look()
    assert error.value.ids == ["nb/20"]


def test_a_run_may_begin_with_a_high_loss_and_get_better() -> None:
    progress = Progress(first_loss=30.0)
    one = watch(progress)
    update(one, progress, 4 * 80.0)
    assert one.look() == 80.0


@pytest.mark.parametrize("loss", [math.nan, math.inf, 9.1])
def test_a_dev_loss_that_has_diverged_stops_the_run(loss: float) -> None:
    one = watch(Progress(step=7))
    one.check_dev(8.9)
    with pytest.raises(Diverged, match=r"the dev loss is .* at update 7"):
        one.check_dev(loss)


def test_the_sentence_has_a_few_ids_and_the_file_all(tmp_path: Path) -> None:
    ids = [f"nb/{number}" for number in range(20)]
    said = str(Diverged(3, "train loss is nan", ids).told(tmp_path, 0.5, write=True))
    assert said.startswith(f"{tmp_path}: the train loss is nan at update 3, of the examples nb/0, ")
    assert "nb/7 and 12 more" in said
    assert "nb/8" not in said
    assert "optim.lr 0.5" in said
    told = json.loads((tmp_path / "diverged.json").read_text())
    assert told == {"update": 3, "what": "the train loss is nan at update 3", "ids": ids}


def test_only_one_process_writes_the_file(tmp_path: Path) -> None:
    Diverged(3, "train loss is nan", ["a"]).told(tmp_path, 0.5, write=False)
    assert not list(tmp_path.iterdir())
