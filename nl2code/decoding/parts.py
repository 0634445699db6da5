"""The answers of each batch, kept aside until all are there: a killed run goes on from them."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from nl2code.batches import Sequences
from nl2code.errors import UserError
from nl2code.jsonl import read_json, read_jsonl, write_json, write_jsonl


def plan_batches(
    sources: Sequence[Sequence[int]], budget: int, begun: Sequence[Sequence[int]] = ()
) -> list[list[int]]:
    """Places of sources of like lengths, the longest first: what will not fit fails at once.

    A batch takes at most `budget` tokens with its padding; a longer source stands alone. What is
    `begun` of the texts of a batch is of one length.

    >>> plan_batches([[1], [1, 1, 1], [1, 1]], budget=4)
    [[1], [2, 0]]
    >>> plan_batches([[1], [1, 1, 1], [1, 1]], budget=9, begun=[[], [7], []])
    [[1], [2, 0]]
    """
    lengths = [len(text) for text in begun] or [0] * len(sources)
    batches: list[list[int]] = []
    for place in sorted(range(len(sources)), key=lambda p: (-lengths[p], -len(sources[p]))):
        first = batches[-1][0] if batches else place
        if (
            not batches
            or lengths[place] != lengths[first]
            or (len(batches[-1]) + 1) * len(sources[first]) > budget
        ):
            batches.append([])
        batches[-1].append(place)
    return batches


def fingerprint(
    checkpoint: Path, sources: Sequence[Sequence[int]], settings: dict[str, Any]
) -> dict[str, Any]:
    """What two runs have in common whose answers are the same: model, sources and settings."""
    files = hashlib.sha256()
    for path in sorted(path for path in checkpoint.iterdir() if path.is_file()):
        with path.open("rb") as file:
            files.update(hashlib.file_digest(file, "sha256").digest())
    ids = Sequences.of(sources)
    asked = hashlib.sha256(ids.offsets.tobytes() + ids.values.tobytes())
    return {"checkpoint": files.hexdigest(), "sources": asked.hexdigest(), **settings}


class Parts:
    """A folder with a file a batch, which stands beside the predictions until they are whole."""

    def __init__(self, out: Path) -> None:
        self.folder = out.with_name(f"{out.name}.parts")

    def open(self, run: dict[str, Any]) -> None:
        """Keep what a killed run with this fingerprint left, remove another one's.

        One process calls it, before any other reads or writes.

        Raises:
            UserError: The folder was made by something else.
        """
        mark = self.folder / "run.json"
        if mark.is_file() and read_json(mark) == run:
            done = len(list(self.folder.glob("[0-9]*.jsonl")))
            print(f"{self.folder}: going on after {done:,} batches", file=sys.stderr)
            return
        if not mark.is_file() and any(self.folder.glob("[!.]*")):
            raise UserError(f"{self.folder}: holds what no killed run left there; move it away")
        self.remove()
        write_json(mark, run)

    def done(self, batch: int) -> bool:
        """Whether the batch of this number has its answers."""
        return self._file(batch).is_file()

    def write(self, batch: int, answers: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Keep the answers of a batch by their places; the file appears whole or not at all."""
        lines = ({"place": place, "answer": answer} for place, answer in answers)
        write_jsonl(self._file(batch), lines)

    def read(self, batches: int) -> dict[int, dict[str, Any]]:
        """The answers of all batches, by their places."""
        lines = (line for batch in range(batches) for line in read_jsonl(self._file(batch)))
        return {line["place"]: line["answer"] for line in lines}

    def remove(self) -> None:
        """Remove what lies in the folder; the folder itself is the lock of the run."""
        for path in self.folder.glob("*"):
            path.unlink()

    def _file(self, batch: int) -> Path:
        return self.folder / f"{batch:06}.jsonl"
