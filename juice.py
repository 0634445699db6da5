"""JuICe from notebooks: `python juice.py build SOURCE… --out juice`; `load_dataset("juice")`."""

from __future__ import annotations

import os
import re
import shutil
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import datasets
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from datasets.exceptions import DatasetGenerationError
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from nl2code.corpus.build import Built, build
from nl2code.corpus.card import write_card
from nl2code.corpus.schema import FEATURES
from nl2code.corpus.splits import SPLITS, HeldOut, Unit
from nl2code.corpus.targets import TargetRules
from nl2code.errors import UserError, run_program, sentence
from nl2code.jsonl import mend_killed_runs, read_json, write_json, writing
from nl2code.outputs import check_folder

REPORT = "build.json"
MADE = (REPORT, "README.md", "*.parquet")
"""What a built folder holds."""
SOURCE_HELP = (
    "a folder of .ipynb files, one folder a repository (of several such sources, each is one); or"
    " Parquet or JSON Lines files of repo, path, content[, commit, license], or a folder of them;"
    " or the authors' raw JSON Lines"
)
CARD_TEMPLATE = Path(__file__).with_name("dataset_card.md")


class JuiceConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """The examples of a built folder."""


class Juice(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Reads a built folder; prepared into the cache, it serves `load_dataset("juice")` anywhere."""

    BUILDER_CONFIG_CLASS = JuiceConfig
    BUILDER_CONFIGS = (JuiceConfig(name="default", version=datasets.Version("1.0.0")),)

    @classmethod
    def of(cls, folder: Path) -> Juice:
        """Return the builder of the built folder `folder`; its hash is the data's digest."""
        digest = read_json(folder / REPORT)["digest"]
        place = folder.resolve()
        builder: Juice = cls(dataset_name=place.name, base_path=str(place), hash=digest)
        return builder

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=FEATURES)

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:
        files = {split: sorted(Path(self.base_path).glob(f"{split}-*.parquet")) for split in SPLITS}
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"files": [str(path) for path in paths]})
            for split, paths in files.items()
        ]

    def _generate_tables(self, files: list[str]) -> Iterator[tuple[Any, Any]]:
        for shard, file in enumerate(files):
            for number, batch in enumerate(pq.ParquetFile(file).iter_batches(200)):
                yield datasets.builder.Key(shard, number), pa.Table.from_batches([batch])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that the command line names."""
    parser = ArgumentParser(prog="juice.py", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_build(commands.add_parser("build", help="build train, dev and test from notebooks"))
    command = parser.parse_args(arguments)
    command.run(command)


def add_build(parser: ArgumentParser) -> None:
    """Declare the options of `build`."""
    add = parser.add_argument
    add("sources", nargs="+", type=Path, metavar="SOURCE", help=SOURCE_HELP)
    add("--out", type=Path, default=Path("juice"), help="folder to write (default: %(default)s)")
    add(
        "--workers",
        type=_positive,
        default=os.cpu_count(),
        help="processes; no result depends on it",
    )
    add(
        "--dev-test",
        choices=get_args(Unit),
        default="repositories",
        help="what dev and test hold out",
    )
    add("--seed", type=int, default=0, help="draws what is held out (default: %(default)s)")
    add(
        "--long-targets",
        choices=("drop", "truncate"),
        default="drop",
        help="targets over 120 tokens",
    )
    add("--max-context-cells", type=_positive, help="cells of context to keep (default: all)")
    add("--overwrite", action="store_true", help="replace a folder that an earlier build made")
    add("--no-install", action="store_true", help="leave the cache of `datasets` as it is")
    parser.set_defaults(run=run_build)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text} is not a number from 1 on")
    return int(text)


def run_build(arguments: Namespace) -> None:
    """Build into a folder aside, and move it to its place when all is there."""
    out: Path = arguments.out
    mend_killed_runs(out)
    _check_target(out, arguments.overwrite)
    rules = TargetRules(arguments.long_targets, arguments.max_context_cells)
    held_out = HeldOut(arguments.dev_test, arguments.seed)
    try:
        with writing(out) as aside, tqdm(unit=" notebooks", disable=None) as bar:
            built = build(arguments.sources, aside, rules, held_out, arguments.workers, bar.update)
            write_json(aside / REPORT, asdict(built))
            write_card(built, aside, CARD_TEMPLATE.read_text(encoding="utf-8"))
            _check_target(out, arguments.overwrite)  # another build may have been faster
    except (OSError, duckdb.Error) as error:
        raise UserError(f"--out {out}: nothing was written: {sentence(error)}") from None
    print_report(built, out)
    if not arguments.no_install:
        install(out)
        if re.fullmatch(r"\w[\w.-]*", out.resolve().name, re.ASCII):  # the Hub's names
            print(f'offline, from any folder: load_dataset("{out.resolve().name}")')


def _check_target(out: Path, overwrite: bool) -> None:
    if re.search(r"[][{}*?]", out.resolve().name):  # `load_dataset` takes it for a pattern
        raise UserError(f"--out {out}: the name must not hold any of [ ] {{ }} * ?")
    check_folder(out, overwrite, REPORT, MADE, "a folder that a build made")


def install(folder: Path) -> None:
    """Prepare the built folder into the cache, where `load_dataset` finds it offline by its name.

    Raises:
        UserError: The cache cannot be written.
    """
    datasets.disable_progress_bars()
    try:
        builder = Juice.of(folder)
        builder.download_and_prepare()
        prepared = Path(builder.cache_dir)
        os.utime(prepared)  # the newest is what `load_dataset` serves
    except (OSError, DatasetGenerationError) as error:
        cause = sentence(error.__cause__ or error)
        raise UserError(
            f"{folder} is built and whole, but cannot be prepared into the cache"
            f" {datasets.config.HF_DATASETS_CACHE}: {cause}; --no-install leaves the cache alone"
        ) from None
    for older in prepared.parent.iterdir():
        if older != prepared and f'"{builder.name}"' in _builder_of(older):
            shutil.rmtree(older)


def _builder_of(prepared: Path) -> str:
    """What an entry of the cache says of the builder that made it."""
    try:
        info = (prepared / "dataset_info.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return "".join(re.findall(r'"builder_name": *"[^"]*"', info))


def print_report(built: Built, out: Path) -> None:
    """Print the counts at each stage, the splits, and what to type next."""
    console = Console()
    funnel = Table("stage", "reason", "count", title="Kept and dropped")
    for stage, reason, count in built.funnel:
        funnel.add_row(stage, reason, f"{count:,}", style="bold" if reason == "kept" else None)
    splits = Table("split", "examples", "repositories", "notebooks", title=str(out))
    for name, split in built.splits.items():
        splits.add_row(
            name, *(f"{n:,}" for n in (split.examples, split.repositories, split.notebooks))
        )
    console.print(funnel, splits)
    console.print(f"digest {built.digest}", soft_wrap=True)
    console.print(f'next, in {out.resolve().parent}: load_dataset("{out.name}")', soft_wrap=True)


if __name__ == "__main__":
    run_program(main)
