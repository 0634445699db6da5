"""The builder that `datasets` runs: on a built folder, or on the authors' released files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.features import FEATURES
from nl2code.corpus.folders import REPORT
from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.released.files import CONFIG, digest_with_code, read_tables, released_files
from nl2code.errors import UserError
from nl2code.jsonl import read_json


class JuiceConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """`default`: the examples of a built folder; `released`: the authors' own examples."""


class Juice(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Prepared into the cache, it serves `load_dataset("juice")` anywhere, and `released` too."""

    BUILDER_CONFIG_CLASS = JuiceConfig
    BUILDER_CONFIGS = tuple(
        JuiceConfig(name=name, version=datasets.Version("1.0.0")) for name in ("default", CONFIG)
    )
    DEFAULT_CONFIG_NAME = "default"

    @classmethod
    def of(cls, folder: Path) -> Juice:
        """Return the builder of the folder `folder`, built or converted; its hash is the digest.

        A built folder's dataset bears its name; a converted one is config `released` of `juice`.
        """
        report = read_json(folder / REPORT)
        place = folder.resolve()
        if report["options"].get("config") == CONFIG:
            return cls._at(place, "juice", CONFIG, report["digest"])
        return cls._at(place, place.name, "default", report["digest"])

    @classmethod
    def released(cls, folder: Path) -> Juice:
        """Return the builder that reads the authors' JSON Lines in `folder`, unconverted.

        Raises:
            UserError: There are none.
        """
        files = list(released_files(folder).values())
        return cls._at(folder.resolve(), "juice", CONFIG, digest_with_code(files))

    @classmethod
    def _at(cls, place: Path, dataset: str, config: str, digest: str) -> Juice:
        builder: Juice = cls(
            dataset_name=dataset, config_name=config, base_path=str(place), hash=digest
        )
        return builder

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=FEATURES)

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:
        files = _files(Path(self.base_path), self.config.name)
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"files": paths})
            for split, paths in files.items()
        ]

    def _generate_tables(self, files: list[str]) -> Iterator[tuple[Any, Any]]:
        for shard, file in enumerate(files):
            tables = read_tables(Path(file)) if file.endswith(".jsonl") else parquet_tables(file)
            for number, table in enumerate(tables):
                yield datasets.builder.Key(shard, number), table


def let_default_be_newest(prepared: Path, default: str) -> None:
    """Touch the latest of the config `default` in the cache of `prepared`, if there is one.

    Of all configs `load_dataset` serves the newest to who names none.
    """
    entries = filter(Path.is_dir, prepared.parents[2].glob(f"{default}/*/*"))  # not their locks
    latest = max(entries, key=lambda entry: entry.stat().st_mtime, default=None)
    if latest:
        os.utime(latest)


def _files(place: Path, config: str) -> dict[str, list[str]]:
    if config == CONFIG and not any(place.glob("*.parquet")):
        return {split: [str(file)] for split, file in released_files(place).items()}
    return parquet_files(place)


def parquet_files(place: Path) -> dict[str, list[str]]:
    """The Parquet files of each split that has any.

    Raises:
        UserError: No split has.
    """
    found = {split: sorted(map(str, place.glob(f"{split}-*.parquet"))) for split in SPLITS}
    if not any(found.values()):
        raise UserError(f"{place}: holds no Parquet files of {', '.join(SPLITS)}")
    return {split: paths for split, paths in found.items() if paths}


def parquet_tables(file: str) -> Iterator[pa.Table]:
    """Yield the file's rows, some at a time."""
    for batch in pq.ParquetFile(file).iter_batches(200):
        yield pa.Table.from_batches([batch])
