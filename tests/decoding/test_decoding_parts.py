"""A killed run's answers are gone on from, and only by the same run."""

from pathlib import Path

import pytest

from nl2code.decoding import Parts, fingerprint, plan_batches
from nl2code.errors import UserError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_batches_keep_their_budget_and_hold_each_source_once() -> None:
    sources = [[7] * length for length in (3, 9, 1, 4, 4, 30, 2)]
    batches = plan_batches(sources, budget=12)
    assert sorted(place for batch in batches for place in batch) == list(range(7))
    costs = [len(batch) * max(len(sources[place]) for place in batch) for batch in batches]
    assert costs[0] == 30  # alone
    assert max(costs[1:]) <= 12


def test_answers_come_back_by_their_places(tmp_path: Path) -> None:
    parts = Parts(tmp_path / "a.jsonl")
    parts.open({"model": "x"})
    parts.write(1, [(0, {"prediction": "a"})])
    parts.write(0, [(2, {"prediction": "c"}), (1, {"prediction": "b"})])
    assert parts.read(2) == {
        2: {"prediction": "c"}, 1: {"prediction": "b"}, 0: {"prediction": "a"}
    }  # fmt: skip


def test_the_same_run_goes_on_and_another_begins_anew(tmp_path: Path) -> None:
    parts = Parts(tmp_path / "a.jsonl")
    parts.open({"model": "x"})
    parts.write(3, [(0, {"prediction": "a"})])
    Parts(tmp_path / "a.jsonl").open({"model": "x"})
    assert parts.done(3)
    assert not parts.done(0)
    Parts(tmp_path / "a.jsonl").open({"model": "y"})
    assert not parts.done(3)


def test_a_folder_that_no_run_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.parts").mkdir()
    (tmp_path / "a.jsonl.parts" / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match=r"a\.jsonl\.parts: holds what no killed run left there"):
        Parts(tmp_path / "a.jsonl").open({"model": "x"})
    assert names(tmp_path / "a.jsonl.parts") == ["thesis.txt"]


def test_a_run_is_the_same_if_weights_sources_and_settings_are(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    run = fingerprint(tmp_path, [[1, 2], [3]], {"num_beams": 5})
    assert run == fingerprint(tmp_path, [[1, 2], [3]], {"num_beams": 5})
    assert run != fingerprint(tmp_path, [[1], [2, 3]], {"num_beams": 5})
    assert run != fingerprint(tmp_path, [[1, 2], [3]], {"num_beams": 4})
    (tmp_path / "model.safetensors").write_bytes(b"others")
    assert run != fingerprint(tmp_path, [[1, 2], [3]], {"num_beams": 5})
