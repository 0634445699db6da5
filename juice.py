"""JuICe from notebooks: `python juice.py build SOURCE… --out juice`; `load_dataset("juice")`."""

from __future__ import annotations

import os
import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import get_args

if __name__ != "__mp_main__":  # what a worker process of `build` needs, it is sent
    from rich.console import Console
    from tqdm import tqdm

    from nl2code.corpus.build import Built, build
    from nl2code.corpus.card import write_card
    from nl2code.corpus.check.findings import end_with
    from nl2code.corpus.check.report import check
    from nl2code.corpus.folders import JUICE, REPORT, building
    from nl2code.corpus.held_out import HeldOut, Unit
    from nl2code.corpus.install import install
    from nl2code.corpus.juice import Juice, JuiceConfig
    from nl2code.corpus.licenses import parse_licenses
    from nl2code.corpus.released.convert import convert
    from nl2code.corpus.report import print_report
    from nl2code.corpus.shards import Cluster
    from nl2code.corpus.statistics.figures import statistics
    from nl2code.corpus.statistics.page import write_page
    from nl2code.corpus.statistics.table import print_statistics
    from nl2code.corpus.targets import TargetRules
    from nl2code.corpus.workers import Workers
    from nl2code.errors import UserError, run_program
    from nl2code.help_text import Command, Help
    from nl2code.jsonl import write_json
    from nl2code.outputs import check_apart

__all__ = ["Juice", "JuiceConfig"]


