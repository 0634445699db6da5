"""Sheets for annotators: each distinct prediction once, and not who wrote it (spec §6)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nl2code.errors import UserError
from nl2code.jsonl import write_text
from nl2code.metrics.annotation.key import Key

VERDICTS = ("correct template", "correct command")
COLUMNS = ("row", "description", "prediction", "template", *VERDICTS)
"""As in the released judgements, with a name for each row."""
_YES_NO = {"y": True, "yes": True, "n": False, "no": False, "": None}
_WIDE = "".join(chr(ord(sign) + 0xFEE0) for sign in "=+-@")
"""The same signs as Asian keyboards write them."""
_FORMULA = tuple(f"=+-@{_WIDE}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """An annotator's answers on one row; None where there is none."""

    template: bool | None
    command: bool | None


def write_sheet(path: Path, key: Key) -> None:
    """Write the CSV to fill in; the byte order mark is for spreadsheets, which guess otherwise."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for name, row in key.rows.items():
        writer.writerow([name, *map(inert, (row.nl, row.prediction, row.template)), "", ""])
    write_text(path, f"\ufeff{text.getvalue()}")


def inert(cell: str) -> str:
    """The text of a cell that no spreadsheet takes for a formula.

    >>> [inert(cell) for cell in ("=1+1", " -l", "ls -l")]
    ["'=1+1", "' -l", 'ls -l']
    """
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA) else cell


def read_sheet(path: Path, key: Key) -> dict[str, Verdict]:
    """One annotator's verdict on each row of the key.

    Raises:
        UserError: A row is missing, unknown, double or altered, or a verdict makes no sense.
    """
    found: dict[str, Verdict] = {}
    for line, row in _lines(path):
        place, name = f"{path}, line {line}", row["row"]
        if name not in key.rows:
            raise UserError(f"{place}: the row {name!r} is not in the key")
        if _bare(row["prediction"]) != _bare(key.rows[name].prediction):
            given = row["prediction"]
            raise UserError(f"{place}: the prediction of {name} has become {given!r:.80}")
        verdict = _verdict(place, row)
        if found.setdefault(name, verdict) != verdict:
            raise UserError(f"{place}: contradicts an earlier line on the row {name}")
    missing = [name for name in key.rows if name not in found]
    if missing:
        raise UserError(f"{path}: the row {missing[0]} is missing ({len(missing)} in all)")
    return found


def _lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            for column in COLUMNS:
                if column not in (rows.fieldnames or ()):
                    head = ",".join(rows.fieldnames or ())  # some spreadsheets save semicolons
                    raise UserError(f"{path} has no column {column!r}; it begins with {head!r:.80}")
            for row in rows:
                yield rows.line_num, {column: row[column] or "" for column in COLUMNS}
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} is no CSV in UTF-8: {error}") from None


def _bare(cell: str) -> str:
    """The text without what a spreadsheet may add or lose."""
    return " ".join(cell.lstrip("'").split())


def _verdict(place: str, row: Mapping[str, str]) -> Verdict:
    for column in VERDICTS:
        if row[column].strip().lower() not in _YES_NO:
            raise UserError(f"{place}: {column!r} is {row[column]!r}, but must be y or n")
    verdict = Verdict(*(_YES_NO[row[column].strip().lower()] for column in VERDICTS))
    if verdict.command and verdict.template is False:
        raise UserError(f"{place}: contradicts itself: a correct command has a correct template")
    return verdict
