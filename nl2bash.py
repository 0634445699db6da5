"""NL2Bash: `python nl2bash.py build published --out nl2bash`; `load_dataset("nl2bash")`."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from nl2code.corpus.check.findings import end_with
from nl2code.corpus.folders import NL2BASH, REPORT, building
from nl2code.corpus.install import install
from nl2code.corpus.nl2bash.build import CONFIGS, build_pairs
from nl2code.corpus.nl2bash.builder import Nl2Bash, Nl2BashConfig
from nl2code.corpus.nl2bash.card import write_card
from nl2code.corpus.nl2bash.check import check_pairs
from nl2code.corpus.nl2bash.sources import COMMIT, PUBLISHED
from nl2code.corpus.nl2bash.statistics import measure
from nl2code.corpus.nl2bash.tables import tables
from nl2code.corpus.report import print_counts, print_end
from nl2code.corpus.statistics.table import print_tables
from nl2code.errors import run_program
from nl2code.help_text import Command, Help
from nl2code.jsonl import write_json

__all__ = ["Nl2Bash", "Nl2BashConfig"]

SOURCE_HELP = (
    f"a folder of all.nl and all.cm, line by line a sentence and its command; or `{PUBLISHED}`:"
    f" the authors' public files at commit {COMMIT:.7}, downloaded and checked by SHA-256 (a folder"
    f" of that name is ./{PUBLISHED})"
)
CARD = Path(__file__).parent / "nl2bash_card.md"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that the command line names."""
    parser = ArgumentParser(prog="nl2bash.py", description=__doc__, formatter_class=Help)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Command)
    for name, declare, text in (
        ("build", add_build, "build train, dev and test from pairs of sentence and command"),
        ("stats", add_stats, "print Tables 3, 4 and 5 of the paper and the utilities' histogram"),
        (
            "check",
            add_check,
            "prove that a built folder is sound: its columns, split and leaks",
        ),
        ("push", add_push, "upload a built folder to the Hub"),
    ):
        declare(commands.add_parser(name, help=text, description=text, formatter_class=Help))
    command = parser.parse_args(arguments)
    command.run(command)


def add_build(parser: ArgumentParser) -> None:
    """Declare the options of `build`."""
    add = parser.add_argument
    add("source", metavar="SOURCE", help=SOURCE_HELP)
    add("--out", type=Path, default=Path("nl2bash"), help="folder to write")
    add(
        "--config",
        choices=CONFIGS,
        default=CONFIGS[0],
        help="the paper's 9,305 pairs in their published split; or our own filter and split rule"
        " on any pairs",
    )
    add("--overwrite", action="store_true", help="replace a folder that an earlier build made")
    add("--no-install", action="store_true", help="leave the cache of `datasets` as it is")
    parser.set_defaults(run=run_build)


def add_stats(parser: ArgumentParser) -> None:
    """Declare the options of `stats`."""
    _add_folder(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.set_defaults(run=run_stats)


def add_check(parser: ArgumentParser) -> None:
    """Declare the options of `check`."""
    _add_folder(parser)
    parser.set_defaults(run=run_check)


def add_push(parser: ArgumentParser) -> None:
    """Declare the options of `push`."""
    add = parser.add_argument
    _add_folder(parser)
    add("repository", metavar="REPOSITORY", help="ORG/NAME on the Hub; made if it is not there")
    add("--private", action="store_true", help="make a new repository private")
    add("--dry-run", action="store_true", help="print what would be uploaded")
    parser.set_defaults(run=run_push)


def _add_folder(parser: ArgumentParser) -> None:
    text = "the built folder"
    parser.add_argument("folder", nargs="?", type=Path, default=Path("nl2bash"), help=text)


def run_build(arguments: Namespace) -> None:
    """Build into a folder aside, and move it to its place when all is there."""
    out: Path = arguments.out
    with building(out, arguments.overwrite, NL2BASH) as aside:
        built = build_pairs(arguments.source, aside, arguments.config)
        write_json(aside / REPORT, asdict(built))
        write_card(built, aside, CARD.read_text(encoding="utf-8"))
    counted = ("examples", "clusters", "commands", "templates", "leaks")
    try:
        print_counts(built.funnel, built.splits, counted, out)
        print_end(built.note, built.digest, out)
    finally:  # a reader may have had enough: `| head`
        if not arguments.no_install:
            install(out, Nl2Bash.of)
            if re.fullmatch(r"\w[\w.-]*", out.resolve().name, re.ASCII):  # the Hub's names
                print(
                    f"offline, from any folder: load_dataset({_loaded_as(arguments.config, out)})"
                )


def _loaded_as(config: str, out: Path) -> str:
    return f'"{out.resolve().name}"' if config == CONFIGS[0] else f'"nl2bash", "{config}"'


def run_stats(arguments: Namespace) -> None:
    """Print the tables; write the figures."""
    figures = measure(arguments.folder)
    if arguments.json:  # first: a reader may have had enough of the tables (`| head`)
        write_json(arguments.json, asdict(figures))
    print_tables(tables(figures), Console())
    if arguments.json:
        print(f"Written to {arguments.json}")


def run_check(arguments: Namespace) -> None:
    """Print what holds and what does not; exit with 1 when something does not."""
    end_with(check_pairs(arguments.folder), arguments.folder)


def run_push(arguments: Namespace) -> None:
    """Show what would go, or upload it."""
    from nl2code.hub.dataset import show_and_push  # a second of imports that only this needs

    options = {"private": arguments.private, "dry_run": arguments.dry_run}
    show_and_push(arguments.folder, arguments.repository, NL2BASH, **options)


if __name__ == "__main__":
    run_program(main)
