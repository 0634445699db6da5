"""What a build says of itself that tells what its rows hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nl2code.corpus.released.files import CONFIG


@dataclass(frozen=True, slots=True)
class Made:
    """How the rows were made, as far as build.json says."""

    known: bool = False
    """By `juice.py build`."""
    released: bool = False
    """By `juice.py released`."""
    cells: int | None = None
    """Cells of context that it kept; all by default."""
    licenses: frozenset[str] | None = None
    """Licences that it kept; any by default."""
    curated: bool = False
    """Whether dev and test are curated problems; else all rows are as those of train."""
    repositories: int = 1
    """How many hold an exercise's solution, at least."""
    truncated: bool = True
    """Whether targets may be longer than the tokens say."""


def made_of(report: dict[str, Any]) -> Made:
    """Return what a build.json says, which may be empty."""
    options = report.get("options", {})
    allowed = options.get("licenses")
    return Made(
        known="max_context_cells" in options,
        released=options.get("config") == CONFIG,
        cells=options.get("max_context_cells"),
        licenses=frozenset(allowed) if allowed else None,
        curated=options.get("dev_test") == "curated",
        repositories=options.get("min_repositories", 0) + 1,
        truncated=options.get("long_targets") != "drop",
    )
