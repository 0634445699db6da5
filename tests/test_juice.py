"""The builder, run as a user would, on notebooks in sight."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from datasets import load_dataset

import juice
from nl2code.errors import run_program

ROOT = Path(__file__).parents[1]
TASKS = ("Load the table", "Drop the rows without a price", "Plot the price of each house")


def write_repositories(folder, count=5):
    """`count` repositories of one notebook; no two share a target or an NL."""
    for number in range(count):
        cells = [{"cell_type": "markdown", "source": "# A look at houses, one step after another"}]
        for step, task in enumerate(TASKS):
            nl = f"{task} of city number {number}, please."
            cells.append({"cell_type": "markdown", "source": nl})
            code = f"step{step}_{number} = frame.{'abc'[step]}({number})"
            cells.append({"cell_type": "code", "source": code, "outputs": []})
        path = folder / f"repo{number}" / "house.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}))


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture
def inside(monkeypatch):
    """Work in a folder, with its `cache` as the cache of `datasets`."""

    def enter(folder, cache=None):
        monkeypatch.chdir(folder)
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", cache or folder / "cache")

    return enter


HELD_OUT = ("--dev-test", "repositories")


def build(*arguments):
    juice.main(["build", *map(str, arguments), *HELD_OUT])


def data(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with `dump`, `juice` and `cache`, and what the build said, by the real command."""
    folder = tmp_path_factory.mktemp("ä b")
    write_repositories(folder / "dump")
    (folder / "dump" / "repo0" / "broken.ipynb").write_text('{"cells": [')
    run = subprocess.run(
        [sys.executable, ROOT / "juice.py", "build", "dump/", "--workers", "1", *HELD_OUT],
        cwd=folder,
        env=os.environ | {"HF_DATASETS_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return folder, run.stdout


def test_the_built_folder_holds_parquet_and_a_card_and_nothing_else(built):
    folder, _ = built
    splits = [f"{split}-00000-of-00001.parquet" for split in ("dev", "test", "train")]
    assert sorted(data(folder / "juice")) == [
        "ATTRIBUTION.csv",
        "README.md",
        "build.json",
        *splits,
    ]


def test_what_was_dropped_is_printed_and_saved(built):
    folder, output = built
    report = json.loads((folder / "juice" / "build.json").read_text())
    assert "broken_json" in output
    assert ["read", "broken_json", 1] in report["funnel"]
    assert "| read | broken_json | 1 |" in (folder / "juice" / "README.md").read_text()


def test_it_loads_from_the_parent_folder(built, inside, tmp_path):
    inside(built[0], cache=tmp_path)
    for names in (["juice"], ["juice", "default"]):
        splits = load_dataset(*names)
        sizes = {name: len(rows) for name, rows in splits.items()}
        assert sizes == {"train": 9, "dev": 3, "test": 3}
    first = next(iter(load_dataset("juice", split="dev", streaming=True)))
    assert [cell["distance_target"] for cell in first["context"]] == [1, 2]


def test_after_the_build_it_loads_from_anywhere(built, inside, tmp_path):
    inside(tmp_path, cache=built[0] / "cache")
    assert len(load_dataset("juice", split="train")) == 9
    assert len(list(load_dataset("juice", split="dev", streaming=True))) == 3


def test_no_repository_target_or_nl_is_in_two_splits(built, inside, tmp_path):
    inside(built[0], cache=tmp_path)
    seen = [
        {row["metadata"]["repo"] for row in rows} | {*rows["code"], *rows["nl_original"]}
        for rows in load_dataset("juice").values()
    ]
    assert len(set.union(*seen)) == sum(map(len, seen)) == 5 + 15 + 15


def test_workers_and_the_order_and_kind_of_the_sources_change_nothing(built, inside, tmp_path):
    folder, _ = built
    rows = [
        json.dumps({"repo": path.parent.name, "path": path.name, "content": path.read_text()})
        for path in sorted((folder / "dump").glob("*/*.ipynb"), reverse=True)
    ]
    (tmp_path / "dump.jsonl").write_text("\n".join(rows))
    inside(tmp_path)
    build("dump.jsonl", "--workers", 2, "--no-install")
    assert data(tmp_path / "juice") == data(folder / "juice")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("place", [".", "elsewhere"])
def test_rebuilt_data_is_never_served_stale(inside, tmp_path, place):
    (tmp_path / "elsewhere").mkdir()
    for count in (3, 4, 3):
        inside(tmp_path)
        shutil.rmtree("dump", ignore_errors=True)
        write_repositories(tmp_path / "dump", count)
        build("dump", "--workers", 1, "--overwrite")
        inside(tmp_path / place, cache=tmp_path / "cache")
        assert len(load_dataset("juice", split="train")) == 3 * (count - 2)


def test_the_last_build_is_served_though_another_folder_was_loaded_since(inside, tmp_path):
    for name, count in (("one", 3), ("two", 4)):
        (tmp_path / name).mkdir()
        write_repositories(tmp_path / name / "dump", count)
    for name in ("two", "one"):
        inside(tmp_path / name, cache=tmp_path / "cache")
        build("dump", "--workers", 1)
    inside(tmp_path / "two", cache=tmp_path / "cache")
    load_dataset("juice")
    inside(tmp_path / "one", cache=tmp_path / "cache")
    build("dump", "--workers", 1, "--overwrite")
    inside(tmp_path, cache=tmp_path / "cache")
    assert len(load_dataset("juice", split="train")) == 3


def test_another_name_is_another_dataset(inside, tmp_path):
    write_repositories(tmp_path / "dump", 3)
    inside(tmp_path)
    build("dump", "--workers", 1, "--out", "O'Brien [1]/houses")
    (tmp_path / "elsewhere").mkdir()
    inside(tmp_path / "elsewhere", cache=tmp_path / "cache")
    assert len(load_dataset("houses", split="train")) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone", "--out", "new"), "gone: no such file or folder"),
        (("empty", "--out", "new"), "empty: the folder is empty"),
        (("dump", "--out", "full"), "full: exists and is not a folder that juice.py made"),
        (("dump", "--out", "br[1]"), "br[1]: the name must not hold"),
        (("dump",), "juice: exists; --overwrite"),
        (("gone", "--out", "made/for/new"), "gone: no such file or folder"),
        (("two", "--out", "new"), "--dev-test notebooks"),
        (("broken", "--out", "new"), "no example in 1 notebook; dropped: broken_json 1"),
        (("dump", "--workers", "0"), "--workers: 0 is not a number"),
        (("dump", "--colour", "red"), "--colour"),
    ],
)
def test_a_mistake_is_one_sentence_and_nothing_is_lost(built, inside, capsys, arguments, said):
    folder, _ = built
    inside(folder)
    for name in ("empty", "full", "broken/a"):
        Path(name).mkdir(parents=True, exist_ok=True)
    Path("full/mine.txt").touch()
    Path("broken/a/b.ipynb").write_text("{")
    if not Path("two").exists():
        write_repositories(Path("two"), 2)
    before, listing = data(folder / "juice"), sorted(os.listdir(folder))
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: build("--workers", 1, *arguments))
    output = capsys.readouterr()
    assert (stopped.value.code, output.out) == (2, "")
    assert said in output.err
    assert data(folder / "juice") == before
    assert sorted(os.listdir(folder)) == listing


