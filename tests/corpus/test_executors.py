"""Tasks: what is listed and cut, what resumes, what is refused, and what a cluster is told."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import juice
from nl2code.corpus import shards
from nl2code.corpus.build import build
from nl2code.corpus.held_out import HeldOut
from nl2code.corpus.mapping import map_notebooks
from nl2code.corpus.shards import Cluster, MapTask, gather, list_shards, prepare
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import Workers
from nl2code.errors import UserError
from nl2code.jsonl import read_json
from nl2code.sources import find_notebooks

ROOT = Path(__file__).parents[2]
NL = "Load the table of all the houses and look at its first rows, please."
HOLD_OUT = HeldOut("repositories")


def content(number):
    cells = [
        {"cell_type": "markdown", "source": f"{NL} It is number {number}."},
        {"cell_type": "code", "source": f"table_{number} = load({number})"},
    ]
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells})


def rows(*numbers):
    return [{"repo": f"r{n % 3}", "path": f"{n}.ipynb", "content": content(n)} for n in numbers]


@pytest.fixture
def sources(tmp_path):
    """A tree, a Parquet of three row groups and JSON Lines."""
    tree = tmp_path / "tree" / "ada"
    tree.mkdir(parents=True)
    for number in range(3):
        (tree / f"{number}.ipynb").write_text(content(number))
    table = pa.Table.from_pylist(rows(*range(10, 16)))
    pq.write_table(table, tmp_path / "dump.parquet", row_group_size=2)
    lines = [json.dumps(row) for row in rows(*range(20, 25))]
    (tmp_path / "dump.jsonl").write_text("\n".join([*lines[:2], "", "{broken", *lines[2:]]))
    return [tmp_path / "tree", tmp_path / "dump.parquet", tmp_path / "dump.jsonl"]


def places(notebooks):
    return [(raw.repo, raw.path) for raw in notebooks]


@pytest.mark.parametrize("task_bytes", [1, 100, 350, 10_000])
def test_shards_hold_every_notebook_once_wherever_they_are_cut(sources, monkeypatch, task_bytes):
    monkeypatch.setattr(shards, "TASK_BYTES", task_bytes)
    found = [raw for shard in list_shards(sources) for raw in shard.read()]
    assert places(found) == places(find_notebooks(sources))
    assert len(found) == 3 + 6 + 6  # the broken line is one


def test_a_link_that_leads_to_nothing_is_a_shard_of_no_bytes(tmp_path):
    (tmp_path / "gone.ipynb").symlink_to(tmp_path / "nowhere.ipynb")
    (shard,) = list_shards([tmp_path])
    assert (shard.path, shard.size) == ("gone.ipynb", 0)


def test_a_source_that_cannot_be_read_is_named_and_counted_by_its_task(tmp_path, sources, capsys):
    odd, work = tmp_path / "odd.parquet", tmp_path / "work"
    odd.write_bytes(b"PAR1")
    prepare(work, [*sources, odd], TargetRules(), 1)
    assert f"{odd}: cannot be read as Parquet" in capsys.readouterr().err
    MapTask(work, TargetRules())(None, 0, 1)
    assert shards.drops_of(work, 0).unreadable == {"broken_json": 1, "unreadable_dump": 1}


def test_a_mistake_in_the_sources_leaves_no_folder(tmp_path):
    (tmp_path / "odd.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"odd\.parquet: cannot be read as Parquet"):
        prepare(tmp_path / "a" / "work", [tmp_path / "odd.parquet"], TargetRules(), 2)
    assert [path.name for path in tmp_path.iterdir()] == ["odd.parquet"]


def contents(folder):
    tables = [pq.read_table(file) for file in sorted((folder / "candidates").glob("*"))]
    return sorted(row["id"] for table in tables for row in table.to_pylist())


@pytest.mark.parametrize("tasks", [1, 4, 30])
def test_tasks_give_together_what_one_map_gives(tmp_path, sources, tasks):
    for folder in ("one", "many"):
        (tmp_path / folder).mkdir()
    rules, work = TargetRules(), tmp_path / "work"
    drops = map_notebooks(
        find_notebooks(sources), tmp_path / "one", rules, Workers(1), lambda n: None
    )
    assert prepare(work, sources[::-1], rules, tasks) == tasks
    for rank in reversed(range(tasks)):
        MapTask(work, rules)(None, rank, tasks)
    assert gather(work, tasks, tmp_path / "many") == drops
    assert drops.unreadable == {"broken_json": 1}
    assert contents(tmp_path / "many") == contents(tmp_path / "one")
    assert len(contents(tmp_path / "one")) == 14


def test_tasks_share_the_bytes(sources, tmp_path):
    prepare(tmp_path / "work", sources, TargetRules(), 3)
    listed = pq.read_table(tmp_path / "work" / "shards.parquet").to_pylist()
    sizes = [sum(s["size"] for s in listed if s["task"] == task) for task in range(3)]
    assert min(sizes) > 0
    assert max(sizes) < 0.6 * sum(sizes)


def test_a_task_that_is_done_is_not_done_again(tmp_path, sources):
    work, rules = tmp_path / "work", TargetRules()
    prepare(work, sources, rules, 1)
    task = MapTask(work, rules)
    task(None, 0, 1)
    for file in (tmp_path / "tree" / "ada").iterdir():
        file.write_text("no notebook any more")
    task(None, 0, 1)
    assert shards.drops_of(work, 0).unreadable == {"broken_json": 1}


def test_a_task_that_fails_leaves_nothing_that_looks_done(tmp_path, sources, monkeypatch):
    work, rules = tmp_path / "work", TargetRules()
    prepare(work, sources, rules, 1)
    with monkeypatch.context() as patch:
        patch.setattr(shards, "write_json", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            MapTask(work, rules)(None, 0, 1)
    assert list((work / "parts").iterdir()) == []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"rules": TargetRules(long_targets="truncate")}, "--long-targets drop, not truncate"),
        ({"rules": TargetRules(licenses=frozenset({"MIT"}))}, r"--licenses None, not \['MIT'\]"),
        ({"tasks": 3}, "tasks 2, not 3"),
        ({"program": "newer"}, "another version of this program"),
        ({"more": True}, "other sources"),
    ],
)
def test_another_command_in_the_same_folder_is_refused(
    tmp_path, sources, monkeypatch, change, name
):
    prepare(tmp_path / "work", sources, TargetRules(), 2)
    prepare(tmp_path / "work", sources, TargetRules(), 2)
    if "more" in change:
        (tmp_path / "tree" / "ada" / "new.ipynb").write_text(content(99))
    if "program" in change:
        monkeypatch.setattr(shards, "_program", lambda: change["program"])
    rules, tasks = change.get("rules", TargetRules()), change.get("tasks", 2)
    with pytest.raises(UserError, match=name):
        prepare(tmp_path / "work", sources, rules, tasks)


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path, sources):
    with pytest.raises(UserError, match="holds other files"):
        prepare(tmp_path / "tree", sources, TargetRules(), 2)


def test_the_keys_of_many_notebooks_fit_in_little_memory(tmp_path, monkeypatch):
    def in_this_process(notebooks, folder, rules, workers, report):
        return map_notebooks(notebooks, folder, rules, Workers(1), report)

    monkeypatch.setattr("nl2code.corpus.build.map_notebooks", in_this_process)
    monkeypatch.setattr("nl2code.corpus.build._KEYS_MEMORY", "20MB")
    cells = [{"cell_type": "code", "source": "x = 1"}]
    table = [
        {"repo": "ada", "path": f"{number}.ipynb", "content": json.dumps({"cells": cells})}
        for number in range(400)
    ]
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "dump.parquet")
    with pytest.raises(UserError, match="no example in 400 notebooks"):
        build(
            [tmp_path / "dump.parquet"], tmp_path / "out", TargetRules(curated=True), HeldOut(), 2
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--executor", "ray"], "--executor ray: --work DIR is needed"),
        (["--work", "w"], "--work w: is only for --executor local, slurm and ray"),
        (["--tasks", "3"], "--tasks 3: is only for"),
        (["--executor", "local", "--work", "w", "--cluster", "f"], "local takes no file"),
        (["--executor", "local", "--work", "out"], "--work out: must lie apart from --out out"),
        (["--executor", "local", "--work", "out/w"], "--work out/w: must lie apart from --out out"),
        (["--executor", "ray", "--work", "."], r"--work \.: must lie apart from --out out"),
        (["--executor", "ray", "--work", "w", "--cluster", "f"], "--cluster f: no such file"),
    ],
)
def test_options_that_do_not_go_together_are_named(
    tmp_path, sources, monkeypatch, options, message
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message):
        juice.main(["build", *map(str, sources), "--out", "out", *options])
    assert not (tmp_path / "w").exists()
    assert not (tmp_path / "out").exists()


def test_a_build_says_how_many_bytes_an_example_takes(tmp_path, sources):
    built = build(sources, tmp_path / "out", TargetRules(), HOLD_OUT)
    for split, size in built.bytes_per_example.items():
        stored = sum(file.stat().st_size for file in (tmp_path / "out").glob(f"{split}-*"))
        assert size * built.splits[split].examples == pytest.approx(stored, abs=5)
    assert set(built.bytes_per_example) == {"train", "dev", "test"}


# What follows needs datatrove.


def digest(folder, sources, cluster=None):
    return build(sources, folder, TargetRules(), HOLD_OUT, 1, cluster=cluster).digest


def test_without_datatrove_a_sentence_says_what_to_install(tmp_path, sources, monkeypatch):
    monkeypatch.setitem(sys.modules, "nl2code.corpus.executors", None)
    with pytest.raises(UserError, match=r"pip install -e '\.\[cluster\]'"):
        digest(tmp_path / "out", sources, Cluster("local", tmp_path / "work"))


SLURM = Cluster("slurm", Path("work"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "--cluster FILE is needed"),
        ("partition: cpu\n", "--cluster .*slurm.yaml: lacks time"),
        ('partition: cpu\ntime: "01:00:00"\nmemory: 3\n', "memory"),
        ("partition: cpu\ntime: 10:00:00\n", "time"),  # YAML reads 36,000: for Slurm, minutes
    ],
)
def test_what_slurm_is_told_is_checked_before_anything_is_written(
    tmp_path, sources, monkeypatch, text, message
):
    pytest.importorskip("datatrove")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "slurm.yaml"
    if text:
        file.write_text(text)
    with pytest.raises(UserError, match=message):
        digest(tmp_path / "out", sources, replace(SLURM, options=file if text else None))
    assert not (tmp_path / "work").exists()


def program(folder, name, text):
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/bash\n{text}\n")
    file.chmod(0o755)


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Programs that stand for Slurm's; a job is what lies in `queue`."""
    bin_, queue = tmp_path / "bin", tmp_path / "queue"
    queue.mkdir()
    program(bin_, "sbatch", f'cp "${{@: -1}}" {queue}/script; echo Submitted batch job 7')
    program(bin_, "squeue", f"grep -oP 'job-name=\\K.*' {queue}/script || true")
    program(bin_, "scontrol", "echo localhost")
    program(bin_, "srun", 'while [[ $1 == -* ]]; do [[ $1 == -n ]] && shift; shift; done; "$@"')
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_NODELIST", "localhost")
    file = tmp_path / "slurm.yaml"
    file.write_text('partition: cpu\ntime: "01:00:00"\nmem_per_cpu_gb: 8\nworkers: 5\n')
    return Cluster("slurm", tmp_path / "work", 3, file)


