"""From three filled sheets to judgements: what most annotators say (spec §6)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nl2code.errors import UserError
from nl2code.jsonl import write_text
from nl2code.metrics.annotation.key import Key, Row
from nl2code.metrics.annotation.sheets import VERDICTS, Verdict
from nl2code.metrics.judgements import COLUMNS, Judgement

ANNOTATORS = "ABC"
"""Their names in the released files."""
Sheets = Sequence[Mapping[str, Verdict]]


def decide(key: Key, sheets: Sheets) -> dict[str, Verdict]:
    """What most annotators say of each row; the third need not answer where two agree.

    Raises:
        UserError: A row has no majority.
    """
    return {
        name: Verdict(
            *(
                _majority(name, column, [answers(sheet[name])[nth] for sheet in sheets])
                for nth, column in enumerate(VERDICTS)
            )
        )
        for name in key.rows
    }


def answers(verdict: Verdict) -> tuple[bool | None, bool | None]:
    """The answers in the order of the columns."""
    return verdict.template, verdict.command


def _majority(row: str, column: str, votes: Sequence[bool | None]) -> bool:
    for answer in (True, False):
        if 2 * votes.count(answer) > len(votes):
            return answer
    given = ", ".join(letter(vote) or "nothing" for vote in votes)
    raise UserError(f"the row {row}: no majority on {column!r}: {given}")


def letter(answer: bool | None) -> str:
    """The answer as a sheet has it."""
    return "" if answer is None else "ny"[answer]


def judgements(key: Key, decided: Mapping[str, Verdict], system: str) -> list[Judgement]:
    """The judgements of a system's predictions, in their ranks; writing nothing is wrong."""
    return [
        Judgement(row.nl, row.prediction, row.template, *map(bool, answers(verdict)))
        for row, (verdict,) in _judged(key, (decided,), system)
    ]


def write_judgements(
    path: Path, key: Key, decided: Mapping[str, Verdict], sheets: Sheets, system: str
) -> None:
    """Write a system's judgements as the released files are, each annotator's beside them."""
    names = [f"{column} {name}" for name in ANNOTATORS for column in VERDICTS]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *names])
    for row, verdicts in _judged(key, (decided, *sheets), system):
        said = [letter(answer) for verdict in verdicts for answer in answers(verdict)]
        writer.writerow([row.nl, row.prediction, row.template, *said])
    write_text(path, text.getvalue())


def _judged(key: Key, sheets: Sheets, system: str) -> Iterator[tuple[Row, list[Verdict]]]:
    """Each row of the system, in its rank, with what each of the sheets says."""
    for ranking in key.systems[system]:
        for name in ranking.rows:
            yield key.rows[name], [sheet[name] for sheet in sheets]
        if not ranking.rows:
            yield Row(ranking.nl, "", ""), [Verdict(False, False)] * len(sheets)
