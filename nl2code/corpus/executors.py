"""The map in tasks on one machine, Slurm or Ray, with datatrove; only the tasks not done are run.

datatrove keeps the logs and the list of the tasks done. Its own pools wait for ever for
the task of a process that was killed: so ours start the processes, which fail in that case.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from datatrove.executor.base import PipelineExecutor
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.ray import RayPipelineExecutor
from datatrove.executor.slurm import SlurmPipelineExecutor

from nl2code.config import read_config
from nl2code.corpus.mapping import Drops
from nl2code.corpus.shards import Cluster, MapTask, drops_of, gather, parts_of, prepare
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import Workers
from nl2code.errors import UserError

Told = TypeVar("Told")

_ROOT = Path(__file__).parents[2]
_LOOK_EVERY = 10.0
"""Seconds between two looks at what a Slurm job has done."""


@dataclass(frozen=True, slots=True)
class Slurm:
    """What Slurm is told; the names are those of datatrove's SlurmPipelineExecutor."""

    partition: str
    """Slurm's partition."""
    time: str
    """The longest that a job may take, in quotes: "01:00:00"."""
    cpus_per_task: int = 1
    """More only to be given more memory; a task uses one."""
    mem_per_cpu_gb: int = 4
    """Gigabytes of memory."""
    workers: int = -1
    """Tasks that run at a time; -1 for as many as Slurm lets."""
    tasks_per_job: int = 1
    """Tasks that a job of the array does one after another."""
    max_array_size: int = 1001
    """The cluster's limit; more tasks become several arrays."""
    qos: str = "normal"
    """Slurm's quality of service; "" for none."""
    env_command: str | None = None
    """Shell commands that make this program importable; by default the paths of this Python."""
    sbatch_args: dict[str, str] | None = None
    """Further options of sbatch, such as account."""


@dataclass(frozen=True, slots=True)
class Ray:
    """What Ray is told; the names are those of datatrove's RayPipelineExecutor."""

    address: str | None = None
    """Of the cluster; by default RAY_ADDRESS, one that runs on this machine, or a new one."""
    workers: int = -1
    """Tasks that run at a time; -1 for as many as the cluster has room for."""
    cpus_per_task: int = 1
    """CPUs that a task reserves."""
    mem_per_cpu_gb: float = 2
    """Gigabytes of memory that a task reserves for each CPU."""


def map_in_tasks(
    cluster: Cluster,
    sources: list[Path],
    rules: TargetRules,
    folder: Path,
    workers: int,
    report: Callable[[int], object],
) -> Drops:
    """Like `mapping.map_notebooks`, in tasks; those that an earlier run has done are kept.

    Raises:
        UserError: A task failed, the folder is of another build, or the cluster is not there.
    """
    start = _starter(cluster, workers)
    tasks = prepare(cluster.work, sources, rules, cluster.tasks)
    executor = start([MapTask(cluster.work.absolute(), rules)], tasks)
    waiting = set(executor.get_incomplete_ranks())
    for rank in chain(set(range(tasks)) - waiting, executor.ended()):
        if parts_of(cluster.work, rank).exists():
            report(drops_of(cluster.work, rank).notebooks)
    if failed := executor.get_incomplete_ranks():
        log = cluster.work / f"logs/task_{failed[0]:05d}.log"
        raise UserError(
            f"--executor {cluster.executor}: {len(failed)} of {tasks} tasks are not done (of the"
            f" first, {log} tells more); the same command again runs only these"
        )
    return gather(cluster.work, tasks, folder)


def _starter(cluster: Cluster, workers: int) -> Callable[[list[MapTask], int], Any]:
    """What makes the executor, its options checked."""
    logs = str(cluster.work.absolute())
    if cluster.executor == "local":
        if cluster.options:
            raise UserError("--cluster: --executor local takes no file; --workers is all it needs")
        return lambda steps, tasks: _Local(steps, tasks, workers, logging_dir=logs)
    if cluster.executor == "ray":
        ray = _told(Ray, cluster.options)
        return lambda steps, tasks: _OnRay(ray, steps, tasks, logs)
    if not cluster.options:
        raise UserError("--executor slurm: --cluster FILE is needed, with partition and time in it")
    slurm = _told(Slurm, cluster.options)
    if shutil.which("sbatch") is None:
        raise UserError("--executor slurm: there is no sbatch on this machine")
    return lambda steps, tasks: _OnSlurm(slurm, steps, tasks, logs)


