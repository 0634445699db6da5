"""What a build prints when it is done."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from nl2code.corpus.build import Built


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
    if built.note:
        console.print(built.note, soft_wrap=True)
    console.print(f"digest {built.digest}", soft_wrap=True)
    console.print(f'next, in {out.resolve().parent}: load_dataset("{out.name}")', soft_wrap=True)
