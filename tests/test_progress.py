"""When a run ends, and what is said of an end that its config does not read like."""

import dataclasses

import pytest

from nl2code.progress import Progress, is_over, remark
from nl2code.training_config import LimitsConfig, OptimConfig


@pytest.mark.parametrize(
    ("done", "over"),
    [
        ({"step": 8, "epoch": 1, "looked": 239.0}, False),
        ({"step": 9}, True),
        ({"epoch": 2}, True),
        ({"looked": 240.0}, True),
    ],
)
def test_a_run_ends_at_whichever_limit_comes_first(done, over) -> None:
    limits = LimitsConfig(max_epochs=2, max_steps=9, max_minutes=4)
    assert is_over(limits, Progress(**done)) == over


COOLED = OptimConfig(schedule="constant", cooldown_steps=5)


@pytest.mark.parametrize(
    ("limit", "done"),
    [
        ({"max_minutes": 4.0}, {"step": 7, "looked": 250.0}),
        ({"max_epochs": 2}, {"step": 1, "epoch": 2}),
    ],
)
def test_a_cooldown_that_is_cut_off_is_said_with_the_limit_to_raise(limit, done) -> None:
    limits, progress = LimitsConfig(max_steps=9, **limit), Progress(**done)
    said = remark(limits, COOLED, progress)
    ((name, most),) = limit.items()
    assert said.startswith(f"limits.{name} {most} has ended it after update {progress.step} of")
    assert "did not bring the learning rate to zero; raise it" in said
    assert remark(limits, OptimConfig(), progress) is None
    assert remark(limits, COOLED, dataclasses.replace(progress, step=9)) is None


@pytest.mark.parametrize(("name", "field"), [("max_steps", "step"), ("max_epochs", "epoch")])
def test_a_limit_below_what_was_done_is_said(name, field) -> None:
    limits = LimitsConfig(**{name: 3})
    said = remark(limits, OptimConfig(), Progress(**{field: 4}))
    assert said == f"limits.{name} 3: the run ended at 4 before, beyond it; it stays so"
    assert remark(limits, OptimConfig(), Progress(**{field: 3})) is None


@pytest.mark.parametrize(("metric", "step"), [("dev_loss", 2), ("char_bleu", 3)])
def test_the_best_model_has_the_lowest_loss_or_the_highest_score_and_came_first(
    metric, step
) -> None:
    progress = Progress()
    figures = [(2.0, 0.0), (1.0, 0.1), (3.0, 0.5), (1.0, 0.5)]
    found = []
    for progress.step, (loss, score) in enumerate(figures, 1):
        progress.figures = {"dev_loss": loss, "char_bleu": score}
        found.append(progress.note_best(metric))
    assert found == [True, True, step == 3, False]
    assert progress.best_step == step
    assert progress.best_loss == figures[step - 1][0]
