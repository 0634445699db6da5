"""The options of the commands of `juice.py`."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError
from functools import partial
from pathlib import Path
from typing import get_args

from nl2code.corpus.held_out import HeldOut, Unit

_SOURCE_HELP = (
    "a folder of .ipynb files, one folder a repository (of several such sources, each is one); or"
    " Parquet or JSON Lines files of repo, path, content[, commit, license], or a folder of them;"
    " or the authors' raw JSON Lines"
)


def add_build_options(parser: ArgumentParser) -> None:
    """The options of `build`."""
    add, usual = parser.add_argument, HeldOut()
    add("sources", nargs="+", type=Path, metavar="SOURCE", help=_SOURCE_HELP)
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


def add_released_options(parser: ArgumentParser) -> None:
    """The options of `released`."""
    text = "the folder of the authors' train.jsonl, dev.jsonl and test.jsonl"
    parser.add_argument("release", type=Path, metavar="FOLDER", help=text)
    _add_output(parser, "juice-released")


def _add_output(parser: ArgumentParser, out: str) -> None:
    add = parser.add_argument
    add("--out", type=Path, default=Path(out), help="folder to write")
    _add_workers(parser)
    add("--overwrite", action="store_true", help="replace a folder that an earlier build made")
    add("--no-install", action="store_true", help="leave the cache of `datasets` as it is")


def _add_workers(parser: ArgumentParser) -> None:
    text = "processes; no result depends on it"
    parser.add_argument("--workers", type=_number, default=os.cpu_count(), help=text)


def add_stats_options(parser: ArgumentParser) -> None:
    """The options of `stats`."""
    _add_folder(parser)
    parser.add_argument("--page", type=Path, help="also write a self-contained HTML page there")


def add_check_options(parser: ArgumentParser) -> None:
    """The options of `check`."""
    _add_folder(parser)
    _add_workers(parser)


def _add_folder(parser: ArgumentParser) -> None:
    text = "the built folder"
    parser.add_argument("folder", nargs="?", type=Path, default=Path("juice"), help=text)


def add_push_options(parser: ArgumentParser) -> None:
    """The options of `push`."""
    add = parser.add_argument
    _add_folder(parser)
    add("repository", metavar="REPOSITORY", help="ORG/NAME on the Hub; made if it is not there")
    add("--private", action="store_true", help="make a new repository private")
    add("--dry-run", action="store_true", help="print what would be uploaded")


def _number(text: str, least: int = 1) -> int:
    if not text.isdecimal() or int(text) < least:
        raise ArgumentTypeError(f"{text} is not a number from {least} on")
    return int(text)