def work_of_the_jobs(cluster, queue, ranks):
    """What Slurm would do between two looks at the queue."""

    def sleep(seconds):
        if (queue / "script").exists():
            for rank in ranks:
                MapTask(cluster.work, TargetRules())(None, rank, 3)
                (cluster.work / "completions").mkdir(exist_ok=True)
                (cluster.work / "completions" / f"{rank:05d}").touch()
            (queue / "script").rename(queue / "done")

    return sleep


def test_the_script_for_slurm_says_what_the_file_says(tmp_path, sources, slurm, monkeypatch):
    executors = pytest.importorskip("nl2code.corpus.executors")
    queue = tmp_path / "queue"
    monkeypatch.setattr(executors.time, "sleep", work_of_the_jobs(slurm, queue, range(3)))
    monkeypatch.setattr(executors, "_LOOK_EVERY", 0)
    assert digest(tmp_path / "out", sources, slurm) == digest(tmp_path / "plain", sources)
    script = (queue / "done").read_text()
    for line in ("partition=cpu", "time=01:00:00", "mem-per-cpu=8G", "array=0-2%5"):
        assert f"#SBATCH --{line}\n" in script
    assert "launch_pickled_pipeline" in script
    assert f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH" in script


def test_jobs_that_end_without_their_task_are_named_and_run_again(
    tmp_path, sources, slurm, monkeypatch
):
    executors = pytest.importorskip("nl2code.corpus.executors")
    queue = tmp_path / "queue"
    for ranks in ((0, 2), (1,)):
        monkeypatch.setattr(executors.time, "sleep", work_of_the_jobs(slurm, queue, ranks))
        if ranks == (0, 2):
            with pytest.raises(UserError, match=r"1 of 3 tasks .*task_00001\.log"):
                digest(tmp_path / "one", sources, slurm)
        else:
            assert digest(tmp_path / "out", sources, slurm) == digest(tmp_path / "p", sources)
            assert "array=0-0%5" in (queue / "done").read_text()


