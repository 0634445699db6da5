"""JuICe from notebooks: `python juice.py build SOURCE… --out juice`; `load_dataset("juice")`."""

from __future__ import annotations

import re
import signal
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback for Ctrl-C in seconds of imports
if __name__ != "__mp_main__":  # what a worker process of `build` needs, it is sent
    from rich.console import Console
    from tqdm import tqdm

    from nl2code.corpus.build import Built, build
    from nl2code.corpus.card import write_card
    from nl2code.corpus.check.findings import end_with
    from nl2code.corpus.check.report import check
    from nl2code.corpus.folders import JUICE, REPORT, building
    from nl2code.corpus.held_out import HeldOut
    from nl2code.corpus.install import install
    from nl2code.corpus.juice import Juice, JuiceConfig
    from nl2code.corpus.licenses import parse_licenses
    from nl2code.corpus.options import (
        add_build_options,
        add_check_options,
        add_push_options,
        add_released_options,
        add_stats_options,
    )
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


RELEASED_HELP = "convert the authors' released train, dev and test.jsonl"
STATS_HELP = "print the figures of the paper's Table 2, and more, of a built folder"
CHECK_HELP = (
    "prove that a built folder is sound: its files are as stated, each row is what its own code, NL"
    " and context say, and the splits share nothing"
)
ROOT = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that the command line names."""
    parser = ArgumentParser(prog="juice.py", description=__doc__, formatter_class=Help)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Command)

    for name, run, add_options, text in (
        ("build", run_build, add_build_options, "build train, dev and test from notebooks"),
        ("released", run_released, add_released_options, RELEASED_HELP),
        ("stats", run_stats, add_stats_options, STATS_HELP),
        ("check", run_check, add_check_options, CHECK_HELP),
        ("push", run_push, add_push_options, "upload a built folder to the Hub"),
    ):
        added = commands.add_parser(name, help=text, description=text, formatter_class=Help)
        add_options(added)
        added.set_defaults(run=run)
    command = parser.parse_args(arguments)
    command.run(command)


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
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run_program(main)
