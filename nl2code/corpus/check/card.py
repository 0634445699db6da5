"""Whether the card and the attributions are those that the build would write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import yaml
from huggingface_hub import DatasetCardData, metadata_load

from nl2code.corpus.attribution import ATTRIBUTION, write_table
from nl2code.corpus.build import Built
from nl2code.corpus.card import describe_files, texts_of
from nl2code.corpus.check.findings import Finding, finding_of
from nl2code.corpus.check.made import Made
from nl2code.corpus.check.stated import read_card
from nl2code.corpus.features import FEATURES
from nl2code.corpus.files import SplitFiles
from nl2code.corpus.folders import CARD, REPORT
from nl2code.corpus.held_out import SPLITS

_OF_A_RELEASE = ("digest", "splits", "options", "funnel", "licenses")


def check_card(folder: Path, report: dict[str, Any], made: Made) -> Finding:
    """Compare what the card takes from build.json; its other words are whoever's.

    Args:
        folder: The built folder.
        report: What `read_report` says, which lacks nothing.
        made: How it was made.
    """
    built = _built(report)
    card, texts = read_card(folder), texts_of(built, folder)
    names = tuple(texts) if made.known else _OF_A_RELEASE
    head = metadata_load(folder / CARD) if card else None
    faults = [
        *_wrong_head(built, folder, head or {}),
        *(n for n in names if not _says(card, n, texts[n])),
    ]
    return finding_of(f"{CARD} says what {REPORT} does", len(names) + 2, faults)


def _built(report: dict[str, Any]) -> Built:
    """The build again, of what it wrote."""
    splits = {name: SplitFiles(**report["splits"][name]) for name in SPLITS if _has(report, name)}
    return Built(**report | {"splits": splits})


def _has(report: dict[str, Any], split: str) -> bool:
    return split in report["splits"]


def _wrong_head(built: Built, folder: Path, found: dict[str, Any]) -> Iterator[str]:
    """Yield what the YAML says otherwise of the files; `features` is as `datasets` writes it."""
    card = DatasetCardData()
    config = built.options.get("config", "default")
    describe_files(card, folder, config, FEATURES, built.splits, built.digest)
    right = yaml.safe_load(str(card))
    for name in ("configs", "dataset_info"):
        ours, theirs = (_without_features(head.get(name)) for head in (right, found))
        if ours != theirs:
            yield f"{name} in the YAML"


def _without_features(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: one for name, one in value.items() if name != "features"}


def _says(card: str, name: str, text: str) -> bool:
    """Whether the card has the text, or of a table the rows in any order: JSON keeps none."""
    if not text.startswith("| "):
        return {"digest": f"`{text}`", "redacted": f": {text}."}.get(name, text) in card
    header, *rows = text.splitlines()
    _, found, below = f"\n{card}".partition(f"\n{header}\n")
    shown = below.split("\n\n")[0].splitlines()
    return bool(found) and sorted(shown) == sorted(rows)


def check_attribution(
    connection: duckdb.DuckDBPyConnection, folder: Path, scratch: Path
) -> Finding:
    """Compare ATTRIBUTION.csv with the one that the rows give.

    Args:
        connection: With the table of all rows.
        folder: The built folder.
        scratch: A folder to write the other to.
    """
    right = scratch / ATTRIBUTION
    write_table(connection, connection.table("all_rows"), right)
    file = folder / ATTRIBUTION
    found = file.read_bytes().splitlines() if file.is_file() else []
    wanted = right.read_bytes().splitlines()
    faults = [f"{ATTRIBUTION} is missing"] if not found else []
    if found and found != wanted:
        other = sorted({*found} ^ {*wanted}) or [b"other order"]
        faults = [line.decode(errors="replace") for line in other]
    return finding_of(f"{ATTRIBUTION} names the rows' repositories", len(wanted) - 1, faults)
