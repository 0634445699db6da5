"""What a build dropped, stage by stage; what it says where a split or all of them are empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from nl2code.corpus.curated import Problems
from nl2code.corpus.files import Files
from nl2code.corpus.held_out import Unit
from nl2code.corpus.licenses import WHERE_FROM
from nl2code.corpus.mapping import Drops

Funnel = list[tuple[str, str, int]]
"""(stage, reason, count), `kept` among the reasons of each stage."""

_TO_TRAIN = ("read", "notebook", "target")
"""The stages before anything is compared with dev and test."""


def funnel(drops: Drops, problems: Problems, duplicates: Mapping[str, int], kept: int) -> Funnel:
    """The table of reasons, from the notebooks found to the examples kept."""
    read = drops.notebooks - drops.unreadable.total()
    unique = kept + sum(duplicates.values())
    stages = {
        "read": (drops.unreadable, read),
        "notebook": (drops.filtered, read - drops.filtered.total()),
        "target": (drops.targets, unique - problems.kept.total()),
    }
    for source, reasons in problems.drops.items():
        graded = drops.graded if source == "nbgrader" else Counter()
        stages[source] = (reasons + graded, problems.kept[source])
    stages["duplicate"] = (Counter(duplicates), kept)
    rows = []
    for stage, (reasons, left) in stages.items():
        counted = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        rows += [(stage, reason, count) for reason, count in counted if count]
        rows.append((stage, "kept", left))
    return rows


def nothing_left(sources: list[Path], drops: Drops, problems: Problems) -> str:
    """The sentence for notebooks that give no example."""
    where = ", ".join(map(str, sources))
    return f"{where}: no example in {counted(drops.notebooks)}; {dropped(drops, problems)}"


def dropped(drops: Drops, problems: Problems) -> str:
    """What was dropped before duplicates were told, in one line; and what keeps more of it."""
    rows = funnel(drops, problems, {}, problems.kept.total())
    counts = ", ".join(f"{reason} {count}" for _, reason, count in rows if reason != "kept")
    licences = WHERE_FROM if drops.filtered["license_unknown"] else ""
    return "; ".join(
        filter(None, [f"dropped: {counts or 'nothing'}", unconfirmed(problems), licences])
    )


def unconfirmed(problems: Problems) -> str:
    """What helps where exercises are in too few repositories; empty where none is."""
    if not problems.drops["exercise"]["in_too_few_repositories"]:
        return ""
    return "a lower --min-repositories keeps exercises that are in_too_few_repositories"


def counted(notebooks: int) -> str:
    """So many notebooks, in words that fit one as well.

    >>> counted(1), counted(2000)
    ('1 notebook', '2,000 notebooks')
    """
    return f"{notebooks:,} notebook{'' if notebooks == 1 else 's'}"


def why_empty(splits: Mapping[str, Files], rows: Funnel, unit: Unit, assignments: int) -> str:
    """Which splits are empty, why, and what would fill them; empty where none is.

    Args:
        splits: Train, dev and test.
        rows: The funnel.
        unit: What dev and test are made of.
        assignments: Of how many there were problems.
    """
    empty = [name for name, split in splits.items() if not split.examples]
    said = []
    if unit == "curated" and assignments == 1 and "dev" in empty:
        empty.remove("dev")
        said.append(
            "dev is empty: all problems are of one assignment, and it is test; --dev-test"
            " repositories holds out whole repositories for both."
        )
    if empty:
        is_ = "is" if len(empty) == 1 else "are"
        why, instead = _largest("train" in empty, rows), _instead("train" in empty, unit)
        said.append(f"{' and '.join(empty)} {is_} empty: {why}; {instead}.")
    return "\n".join(said)


def _largest(train: bool, rows: Funnel) -> str:
    """What took the most, of train before it was compared with dev and test if it was empty then.

    >>> _largest(True, [("target", "kept", 9), ("duplicate", "copy", 9), ("duplicate", "kept", 0)])
    'most went as copy (9)'
    """
    stages = _TO_TRAIN if train and ("target", "kept", 0) in rows else ("duplicate",)
    drops = [(count, reason) for at, reason, count in rows if at in stages and reason != "kept"]
    if not drops:
        return "no code cell stands directly below markdown"
    count, reason = max(drops, key=lambda drop: drop[0])
    return f"most went as {reason} ({count:,})"


def _instead(train: bool, unit: Unit) -> str:
    if unit == "curated" and train:
        return "notebooks without these problems would help, or try --dev-test notebooks"
    if unit == "curated":
        return "--dev-test repositories holds out whole repositories instead"
    return "notebooks that differ from these would help"
