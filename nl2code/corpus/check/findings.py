"""What a check found: each invariant, how often it is broken, and the first time."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Finding:
    """An invariant, on how many things it was checked, how many break it, and the first."""

    invariant: str
    checked: int
    violations: int
    example: str = ""


@dataclass(slots=True)
class Tally:
    """What becomes a `Finding` when all rows are seen."""

    checked: int = 0
    violations: int = 0
    example: str = ""

    def add(self, example: str) -> None:
        """Count a violation; the first one is the example."""
        self.violations += 1
        self.example = self.example or example


def finding_of(invariant: str, checked: int, faults: Iterable[str]) -> Finding:
    """Count the faults; the first one is the example."""
    found = list(faults)
    return Finding(invariant, checked, len(found), found[0] if found else "")


def print_findings(findings: list[Finding], folder: Path) -> None:
    """Print a line an invariant, the broken ones in bold red."""
    table = Table("invariant", "checked", "violations", "first example", title=str(folder))
    for finding in findings:
        style = "bold red" if finding.violations else None
        figures = (f"{finding.checked:,}", f"{finding.violations:,}")
        table.add_row(finding.invariant, *figures, finding.example, style=style)
    Console().print(table)


def end_with(findings: list[Finding], folder: Path) -> None:
    """Print what holds and what does not; exit with 1 when something does not."""
    print_findings(findings, folder)
    if any(finding.violations for finding in findings):
        sys.exit(1)