def _told(kind: type[Told], file: Path | None) -> Told:
    """What the file of `--cluster` says; its faults are named as this program's options are."""
    try:
        return read_config(kind, ["--config", str(file)] if file else [])
    except UserError as error:
        said = str(error).replace("--config ", "--cluster ")
        lacking = re.sub("^the following arguments are required:", f"--cluster {file}: lacks", said)
        raise UserError(lacking) from None


def _run(executor: PipelineExecutor, rank: int) -> int:
    with suppress(Exception):  # it stands in the task's log; the other tasks go on
        executor._run_for_rank(rank, local_rank=1)  # the first would log each step on stderr
    return rank


class _Local(LocalPipelineExecutor):  # type: ignore[misc]
    """Tasks in processes of this machine."""

    def ended(self) -> Iterator[int]:
        """Run; yield the tasks that ended, well or not."""
        try:
            with Workers(self.workers) as workers:
                yield from workers.map(
                    partial(_run, self), self.get_incomplete_ranks(), ordered=False
                )
        except UserError as error:
            raise UserError(f"{error}; the same command again goes on from here") from None


class _OnRay(RayPipelineExecutor):  # type: ignore[misc]
    """Tasks on a Ray cluster; those of a worker or node that dies start again elsewhere."""

    def __init__(self, ray: Ray, steps: list[MapTask], tasks: int, logs: str) -> None:
        options = asdict(ray)
        self.address = options.pop("address")
        super().__init__(steps, tasks, logging_dir=logs, **options)

    def ended(self) -> Iterator[int]:
        """Run; yield the tasks that ended, well or not."""
        try:
            import ray
        except ImportError:
            raise UserError(
                "--executor ray: Ray is missing: pip install -e '.[ray]' in the folder of juice.py"
            ) from None
        if not ray.is_initialized():
            if " " in sys.executable and not (self.address or os.environ.get("RAY_ADDRESS")):
                raise UserError(
                    f"--executor ray: Ray does not start on this machine with {sys.executable}, for"
                    " it takes no blank in the path of Python"
                )
            ray.init(self.address, log_to_driver=False)
        memory = int(self.mem_per_cpu_gb * self.cpus_per_task * 1024**3)
        run = ray.remote(num_cpus=self.cpus_per_task, memory=memory, max_retries=3)(_run)
        executor = ray.put(self)
        running: dict[Any, int] = {}
        for rank in self.get_incomplete_ranks():
            if len(running) == self.workers:
                yield running.pop(ray.wait(list(running))[0][0])
            running[run.remote(executor, rank)] = rank
        while running:
            yield running.pop(ray.wait(list(running))[0][0])


class _OnSlurm(SlurmPipelineExecutor):  # type: ignore[misc]
    """Tasks as arrays of Slurm jobs; a job of an earlier run that still waits is waited for."""

    def __init__(self, slurm: Slurm, steps: list[MapTask], tasks: int, logs: str) -> None:
        name = f"juice-{hashlib.sha256(logs.encode()).hexdigest()[:12]}"
        options = asdict(slurm)
        options["env_command"] = slurm.env_command or _paths()
        super().__init__(steps, tasks, job_name=name, logging_dir=logs, **options)

    def ended(self) -> Iterator[int]:
        """Submit; yield the tasks that ended well until all have, or no job is left."""
        waiting = set(self.get_incomplete_ranks())
        if waiting and not self._is_queued():
            self.launch_job()
        while waiting:
            queued = self._is_queued()  # asked first: a task may end between the two questions
            left = set(self.get_incomplete_ranks())
            yield from sorted(waiting - left)
            waiting = left
            if not queued:
                return
            time.sleep(_LOOK_EVERY)

    def launch_merge_stats(self) -> None:
        """Leave out datatrove's own statistics, which have nothing of ours in them."""

    def _is_queued(self) -> bool:
        command = ["squeue", "--me", "--noheader", "--format=%j"]
        jobs = subprocess.run(command, capture_output=True, text=True)
        # A controller that does not answer for a moment says nothing about the jobs.
        return jobs.returncode != 0 or self.job_name in jobs.stdout.split()


def _paths() -> str:
    programs, package = map(shlex.quote, (str(Path(sys.executable).parent), str(_ROOT)))
    return f"export PATH={programs}:$PATH PYTHONPATH={package}:$PYTHONPATH"
