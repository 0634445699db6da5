"""The builder of NL2Bash that `datasets` runs on a built folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets

from nl2code.corpus.folders import REPORT
from nl2code.corpus.juice import parquet_files, parquet_tables
from nl2code.corpus.nl2bash.build import CONFIGS
from nl2code.corpus.nl2bash.schema import FEATURES
from nl2code.jsonl import read_json


class Nl2BashConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """`published`: the paper's pairs and split; `rebuilt`: our own filter and split."""


class Nl2Bash(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Prepared into the cache, it serves `load_dataset("nl2bash")` anywhere."""

    BUILDER_CONFIG_CLASS = Nl2BashConfig
    BUILDER_CONFIGS = tuple(
        Nl2BashConfig(name=name, version=datasets.Version("1.0.0")) for name in CONFIGS
    )
    DEFAULT_CONFIG_NAME = CONFIGS[0]

    @classmethod
    def of(cls, folder: Path) -> Nl2Bash:
        """Return the builder of a built folder; its hash is the digest.

        A folder of the published split is a dataset of its own name; one that was rebuilt is
        config `rebuilt` of `nl2bash`.
        """
        report = read_json(folder / REPORT)
        place, config = folder.resolve(), report["options"]["config"]
        builder: Nl2Bash = cls(
            dataset_name=place.name if config == cls.DEFAULT_CONFIG_NAME else "nl2bash",
            config_name=config,
            base_path=str(place),
            hash=report["digest"],
        )
        return builder

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=FEATURES)

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"files": paths})
            for split, paths in parquet_files(Path(self.base_path)).items()
        ]

    def _generate_tables(self, files: list[str]) -> Iterator[tuple[Any, Any]]:
        for shard, file in enumerate(files):
            for number, table in enumerate(parquet_tables(file)):
                yield datasets.builder.Key(shard, number), table
