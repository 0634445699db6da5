"""Runs that are killed, preempted or spread over processes end as one that was not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_runs import (
    ROOT,
    SMALL_LSTM,
    SMALL_TRANSFORMER,
    command,
    finished,
    limits,
    log,
    settings,
    start,
    train,
    train_and_die,
    weights,
)

from nl2code import optimisation
from nl2code.errors import UserError
from nl2code.linearisation import InputFormat
from nl2code.models import ModelConfig
from nl2code.trackers import read_log
from nl2code.training_config import EvalConfig, OptimConfig


@pytest.mark.parametrize("model", [SMALL_LSTM, SMALL_TRANSFORMER], ids=["lstm", "transformer"])
def test_a_run_killed_in_mid_epoch_ends_in_the_same_weights(
    model: ModelConfig, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    optim = OptimConfig(batch_tokens=150, schedule="inverse_sqrt", warmup_steps=4)
    whole = settings(here, tmp_path / "whole", model=model, optim=optim)
    killed = settings(here, tmp_path / "killed", model=model, optim=optim)
    train.train(whole)
    train_and_die(killed, 8, monkeypatch)
    assert log(killed.out)[-1]["step"] == 8  # the last checkpoint is of update 6, in epoch 0
    train.train(killed)
    assert weights(killed.out) == weights(whole.out)
    assert weights(killed.out, "best") == weights(whole.out, "best")


def test_a_resumed_run_logs_each_update_once(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, killed = settings(here, tmp_path / "whole"), settings(here, tmp_path / "killed")
    train.train(whole)
    train_and_die(killed, 8, monkeypatch)
    train.train(killed)
    clock = {"seconds", "tokens_per_second"}
    rows = [
        [{name: row[name] for name in row.keys() - clock} for row in log(one.out)]
        for one in (whole, killed)
    ]
    assert rows[0] == rows[1]


def test_a_plateau_is_remembered_over_a_kill(here: Path, tmp_path: Path) -> None:
    # A rate this low never makes the dev loss better: each evaluation but the first halves it.
    optim = OptimConfig(batch_tokens=150, lr=1e-6)
    when = EvalConfig(epochs=None, steps=2, examples=1, max_new_tokens=1)
    for steps in (4, 6, 8):
        config = settings(here, tmp_path / "run", optim=optim, eval=when, limits=limits(steps))
        train.train(config)
    rates = [r["lr"] for r in log(config.out) if "lr" in r]
    assert rates == [1e-6, 1e-6, 0.5e-6, 0.25e-6]


def test_a_run_that_ended_may_go_on_with_a_cooldown(here: Path, tmp_path: Path) -> None:
    for steps, cooldown in ((4, 0), (8, 4)):
        optim = OptimConfig(schedule="constant", cooldown_steps=cooldown, lr=1e-3)
        train.train(settings(here, tmp_path / "run", optim=optim, limits=limits(steps)))
    rates = [row["lr"] for row in log(tmp_path / "run") if "lr" in row]
    assert rates == pytest.approx([1e-3, 1e-3, 0.5e-3, 0])  # each second update


@pytest.mark.parametrize("batch", [7, 10, 11], ids=["second of 3", "second of 3 later", "last"])
def test_a_run_killed_in_mid_accumulation_ends_in_the_same_weights(
    batch: int, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    optim = OptimConfig(batch_tokens=60, accumulate=3)
    options = {"optim": optim, "save_steps": 1, "limits": limits(6)}
    whole = settings(here, tmp_path / "whole", **options)
    killed = settings(here, tmp_path / "killed", **options)
    train.train(whole)
    train_and_die(killed, batch, monkeypatch)
    train.train(killed)
    assert weights(killed.out) == weights(whole.out)


def signalled(config: object, batch: int, number: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Train, with a signal to this process while it makes a batch, counted from 0."""
    calls = iter(range(1000))

    def collate(*arguments: object) -> object:
        if next(calls) == batch:
            os.kill(os.getpid(), number)
        return plain(*arguments)

    plain = optimisation.collate
    with monkeypatch.context() as patch:
        patch.setattr(optimisation, "collate", collate)
        return train.train(config)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_in_mid_accumulation_saves_after_that_update_and_says_how_to_go_on(
    number: signal.Signals, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {
        "optim": OptimConfig(batch_tokens=60, accumulate=3),
        "save_steps": None,
        "limits": limits(6),
    }
    whole = settings(here, tmp_path / "whole", **options)
    stopped = settings(here, tmp_path / "stopped", **options)
    train.train(whole)
    said = signalled(stopped, 7, number, monkeypatch)  # the second batch of update 3
    done = f"stopped by {number.name} after update 3"
    assert said == f"{stopped.out}: {done}; the same command goes on from there"
    assert not (stopped.out / "report.md").exists()
    train.train(stopped)
    assert weights(stopped.out) == weights(whole.out)
    assert (stopped.out / "report.md").is_file()
    further = settings(here, tmp_path / "stopped", **options | {"limits": limits(9)})
    signalled(further, 0, number, monkeypatch)
    assert not (stopped.out / "report.md").exists()  # the run is not over any more


def test_a_signal_before_the_first_update_leaves_a_state_to_go_on_from(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(here, tmp_path / "run", limits=limits(2))
    plain = train.learn

    def learn(*arguments: object) -> object:
        os.kill(os.getpid(), signal.SIGTERM)
        return plain(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(train, "learn", learn)
        assert "stopped by SIGTERM after update 0" in train.train(config)
    train.train(config)
    train.train(settings(here, tmp_path / "whole", limits=limits(2)))
    assert weights(config.out) == weights(tmp_path / "whole")


def test_after_a_run_the_signals_are_as_before(here: Path, tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGUSR1)
    train.train(settings(here, tmp_path / "run", limits=limits(1)))
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGUSR1)) == before


def test_an_evaluation_changes_no_weight(here: Path, tmp_path: Path) -> None:
    for name, steps in (("often", 1), ("once", None)):
        when = EvalConfig(epochs=None, steps=steps, examples=2, max_new_tokens=2)
        optim = OptimConfig(batch_tokens=150, schedule="constant")
        train.train(settings(here, tmp_path / name, eval=when, optim=optim, limits=limits(5)))
    assert weights(tmp_path / "often") == weights(tmp_path / "once")


@pytest.mark.slow
def test_a_compiled_run_leaves_the_weights_of_one_that_was_not(
    here: Path, tmp_path: Path, monkeypatch
) -> None:
    """`accelerate launch --dynamo_backend`, here with one that compiles nothing but the graph."""
    finished(command(here, tmp_path / "plain", "--limits.max_steps=6"))
    monkeypatch.setenv("ACCELERATE_DYNAMO_BACKEND", "EAGER")
    for steps in (3, 6):
        finished(command(here, tmp_path / "compiled", f"--limits.max_steps={steps}"))
    for name in ("last", "best"):
        assert weights(tmp_path / "compiled", name) == weights(tmp_path / "plain", name)


def test_a_run_goes_on_that_began_before_there_was_a_setting(here: Path, tmp_path: Path) -> None:
    config = settings(here, tmp_path / "run", limits=limits(2))
    train.train(config)
    path = config.out / "config.yaml"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "chosen_cells" not in line))
    train.train(settings(here, tmp_path / "run", limits=limits(4)))
    assert log(config.out)[-1]["step"] == 4
    path.write_text("".join(line for line in lines if "chosen_cells" not in line))
    fmt = InputFormat(chosen_cells=2)
    with pytest.raises(UserError, match="chosen_cells was 0 and is 2"):
        train.train(settings(here, tmp_path / "run", format=fmt, limits=limits(6)))