@pytest.mark.slow
def test_the_script_for_slurm_runs(tmp_path, sources, slurm, monkeypatch):
    executors = pytest.importorskip("nl2code.corpus.executors")
    queue = tmp_path / "queue"

    def sleep(seconds):
        for rank in range(3):
            environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(rank)}
            subprocess.run(["bash", queue / "script"], env=environment, check=True)
        (queue / "script").unlink()

    monkeypatch.setattr(executors.time, "sleep", sleep)
    assert digest(tmp_path / "out", sources, slurm) == digest(tmp_path / "plain", sources)


EMBEDDED = ROOT / "examples" / "notebooks"


def command(tmp_path, out, *more):
    words = [sys.executable, "-m", "juice", "build", EMBEDDED, "--out", tmp_path / out]
    words += ["--dev-test", "repositories", "--workers", "2", "--no-install", *more]
    return subprocess.Popen(
        list(map(str, words)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(folder, count, process):
    while len(list(folder.glob("[0-9]*"))) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.slow
def test_a_killed_worker_and_a_killed_driver_cost_only_their_tasks(tmp_path):
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("datatrove")
    cluster = ("--executor", "local", "--work", tmp_path / "work", "--tasks", "12")
    plain = command(tmp_path, "plain")
    plain.communicate()
    parts = tmp_path / "work" / "parts"

    process = command(tmp_path, "out", *cluster)
    wait_for(parts, 1, process)
    worker = max(psutil.Process(process.pid).children(), key=lambda c: c.memory_info().rss)
    worker.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 2
    assert "the same command again goes on from here" in errors

    process = command(tmp_path, "out", *cluster)
    wait_for(parts, 5, process)
    workers = psutil.Process(process.pid).children()
    process.kill()
    process.communicate()
    psutil.wait_procs(workers, timeout=30)
    assert not any(worker.is_running() for worker in workers)
    done = {part: part.stat().st_mtime_ns for part in parts.glob("[0-9]*")}
    assert 5 <= len(done) < 12

    process = command(tmp_path, "out", *cluster)
    process.communicate()
    assert process.returncode == 0
    assert done.items() <= {p: p.stat().st_mtime_ns for p in parts.glob("[0-9]*")}.items()
    first, second = (read_json(tmp_path / name / "build.json") for name in ("plain", "out"))
    assert first == second


def test_ray_does_not_start_a_python_whose_path_has_a_blank(tmp_path, monkeypatch):
    pytest.importorskip("nl2code.corpus.executors")
    idle = SimpleNamespace(is_initialized=lambda: False)
    monkeypatch.setitem(sys.modules, "ray", idle)
    monkeypatch.setattr(sys, "executable", "/my tools/python")
    with pytest.raises(UserError, match=r"executor ray: .* with /my tools/python, .* no blank"):
        digest(tmp_path / "out", [EMBEDDED], Cluster("ray", tmp_path / "work", 2))


@pytest.mark.skipif(" " in sys.executable, reason="Ray takes no blank in the path of Python")
@pytest.mark.slow
def test_two_nodes_of_ray_and_the_loss_of_one_give_the_same_digest(tmp_path):
    ray = pytest.importorskip("ray", reason="ray is not installed")
    utilities = pytest.importorskip("ray.cluster_utils")
    executors = pytest.importorskip("nl2code.corpus.executors")
    plain = digest(tmp_path / "plain", [EMBEDDED])
    node = {"num_cpus": 1, "memory": 3 * 1024**3, "object_store_memory": 80 * 1024**2}
    nodes = utilities.Cluster(initialize_head=True, head_node_args=node)
    second = nodes.add_node(**node)
    ray.init(
        nodes.address, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": str(ROOT)}}
    )
    try:
        nodes.wait_for_nodes()
        assert sum(alive["Alive"] for alive in ray.nodes()) == 2
        work = tmp_path / "work"
        reported = []

        def report(count):
            reported.append(count)
            if len(reported) == 3:
                nodes.remove_node(second)

        cluster = Cluster("ray", work, 12)
        built = build([EMBEDDED], tmp_path / "out", TargetRules(), HOLD_OUT, 1, report, cluster)
        assert built.digest == plain
        assert len(reported) == 12
        assert executors.prepare(work, [EMBEDDED], TargetRules(), 12) == 12
    finally:
        ray.shutdown()
        nodes.shutdown()


def test_what_a_task_left_is_looked_at_before_it_is_used(tmp_path, sources):
    work = tmp_path / "work"
    prepare(work, sources, TargetRules(), 1)
    MapTask(work, TargetRules())(None, 0, 1)
    (file,) = shards.parts_of(work, 0).resolve().glob("candidates/*.parquet")
    file.write_bytes(file.read_bytes()[:-9])
    (tmp_path / "all").mkdir()
    with pytest.raises(
        UserError, match=r"what task 0 left is damaged .*remove .*parts.* and .*completions"
    ):
        gather(work, 1, tmp_path / "all")
