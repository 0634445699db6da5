from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

import pytest
from accelerate import Accelerator
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nl2code.errors import UserError
from nl2code.progress import Progress
from nl2code.trackers import check_trackers, open_log, read_log


def logged(out: Path, steps: Sequence[int], loss: float, trackers: Sequence[str] = ()) -> None:
    """Log at these steps, as a run does that goes on from the update before the first."""
    progress = Progress(step=steps[0] - 1)
    with open_log(Accelerator(), out, progress, trackers) as log:
        for progress.step in steps:
            log({"train_loss": loss})


def test_rows_logged_after_the_last_checkpoint_are_dropped(tmp_path: Path) -> None:
    logged(tmp_path, [1, 2, 3], 0.5)
    logged(tmp_path, [3, 4], 0.25)
    rows = read_log(tmp_path / "log.jsonl")
    assert [(row["step"], row["train_loss"]) for row in rows] == [
        (1, 0.5),
        (2, 0.5),
        (3, 0.25),
        (4, 0.25),
    ]


def test_a_row_without_a_step_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 1}\n{}\n')
    with pytest.raises(UserError, match=r"log.jsonl, line 2: no row of a log: it has no step"):
        read_log(tmp_path / "log.jsonl")


def test_a_torn_last_row_is_dropped(tmp_path: Path) -> None:
    logged(tmp_path, [1, 2], 0.5)
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(b'{"step": 3, "tra')
    assert [row["step"] for row in read_log(tmp_path / "log.jsonl")] == [1, 2]
    logged(tmp_path, [3], 0.25)
    assert [row["step"] for row in read_log(tmp_path / "log.jsonl")] == [1, 2, 3]


def test_a_broken_row_within_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 1\n{"step": 2}\n')
    with pytest.raises(UserError, match=r"log\.jsonl: not JSON Lines"):
        logged(tmp_path, [3], 0.25)


def test_tensorboard_shows_each_update_once(tmp_path: Path) -> None:
    logged(tmp_path, [1, 2, 3], 0.5, ["tensorboard"])
    logged(tmp_path, [3, 4], 0.25, ["tensorboard"])
    board = EventAccumulator(str(tmp_path / "tensorboard"))
    board.Reload()
    seen = [(event.step, event.value) for event in board.Scalars("train_loss")]
    assert seen == [(1, 0.5), (2, 0.5), (3, 0.25), (4, 0.25)]


def test_trackio_shows_each_update_once_and_says_nothing_on_stdout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    storage = pytest.importorskip("trackio.sqlite_storage", reason="not run: no trackio")
    monkeypatch.setattr(storage, "TRACKIO_DIR", tmp_path / "trackio")
    monkeypatch.setenv("TRACKIO_SPACE_ID", "someone/else")  # would send the figures away
    run = tmp_path / "run"
    run.mkdir()
    logged(run, [1, 2, 3], 0.5, ["trackio"])
    logged(run, [3, 4], 0.25, ["trackio"])
    rows = storage.SQLiteStorage.get_logs("juice", str(run))
    seen = sorted((row["step"], row["train_loss"]) for row in rows)
    assert seen == [(1, 0.5), (2, 0.5), (3, 0.25), (4, 0.25)]
    import trackio

    assert [one.name for one in trackio.Api().runs("juice")] == [str(run)]
    assert not capsys.readouterr().out


def test_a_log_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_log(Accelerator(), tmp_path, Progress(step=1), []) as log:
        monkeypatch.setattr(Path, "open", full)
        with pytest.raises(UserError, match="the log cannot be written: No space left on device"):
            log({"train_loss": 0.5})


def test_other_processes_log_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Accelerator, "is_main_process", False)
    logged(tmp_path, [1], 0.5, ["tensorboard"])
    assert not list(tmp_path.iterdir())


def test_a_tracker_that_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match="trackers: trackio is not installed"):
        check_trackers(["trackio"])
    check_trackers(["tensorboard"])