def test_a_build_that_was_overtaken_replaces_nothing(built, inside, monkeypatch, capsys):
    inside(built[0])
    write_card = juice.write_card

    def slow(*arguments):
        write_card(*arguments)
        shutil.copytree("juice", "fast")

    monkeypatch.setattr(juice, "write_card", slow)
    with pytest.raises(SystemExit):
        run_program(lambda: build("dump", "--workers", "1", "--out", "fast"))
    assert "fast: exists" in capsys.readouterr().err
    assert data(Path("fast")) == data(Path("juice"))
    shutil.rmtree("fast")


def test_a_cache_that_cannot_be_written_says_that_the_build_is_there(built, inside, capsys):
    folder, _ = built
    (folder / "full.txt").touch()
    inside(folder, cache=folder / "full.txt")
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: build("dump", "--workers", "1", "--out", "new"))
    assert stopped.value.code == 2
    assert "full.txt" in capsys.readouterr().err
    assert data(folder / "new") == data(folder / "juice")
    shutil.rmtree(folder / "new")
    (folder / "full.txt").unlink()


def test_a_full_disk_keeps_the_old_build(built, inside, monkeypatch, capsys):
    folder, _ = built
    inside(folder)
    before = data(folder / "juice")

    def full(*arguments, **options):
        raise OSError(28, "No space left on device", "train.parquet")

    monkeypatch.setattr("nl2code.corpus.files.pq.ParquetWriter", full)
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: build("dump", "--workers", "1", "--overwrite"))
    assert stopped.value.code == 2
    assert "No space left on device" in capsys.readouterr().err
    assert data(folder / "juice") == before


@pytest.mark.slow
def test_a_build_killed_at_any_time_keeps_the_old_folder_and_can_be_repeated(built, tmp_path):
    folder, _ = built
    shutil.copytree(folder / "dump", tmp_path / "dump")
    shutil.copytree(folder / "juice", tmp_path / "juice")
    options = ("--overwrite", "--no-install", *HELD_OUT)
    command = [sys.executable, ROOT / "juice.py", "build", "dump", *options]
    for seconds in (2, 3, 4, 5):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert data(tmp_path / "juice") == data(folder / "juice")
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert sorted(os.listdir(tmp_path)) == ["dump", "juice"]


@pytest.mark.slow
def test_a_killed_build_leaves_no_process(built, tmp_path):
    shutil.copytree(built[0] / "dump", tmp_path / "dump")
    command = [sys.executable, ROOT / "juice.py", "build", "dump", "--workers", "2", *HELD_OUT]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    workers = []
    while process.poll() is None and len(workers) < 2:
        listing = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        workers = [pid for pid in listing if "spawn_main" in command_line(pid)]
    process.kill()
    process.wait()
    assert workers
    for _ in range(300):
        if not any("spawn_main" in command_line(pid) for pid in workers):
            return
        time.sleep(0.1)
    raise AssertionError("workers outlive the build")


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_ctrl_c_during_the_imports_leaves_no_traceback(tmp_path):
    (tmp_path / "rich.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    run = subprocess.run(
        [sys.executable, juice.__file__, "stats", "juice"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        # The tests may run where nothing passes Ctrl-C on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (-signal.SIGINT, "")
