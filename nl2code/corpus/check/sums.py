"""Whether the figures of a build.json agree with each other and with the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from nl2code.corpus.check.findings import Finding, finding_of
from nl2code.corpus.folders import REPORT
from nl2code.corpus.held_out import SPLITS

_STAGES = ("read", "notebook", "target", "nbgrader", "exercise", "duplicate")

FunnelRow = list[Any]


def check_sums(folder: Path, report: dict[str, Any]) -> Finding:
    """Check the funnel from stage to stage, and the bytes of each split.

    Args:
        folder: The built folder, which `juice.py build` made.
        report: What `read_report` says, which lacks nothing.
    """
    faults = [*_funnel_faults(report["funnel"]), *_size_faults(folder, report)]
    checked = len(report["funnel"]) + len(SPLITS)
    return finding_of(f"the figures of {REPORT} agree", checked, faults)


def _funnel_faults(funnel: list[FunnelRow]) -> Iterator[str]:
    stages = [(stage, list(rows)) for stage, rows in groupby(funnel, itemgetter(0))]
    if tuple(stage for stage, _ in stages) != _STAGES:
        yield f"funnel: {', '.join(stage for stage, _ in stages)}"
        return
    kept, seen = dict[str, int](), Counter[str]()
    for stage, rows in stages:
        *drops, last = [(reason, count) for _, reason, count in rows]
        as_written = sorted(drops, key=lambda drop: (-drop[1], drop[0]))
        reasons = {reason for reason, _ in drops}
        if last[0] != "kept" or drops != as_written or len({*reasons, "kept"}) != len(rows):
            yield f"funnel: {stage}: the largest first, each once, kept last"
        if any(count == 0 for _, count in drops):
            yield f"funnel: {stage}: a reason for nothing"
        kept[stage], seen[stage] = last[1], sum(count for _, _, count in rows)
    candidates = sum(kept[stage] for stage in ("target", "nbgrader", "exercise"))
    for stage, entering in (("notebook", kept["read"]), ("duplicate", candidates)):
        if seen[stage] != entering:
            yield f"funnel: {seen[stage]} in {stage}, not {entering}"


def _size_faults(folder: Path, report: dict[str, Any]) -> Iterator[str]:
    stated = report["bytes_per_example"]
    for name in sorted({*SPLITS, *stated}):
        right = None
        if split := report["splits"].get(name):
            size = sum((folder / file).stat().st_size for file in split["files"])
            right = round(size / max(1, split["examples"]), 1)
        if stated.get(name) != right:
            yield f"bytes_per_example of {name}: {stated.get(name)}, not {right}"
