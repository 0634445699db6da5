"""A look at some rows, by themselves: what they break, and the keys that splits are compared by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nl2code.corpus.check.contexts import Context, contexts_of
from nl2code.corpus.check.derived import DERIVED, Deriver
from nl2code.corpus.check.findings import Tally
from nl2code.corpus.check.made import Made
from nl2code.corpus.check.notebooks import shown_cells
from nl2code.corpus.check.rows import Row, broken, claims
from nl2code.corpus.held_texts import HeldTexts, read_held, telling
from nl2code.corpus.near_duplicates import cell_key
from nl2code.corpus.workers import without_collections
from nl2code.python_code.magics import quiet

SHOWS = "no train row shows the NL, target or tests of dev or test (50 characters or more)"
_STRING = pa.string()
ROWS = pa.schema(
    {
        **dict.fromkeys(("split", "id", "repo", "path", "exercise", "license"), _STRING),
        **dict.fromkeys(("commit", "source"), _STRING),
        "cell": pa.int32(),
        **dict.fromkeys(("code_tokens_clean", "nl"), pa.list_(_STRING)),
    }
)
NOTEBOOKS = pa.schema(
    {
        **dict.fromkeys(("split", "repo", "path"), _STRING),
        "cell_keys": pa.list_(pa.uint64()),
    }
)
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a split; `number` is that of the first among all."""

    split: str
    number: int
    rows: pa.Table


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of a batch."""

    tallies: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    rows: list[Row] = field(default_factory=list)
    """As `ROWS`."""
    notebooks: list[Row] = field(default_factory=list)
    """As `NOTEBOOKS`: the cells that any of the rows shows."""
    shown: pa.Table | None = None
    """The cells of their notebooks, if we built them."""
    telling: frozenset[str] = frozenset()
    """NL, targets and tests that only dev and test may show; empty for train."""


def look(made: Made, held: Path, step: int, batch: Batch) -> Look:
    """Look at a batch.

    Args:
        made: What the build says of itself.
        held: The file of what only dev and test may show.
        step: The columns of every so many rows are derived again.
        batch: The rows.
    """
    contexts = contexts_of(batch.rows["context"])
    rows: list[Row] = batch.rows.drop_columns("context").to_pylist()
    shown = shown_cells(rows, contexts) if made.known else None
    found = Look(shown=shown, telling=_telling(batch.split, rows))
    with quiet(), without_collections():
        _count_faults(found.tallies, made, step, batch, rows, contexts)
    _compare_cells(found, held, batch.split, rows, contexts)
    found.rows.extend(_narrow(batch.split, row) for row in rows)
    return found


def _count_faults(
    tallies: dict[str, Tally],
    made: Made,
    step: int,
    batch: Batch,
    rows: Sequence[Row],
    contexts: Sequence[Context],
) -> None:
    deriver = Deriver(made)
    for place, (row, context) in enumerate(zip(rows, contexts, strict=True), batch.number):
        names = claims(row, made)
        faults = list(broken(row, context, batch.split, made))
        if place % step == 0:
            names = (*names, *DERIVED)
            faults += deriver.wrong(row, context)
        for name in names:
            tallies[name].checked += 1
        for name, how in faults:
            tallies[name].add(f"{row['id']}: {how}")


def _telling(split: str, rows: Sequence[Row]) -> frozenset[str]:
    if split == "train":
        return frozenset()
    texts = (telling(row["nl_original"], row["code"], *(row["tests"] or ())) for row in rows)
    return frozenset(chain.from_iterable(texts))


def _compare_cells(
    found: Look, held: Path, split: str, rows: Sequence[Row], contexts: Sequence[Context]
) -> None:
    """Gather each notebook's cells; of train, count the rows that show what is held."""
    notebooks: dict[tuple[str, str], list[Keys]] = defaultdict(list)
    shown: dict[tuple[str, str], npt.NDArray[np.bool_]] = {}
    if not rows:
        return
    cells = contexts[0].cells
    targets = np.array([cell_key("code", row["code"] or "") for row in rows], np.uint64)
    if split == "train":
        _count_shown(found.tallies[SHOWS], read_held(held), rows, contexts)
    for place, (row, context) in enumerate(zip(rows, contexts, strict=True)):
        metadata = row["metadata"] or {}
        if (repo := metadata.get("repo")) and (path := metadata.get("path")):
            notebooks[repo, path].append(targets[place : place + 1])
            mask = shown.setdefault((repo, path), np.zeros(len(cells.types), np.bool_))
            mask[context.numbers] = True
    for (repo, path), keys in notebooks.items():
        every = np.unique(np.concatenate([*keys, cells.keys[shown[repo, path]]]))
        where = {"split": split, "repo": repo, "path": path}
        found.notebooks.append(where | {"cell_keys": every[every != 0]})


def _count_shown(
    tally: Tally, held: HeldTexts, rows: Sequence[Row], contexts: Sequence[Context]
) -> None:
    tally.checked += len(rows)
    cells = contexts[0].cells
    each = zip(cells.types, cells.codes, cells.nls, strict=True)
    show = np.array([held.stand_in(kind, code or nl or "") for kind, code, nl in each], np.bool_)
    for row, context in zip(rows, contexts, strict=True):
        if held.stand_in("code", row["code"] or "") or show[context.numbers].any():
            tally.add(str(row["id"]))


def _narrow(split: str, row: Row) -> Row:
    metadata = row["metadata"] or {}
    return {
        "split": split,
        "id": row["id"],
        "code_tokens_clean": _without_nulls(row["code_tokens_clean"]),
        "nl": _without_nulls(row["nl"]),
        "repo": metadata.get("repo"),
        "path": metadata.get("path"),
        "exercise": metadata.get("exercise_path"),
        "license": metadata.get("license"),
        "commit": metadata.get("commit"),
        "source": metadata.get("source"),
        "cell": metadata.get("cell_index"),
    }


def _without_nulls(words: list[str | None] | None) -> list[str] | None:
    return None if words is None else [word for word in words if word is not None]