def test_another_number_of_processes_is_refused(here: Path, tmp_path: Path) -> None:
    config = settings(here, tmp_path / "run", limits=limits(1))
    train.train(config)
    path = config.out / "run.json"
    path.write_text(path.read_text().replace('"processes": 1', '"processes": 2'))
    with pytest.raises(UserError, match="cannot be resumed: processes was 2 and is 1"):
        train.train(config)


def wait_for(out: Path, update: int, running: subprocess.Popen[str]) -> None:
    """Wait until the log has come to an update."""
    path = out / "log.jsonl"
    while not (path.is_file() and any(row["step"] >= update for row in read_log(path))):
        assert running.poll() is None, running.communicate()[1][-3000:]
        time.sleep(0.01)


LONG = ["--limits.max_epochs=40", "--save_steps=5"]


@pytest.mark.slow
def test_a_preempted_program_saves_and_exits_with_0(here: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    running = start(command(here, out, *LONG))
    wait_for(out, 7, running)
    running.send_signal(signal.SIGTERM)
    said, _ = running.communicate()
    assert running.returncode == 0
    assert said.startswith(f"{out}: stopped by SIGTERM after update")
    assert said.count("\n") == 1
    finished(command(here, out, *LONG))
    finished(command(here, tmp_path / "whole", *LONG))
    assert weights(out) == weights(tmp_path / "whole")


SHARED = ["--limits.max_epochs=20", "--save_steps=4", "--optim.accumulate=2"]


def rank_of(launcher: int, rank: int) -> int:
    """The process that the launcher started as this rank."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            environment = (place / "environ").read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if parent == launcher and b"RANK=%d" % rank in environment:
            return int(place.name)
    raise AssertionError(f"no rank {rank}")


@pytest.mark.slow
def test_a_signal_to_one_of_two_processes_saves_both(here: Path, tmp_path: Path) -> None:
    out, whole = tmp_path / "run", tmp_path / "whole"
    more = ["--limits.max_epochs=60", "--optim.accumulate=2"]  # not over before the signal comes
    finished(command(here, whole, *more), processes=2)
    launcher = start(command(here, out, *more), processes=2)
    wait_for(out, 2, launcher)
    os.kill(rank_of(launcher.pid, 1), signal.SIGTERM)
    said, complaints = launcher.communicate()
    assert launcher.returncode == 0, complaints[-3000:]
    assert said.startswith(f"{out}: stopped by SIGTERM after update")
    finished(command(here, out, *more), processes=2)
    assert weights(out) == weights(whole)
    assert figures(out) == figures(whole)


@pytest.mark.slow
def test_a_kill_of_three_processes_changes_no_weight(here: Path, tmp_path: Path) -> None:
    # Three, as the sum of three gradients depends on the order of adding them up.
    out, whole = tmp_path / "run", tmp_path / "whole"
    more = [*SHARED, "--model.hidden_size=64"]
    finished(command(here, whole, *more), processes=3)
    launcher = start(command(here, out, *more), processes=3)
    wait_for(out, 10, launcher)
    os.kill(rank_of(launcher.pid, 0), signal.SIGKILL)  # the launcher ends the others
    launcher.communicate()
    assert launcher.returncode != 0
    assert not (out / "report.md").exists()
    finished(command(here, out, *more), processes=3)
    assert weights(out) == weights(whole)


def figures(out: Path) -> list[dict[str, float]]:
    """The log without what the clock says."""
    clock = {"seconds", "tokens_per_second"}
    return [{name: row[name] for name in row.keys() - clock} for row in log(out)]


@pytest.mark.slow
def test_two_processes_learn_what_one_learns_from_twice_as_many_batches(
    here: Path, tmp_path: Path
) -> None:
    more = ["--limits.max_epochs=4", "--model.dropout=0"]
    finished(command(here, tmp_path / "two", *more), processes=2)
    finished(command(here, tmp_path / "one", *more, "--optim.accumulate=2"))
    assert json.loads((tmp_path / "two" / "run.json").read_text())["processes"] == 2
    one, two = log(tmp_path / "one"), log(tmp_path / "two")
    for name in ("train_loss", "dev_loss", "bleu_nltk3"):
        curves = [[row[name] for row in part if name in row] for part in (one, two)]
        assert len(curves[0]) >= 4
        assert curves[0] == pytest.approx(curves[1], abs=1e-5)


SRUN = """#!/bin/bash
shift
for rank in 0 1; do
    SLURM_PROCID=$rank SLURM_LOCALID=$rank SLURM_NTASKS=2 "$@" & processes+=($!)
done
wait "${processes[0]}" && wait "${processes[1]}"
"""
SCONTROL = """#!/bin/bash
if [ "$1" = requeue ]; then echo "$2" >> "$REQUEUED"; else echo localhost; echo other; fi
"""


@pytest.mark.slow
def test_the_slurm_script_requeues_until_the_run_is_over(here: Path, tmp_path: Path) -> None:
    commands, out, requeued = tmp_path / "bin", tmp_path / "run", tmp_path / "requeued"
    commands.mkdir()
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{commands}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ACCELERATE_USE_CPU": "true",
        "ACCELERATE_MIXED_PRECISION": "no",
        "SLURM_JOB_ID": str(os.getpid()),
        "SLURM_JOB_NODELIST": "two",
        "REQUEUED": str(requeued),
    }
    (tmp_path / "small.yaml").write_text("model: {layers: 1}")
    _, *options = command(here, out, *SHARED)
    options = [option for option in options if not option.startswith("--out=")]
    script = [ROOT / "recipes" / "accelerate" / "slurm.sh", tmp_path / "small.yaml", out, *options]

    def submit() -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(script, cwd=ROOT, env=environment, **pipes)

    job = submit()
    wait_for(out, 6, job)
    for place in Path("/proc").glob("[0-9]*/cmdline"):  # as Slurm does, to all of the step
        words = place.read_bytes().split(b"\0") if place.exists() else []
        if b"recipes/train.py" in words and str(out).encode() in words:
            os.kill(int(place.parent.name), signal.SIGUSR1)
    said, complaints = job.communicate()
    assert job.returncode == 0, complaints[-3000:]
    assert said.startswith(f"{out}: stopped by SIGUSR1 after update")
    assert requeued.read_text().split() == [environment["SLURM_JOB_ID"]]
    again = submit()
    said, complaints = again.communicate()
    assert again.returncode == 0, complaints[-3000:]
    assert (out / "report.md").is_file()
    assert len(requeued.read_text().split()) == 1
    assert json.loads((out / "run.json").read_text())["processes"] == 2


DYING = """
import os, random, runpy, signal, sys
from nl2code.progress import Progress
draw, count = random.Random(int(sys.argv.pop(1))), Progress.count

def dying(*arguments):
    if draw.random() < 0.01:
        os.kill(os.getpid(), signal.SIGKILL)
    count(*arguments)

Progress.count = dying
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.slow
def test_a_kill_at_each_step_with_one_chance_in_a_hundred_changes_no_weight(
    here: Path, tmp_path: Path
) -> None:
    more = ["--limits.max_steps=200", "--limits.max_epochs=1000", "--save_steps=7"]
    more += ["--eval.epochs=5"]
    finished(command(here, tmp_path / "whole", *more))
    kills = 0
    while True:
        run = [sys.executable, "-c", DYING, str(kills), *command(here, tmp_path / "run", *more)]
        ended = subprocess.run(run, capture_output=True, text=True)
        if ended.returncode != -signal.SIGKILL:
            break
        kills += 1
        assert kills < 40
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert kills >= 2
    for name in ("last", "best"):
        assert weights(tmp_path / "run", name) == weights(tmp_path / "whole", name)
    assert figures(tmp_path / "run") == figures(tmp_path / "whole")
