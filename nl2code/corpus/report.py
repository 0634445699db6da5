"""What a build prints when it is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nl2code.corpus.build import Built
from nl2code.corpus.files import Files


def print_report(built: Built, out: Path) -> None:
    """Print the counts at each stage, the splits, and what to type next."""
    print_counts(built.funnel, built.splits, ("examples", "repositories", "notebooks"), out)
    print_end(built.note, built.digest, out)


def print_counts(
    funnel: Iterable[tuple[str, str, int]],
    splits: Mapping[str, Files],
    counted: tuple[str, ...],
    out: Path,
) -> None:
    """Print the counts at each stage, and of each split the attributes `counted`."""
    stages = Table("stage", "reason", "count", title="Kept and dropped")
    for stage, reason, count in funnel:
        stages.add_row(stage, reason, f"{count:,}", style="bold" if reason == "kept" else None)
    table = Table("split", *counted, title=str(out))
    for name, split in splits.items():
        table.add_row(name, *(f"{getattr(split, kind):,}" for kind in counted))
    Console().print(stages, table)


def print_end(note: str, digest: str, out: Path) -> None:
    """Print what the user should know, the digest, and what to type next."""
    console = Console()
    if note:
        console.print(note, soft_wrap=True)
    console.print(f"digest {digest}", soft_wrap=True)
    console.print(f'next, in {out.resolve().parent}: load_dataset("{out.name}")', soft_wrap=True)
