"""The sources cut into tasks, and the folder where tasks leave what they did: a map resumes."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.mapping import Drops, map_notebooks
from nl2code.corpus.notebook_parts import PARTS
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import Workers
from nl2code.dumps import RawNotebook, open_parquet, read_dump
from nl2code.errors import UserError, sentence
from nl2code.jsonl import read_json, write_json, writing
from nl2code.sources import list_sources

TASK_BYTES = 64_000_000
"""Of the sources, in a task, where the user names no number of tasks."""

_RECORD, _SHARDS = "work.json", "shards.parquet"
_LISTED_AT_ONCE = 10_000
_COUNTS = [counted.name for counted in fields(Drops)]


@dataclass(frozen=True, slots=True)
class Cluster:
    """How the map runs in tasks that datatrove starts."""

    executor: Literal["local", "slurm", "ray"]
    work: Path
    """A folder that all nodes see; holds what tasks did, their logs, and what they were given."""
    tasks: int | None = None
    """One for each 64 MB of the sources by default."""
    options: Path | None = None
    """A YAML file of what the cluster is told."""


@dataclass(frozen=True, slots=True)
class Shard:
    """What can be read by itself: an .ipynb file, a Parquet's row group, lines of a JSON Lines."""

    file: str
    size: int
    """Bytes."""
    start: int = 0
    """The first row group, or the byte from which on lines begin."""
    end: int = 0
    repo: str | None = None
    """Of an .ipynb file, as `path` and `license`."""
    path: str | None = None
    license: str | None = None
    lost: str | None = None
    """Why there is nothing to read."""

    def read(self) -> Iterator[RawNotebook]:
        """Yield the notebooks."""
        if self.repo is not None and self.path is not None:
            yield RawNotebook(
                self.repo,
                self.path,
                file=Path(self.file),
                license=self.license,
                lost=self.lost,
            )
        else:
            yield from read_dump(Path(self.file), self.start, self.end)


_SCHEMA = pa.schema(
    {
        "task": pa.int32(),
        **{f.name: pa.int64() if f.type == "int" else pa.string() for f in fields(Shard)},
    }
)


def list_shards(sources: Iterable[Path]) -> Iterator[Shard]:
    """Yield the shards of the sources in an order that is always the same; nothing is read."""
    for found in list_sources(sources):
        if isinstance(found, RawNotebook):
            assert found.file is not None
            size = _size(found.file)
            file, repo, path = str(found.file.absolute()), found.repo, found.path
            yield Shard(file, size, repo=repo, path=path, license=found.license, lost=found.lost)
        elif found.suffix.lower() == ".parquet":
            metadata = open_parquet(found)[0].metadata
            for group in range(metadata.num_row_groups):
                size = metadata.row_group(group).total_byte_size
                yield Shard(str(found.absolute()), size, group, group + 1)
        else:
            size = found.stat().st_size
            for start in range(0, size, TASK_BYTES):
                end = min(start + TASK_BYTES, size)
                yield Shard(str(found.absolute()), end - start, start, end)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # what cannot be read is a notebook as well, and counted when it is read
        return 0