SOURCE_HELP = (
    "a folder of .ipynb files, one folder a repository (of several such sources, each is one); or"
    " Parquet or JSON Lines files of repo, path, content[, commit, license], or a folder of them;"
    " or the authors' raw JSON Lines"
)
CHECK_HELP = (
    "prove that a built folder is sound: its files are as stated, each row is what its own code, NL"
    " and context say, and the splits share nothing"
)
ROOT = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that the command line names."""
    parser = ArgumentParser(prog="juice.py", description=__doc__, formatter_class=Help)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Command)

    def add(name: str, declare: Callable[[ArgumentParser], None], text: str) -> None:
        declare(commands.add_parser(name, help=text, description=text, formatter_class=Help))

    add("build", add_build, "build train, dev and test from notebooks")
    add("released", add_released, "convert the authors' released train, dev and test.jsonl")
    add("stats", add_stats, "print the figures of the paper's Table 2, and more, of a built folder")
    add("check", add_check, CHECK_HELP)
    add("push", add_push, "upload a built folder to the Hub")
    command = parser.parse_args(arguments)
    command.run(command)


def add_build(parser: ArgumentParser) -> None:
    """Declare the options of `build`."""
    add, usual = parser.add_argument, HeldOut()
    add("sources", nargs="+", type=Path, metavar="SOURCE", help=SOURCE_HELP)
    _add_output(parser, "juice")
    add(
        "--dev-test",
        choices=get_args(Unit),
        default=usual.unit,
        help="make dev and test of curated problems (nbgrader, exercises), or hold out what train"
        " would be; auto: curated where there are any, else repositories, or"
        " notebooks of fewer than three",
    )
    add("--seed", type=int, default=usual.seed, help="draws submissions, dev and test")
    add(
        "--min-repositories",
        type=partial(_number, least=0),
        default=usual.min_repositories,
        help="other repositories that must hold an exercise's solution too",
    )
    add(
        "--licenses",
        nargs="+",
        metavar="SPDX",
        help="keep only notebooks under one of these, such as MIT (default: any); a licence is what"
        " a dump's field license says, or the nearest file LICENSE or COPYING above an .ipynb",
    )
    add(
        "--long-targets",
        choices=("drop", "truncate"),
        default="drop",
        help="what to do with targets over 120 tokens",
    )
    add("--max-context-cells", type=_number, help="cells of context to keep (default: all)")
    _add_cluster(parser)
    parser.set_defaults(run=run_build)


def _add_cluster(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--executor",
        choices=("processes", "local", "slurm", "ray"),
        default="processes",
        help="worker processes; or datatrove's tasks, which a killed build need not do again",
    )
    add("--work", type=Path, help="folder for the tasks' results, which all nodes see")
    add("--tasks", type=_number, help="number of tasks (default: one for each 64 MB)")
    add("--cluster", type=Path, metavar="FILE", help="YAML of what Slurm or Ray is told")


def add_released(parser: ArgumentParser) -> None:
    """Declare the options of `released`."""
    text = "the folder of the authors' train.jsonl, dev.jsonl and test.jsonl"
    parser.add_argument("release", type=Path, metavar="FOLDER", help=text)
    _add_output(parser, "juice-released")
    parser.set_defaults(run=run_released)


def _add_output(parser: ArgumentParser, out: str) -> None:
    add = parser.add_argument
    add("--out", type=Path, default=Path(out), help="folder to write")
    _add_workers(parser)
    add("--overwrite", action="store_true", help="replace a folder that an earlier build made")
    add("--no-install", action="store_true", help="leave the cache of `datasets` as it is")


def _add_workers(parser: ArgumentParser) -> None:
    text = "processes; no result depends on it"
    parser.add_argument("--workers", type=_number, default=os.cpu_count(), help=text)


def add_stats(parser: ArgumentParser) -> None:
    """Declare the options of `stats`."""
    _add_folder(parser)
    parser.add_argument("--page", type=Path, help="also write a self-contained HTML page there")
    parser.set_defaults(run=run_stats)


def add_check(parser: ArgumentParser) -> None:
    """Declare the options of `check`."""
    _add_folder(parser)
    _add_workers(parser)
    parser.set_defaults(run=run_check)


def _add_folder(parser: ArgumentParser) -> None:
    text = "the built folder"
    parser.add_argument("folder", nargs="?", type=Path, default=Path("juice"), help=text)


def add_push(parser: ArgumentParser) -> None:
    """Declare the options of `push`."""
    add = parser.add_argument
    _add_folder(parser)
    add("repository", metavar="REPOSITORY", help="ORG/NAME on the Hub; made if it is not there")
    add("--private", action="store_true", help="make a new repository private")
    add("--dry-run", action="store_true", help="print what would be uploaded")
    parser.set_defaults(run=run_push)


def _number(text: str, least: int = 1) -> int:
    if not text.isdecimal() or int(text) < least:
        raise ArgumentTypeError(f"{text} is not a number from {least} on")
    return int(text)


def run_build(arguments: Namespace) -> None:
    """Build into a folder aside, and move it to its place when all is there."""
    rules = TargetRules(
        arguments.long_targets,
        arguments.max_context_cells,
        parse_licenses(arguments.licenses) if arguments.licenses else None,
        curated=arguments.dev_test in ("auto", "curated"),
    )
    held_out = HeldOut(arguments.dev_test, arguments.seed, arguments.min_repositories)
    cluster = _cluster(arguments)

    def make(aside: Path, report: Callable[[int], object]) -> Built:
        return build(arguments.sources, aside, rules, held_out, arguments.workers, report, cluster)

    write_folder(arguments, make, "dataset_card.md", " notebooks")
    if cluster:
        print(f"{cluster.work} can be removed; until then the same command needs no map")


def _cluster(arguments: Namespace) -> Cluster | None:
    if arguments.executor != "processes":
        if not arguments.work:
            raise UserError(f"--executor {arguments.executor}: --work DIR is needed")
        check_apart(arguments.out, work=arguments.work)
        return Cluster(arguments.executor, arguments.work, arguments.tasks, arguments.cluster)
    for name in ("work", "tasks", "cluster"):
        if value := getattr(arguments, name):
            raise UserError(f"--{name} {value}: is only for --executor local, slurm and ray")
    return None


def run_released(arguments: Namespace) -> None:
    """Convert into a folder aside, and move it to its place when all is there."""

    def make(aside: Path, report: Callable[[int], object]) -> Built:
        with Workers(arguments.workers) as workers:
            return convert(arguments.release, aside, report, workers.map)

    write_folder(arguments, make, "released_card.md", " lines")


def write_folder(
    arguments: Namespace,
    make: Callable[[Path, Callable[[int], object]], Built],
    card: str,
    unit: str,
) -> None:
    """Let `make` fill a new folder; add its report and card; print what it did; install it."""
    out: Path = arguments.out
    with (
        building(out, arguments.overwrite, JUICE) as aside,
        tqdm(unit=unit, disable=None) as bar,
    ):
        built = make(aside, bar.update)
        write_json(aside / REPORT, asdict(built))
        write_card(built, aside, (ROOT / card).read_text(encoding="utf-8"))
    try:
        print_report(built, out)
    finally:  # a reader may have had enough: `| head`
        if not arguments.no_install:
            install(out)
            if re.fullmatch(r"\w[\w.-]*", out.resolve().name, re.ASCII):  # the Hub's names
                print(f"offline, from any folder: load_dataset({_loaded_as(built, out)})")


def _loaded_as(built: Built, out: Path) -> str:
    config = built.options.get("config")
    return f'"juice", "{config}"' if config else f'"{out.resolve().name}"'


def run_stats(arguments: Namespace) -> None:
    """Print the tables, and write the page."""
    figures = statistics(arguments.folder)
    if arguments.page:  # first: a reader may have had enough of the tables (`| head`)
        write_page(figures, arguments.page)
    print_statistics(figures, Console())
    if arguments.page:
        print(f"Written to {arguments.page}")


def run_check(arguments: Namespace) -> None:
    """Print what holds and what does not; exit with 1 when something does not."""
    with Workers(arguments.workers) as workers:
        findings = check(arguments.folder, workers.map)
    end_with(findings, arguments.folder)


def run_push(arguments: Namespace) -> None:
    """Show what would go, or upload it."""
    from nl2code.hub.dataset import show_and_push  # a second of imports that only this needs

    options = {"private": arguments.private, "dry_run": arguments.dry_run}
    show_and_push(arguments.folder, arguments.repository, JUICE, **options)


if __name__ == "__main__":
    run_program(main)
