"""What a check found: each invariant, how often it is broken, and the first time."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nl2code.corpus.folders import REPORT


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

    def join(self, other: Tally) -> None:
        """Count what another batch found as well."""
        self.checked += other.checked
        self.violations += other.violations
        self.example = self.example or other.example


def finding_of(invariant: str, checked: int, faults: Iterable[str]) -> Finding:
    """Count the faults; the first one is the example."""
    found = list(faults)
    return Finding(invariant, checked, len(found), found[0] if found else "")


def print_findings(findings: list[Finding], folder: Path) -> None:
    """Print a line an invariant, the broken ones in bold red, and whether all hold."""
    table = Table("invariant", "checked", "violations", "first example", title=escape(str(folder)))
    for finding in findings:
        style = "bold red" if finding.violations else None
        figures = (f"{finding.checked:,}", f"{finding.violations:,}")
        table.add_row(finding.invariant, *figures, escape(finding.example), style=style)
    Console().print(table)
    broken = sum(finding.violations > 0 for finding in findings)
    print(f"{broken} of {len(findings)} are broken" if broken else f"All {len(findings)} hold")
    if not (folder / REPORT).exists():
        print(f"{folder} has no {REPORT}: what it would state was not checked")


def end_with(findings: list[Finding], folder: Path) -> None:
    """Print what holds and what does not; exit with 1 when something does not."""
    print_findings(findings, folder)
    if any(finding.violations for finding in findings):
        sys.exit(1)