def prepare(work: Path, sources: Iterable[Path], rules: TargetRules, tasks: int | None) -> int:
    """Write what the tasks are given, or check that it is the same; return the number of tasks.

    Raises:
        UserError: The folder was made for something else, or is no such folder.
    """
    if work.exists() and not work.is_dir():
        raise UserError(f"--work {work}: is a file, not a folder")
    shards = list(list_shards(sources))
    work.mkdir(parents=True, exist_ok=True)
    count = max(1, tasks or -(-sum(shard.size for shard in shards) // TASK_BYTES))
    options = {f"--{name.replace('_', '-')}": value for name, value in plain(rules).items()}
    record = {**options, "tasks": count, "sources": _digest(map(astuple, shards))}
    record["program"] = _program()
    if (work / _RECORD).exists():
        _check_same(work, read_json(work / _RECORD), record)
    elif any(work.iterdir()):
        raise UserError(f"--work {work}: holds other files; name a folder that is new or empty")
    else:
        _write_shards(work / _SHARDS, shards, count)
        write_json(work / _RECORD, record)  # last: where it is, all is there
    return count


def plain(rules: TargetRules) -> dict[str, Any]:
    """The rules as JSON has them."""
    return asdict(rules) | {"licenses": sorted(rules.licenses or ()) or None}


def _digest(things: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for thing in things:
        digest.update(repr(thing).encode())
    return digest.hexdigest()


def _program() -> str:
    """A digest of this library: what another version made is not to be mixed with ours."""
    package = Path(__file__).parents[1]
    files = sorted(package.rglob("*.py"))
    return _digest((file.relative_to(package).as_posix(), file.read_bytes()) for file in files)


def _check_same(work: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    for name, value in new.items():
        if old.get(name) == value:
            continue
        what = f"with {name} {old.get(name)}, not {value}"
        if name == "sources":
            what = "from other sources, or they have changed since"
        elif name == "program":
            what = "by another version of this program"
        raise UserError(f"--work {work}: was begun {what}; name another folder, or remove it")


def _write_shards(file: Path, shards: list[Shard], tasks: int) -> None:
    """Write the shards task by task; tasks are about equal in bytes."""
    total, before = max(1, sum(shard.size for shard in shards)), 0
    with writing(file) as aside, pq.ParquetWriter(aside, _SCHEMA) as writer:
        for start in range(0, len(shards), _LISTED_AT_ONCE):
            rows = []
            for shard in shards[start : start + _LISTED_AT_ONCE]:
                rows.append({"task": min(tasks - 1, before * tasks // total), **asdict(shard)})
                before += shard.size
            writer.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA))


@dataclass(frozen=True, slots=True)
class MapTask:
    """The map on the shards of one task; a step of a datatrove pipeline."""

    work: Path
    rules: TargetRules

    def __call__(self, data: object, rank: int, world_size: int) -> None:
        """Write the task's parts aside and move them to their place, unless they are there."""
        folder = parts_of(self.work, rank)
        if folder.exists():
            return
        table = pq.read_table(self.work / _SHARDS, filters=[("task", "=", rank)])
        shards = [Shard(**row) for row in table.drop_columns("task").to_pylist()]
        notebooks = (notebook for shard in shards for notebook in shard.read())
        with writing(folder) as aside:
            aside.mkdir()
            drops = map_notebooks(notebooks, aside, self.rules, Workers(1), lambda count: None)
            write_json(aside / "drops.json", {name: getattr(drops, name) for name in _COUNTS})


def parts_of(work: Path, rank: int) -> Path:
    """The folder of what a task did; it is there once the task is done."""
    return work / "parts" / f"{rank:05d}"


def drops_of(work: Path, rank: int) -> Drops:
    """What a task that is done counted."""
    counts = read_json(parts_of(work, rank) / "drops.json")
    reasons = {name: Counter(counts[name]) for name in _COUNTS if name != "notebooks"}
    return Drops(counts["notebooks"], **reasons)


def _check_task(work: Path, rank: int) -> None:
    """Raise a `UserError` when what a task left cannot be read any more."""
    folder = parts_of(work, rank)
    try:
        drops_of(work, rank)
        for file in folder.resolve().glob("*/*.parquet"):
            pq.read_metadata(file)
    except (UserError, KeyError, pa.ArrowInvalid, OSError) as error:
        raise UserError(
            f"--work {work}: what task {rank} left is damaged ({sentence(error)}); remove {folder}"
            f" and {work / 'completions' / f'{rank:05d}'}, and the same command does it again"
        ) from None


def gather(work: Path, tasks: int, folder: Path) -> Drops:
    """Let `folder` show all tasks' parts, as if one map had written them; return the counts."""
    drops = Drops()
    for kind in PARTS:
        (folder / kind).mkdir()
    for rank in range(tasks):
        _check_task(work, rank)
        drops.add(drops_of(work, rank))
        for file in sorted(parts_of(work, rank).resolve().glob("*/*.parquet")):
            os.symlink(file, folder / file.parent.name / f"{rank:05d}-{file.name}")
    return drops
