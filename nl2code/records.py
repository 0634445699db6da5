"""The records that travel between the rooms: frozen dataclasses without behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a notebook, whatever the nbformat it came from."""

    cell_type: str
    """`code`, `markdown`, `raw` or `heading`, the paper's four."""
    source: str
    metadata: dict[str, Any] = field(default_factory=dict)
    execution_count: int | None = None
    outputs: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook and where it came from; `path` is relative to its repository."""

    repo: str
    path: str
    cells: tuple[Cell, ...]
    kernel: str = ""
    """The kernelspec's name, as written; empty when the notebook names none."""
    language: str = ""
    """The language that the metadata name, in lower case; empty when they name none."""
    language_version: str = ""
    commit: str | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """A system's answer to the example `id`: whitespace-joined tokens, or a Bash command."""

    id: str
    prediction: str
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A figure that says how it was made. Fractions inside, percentages in reports."""

    name: str
    value: float
    signature: str
    counts: dict[str, int | float] = field(default_factory=dict)
