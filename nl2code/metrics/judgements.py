"""People's judgements of commands: their accuracy, and a look-up for other predictions (spec §6).

The files are the authors' `manual.evaluations.*.csv`: a sentence, a prediction, its template, and
whether template and command are correct, by the majority of three annotators.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nl2code.errors import UserError
from nl2code.metrics.candidates import Candidates, Ranked, bash_signature, ranked
from nl2code.metrics.command_forms import form_of, template_of
from nl2code.records import Score

COLUMNS = ("description", "prediction", "template", "correct template", "correct command")
FILES = "*evaluations*.csv"
"""The names of such files; the authors' analysis of errors beside them has other columns."""
_ANSWERS = {"y": True, "n": False}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What annotators said of one prediction."""

    nl: str
    prediction: str
    template: str
    """As the file has it; other systems' templates are spelled otherwise."""
    correct_template: bool
    correct_command: bool


@dataclass(frozen=True, slots=True)
class ManualScores:
    """Full command (F) and template (T)."""

    full: Score
    template: Score


def read_judgements(file: Path) -> list[Judgement]:
    """A file's judgements, in its order.

    Raises:
        UserError: A column is missing, or an answer is neither y nor n.
    """
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            rows = csv.DictReader(lines)
            for column in COLUMNS:
                if column not in (rows.fieldnames or ()):
                    raise UserError(f"{file} has no column {column!r}")
            return [_judgement(file, rows.line_num, row) for row in rows]
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{file} is no CSV in UTF-8: {error}") from None


def read_folder(folder: Path) -> list[Judgement]:
    """The judgements of all files of a folder whose names say so: `*evaluations*.csv`.

    Raises:
        UserError: There is no such file, or one that cannot be read.
    """
    files = sorted(folder.glob(FILES))
    if not files:
        raise UserError(f"{folder}: holds no judgements, {FILES}")
    return [one for file in files for one in read_judgements(file)]


def _judgement(file: Path, line: int, row: Mapping[str, str | None]) -> Judgement:
    nl, prediction, kind, *answers = (row[column] or "" for column in COLUMNS)
    for column, answer in zip(COLUMNS[3:], answers, strict=True):
        if answer not in _ANSWERS:
            raise UserError(f"{file}, line {line}: {column!r} is {answer!r}, but must be y or n")
    return Judgement(nl, prediction, kind, *(_ANSWERS[answer] for answer in answers))


def manual_accuracy(judgements: Iterable[Judgement], k: int = 1) -> ManualScores:
    """Acc_F and Acc_T of the system that the file judges: correct in the first `k` of a sentence.

    Raises:
        ValueError: There is no judgement, or k is under 1.
    """
    sentences: dict[str, list[Judgement]] = {}
    for one in judgements:
        sentences.setdefault(one.nl, []).append(one)
    firsts = [rows[:k] for rows in sentences.values()]
    if not firsts or k < 1:
        raise ValueError("no judgements" if not firsts else f"k is {k}, but must be 1 or more")
    full = sum(any(row.correct_command for row in rows) for rows in firsts)
    kind = sum(any(row.correct_template for row in rows) for rows in firsts)
    return ManualScores(
        *(
            Score(name, hits / len(firsts), f"{name}|k:{k}|judged:manual", {"pairs": len(firsts)})
            for name, hits in (("acc_f", full), ("acc_t", kind))
        )
    )


def judged_accuracy(
    predictions: Candidates, sentences: Sequence[str], judgements: Iterable[Judgement], k: int = 1
) -> ManualScores:
    """The share of sentences with a prediction in the first `k` that someone judged correct.

    A lower bound, not the manual accuracy: `unjudged` counts the candidates that nobody saw.
    Commands compare in their canonical form, templates as ours.
    """
    pairs = ranked(predictions, list(sentences), k)
    judged = list(judgements)
    commands = _verdicts((one.nl, form_of(one.prediction), one.correct_command) for one in judged)
    kinds = _verdicts((one.nl, template_of(one.prediction), one.correct_template) for one in judged)
    full = [[commands.get((nl, form_of(one))) for one in ones] for nl, ones in _by_nl(pairs)]
    kind = [[kinds.get((nl, template_of(one))) for one in ones] for nl, ones in _by_nl(pairs)]
    return ManualScores(
        _looked_up("judged_f", full, pairs, k), _looked_up("judged_t", kind, pairs, k)
    )


def _by_nl(pairs: Iterable[Ranked]) -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((_sentence(pair.references[0]), pair.candidates) for pair in pairs)


def _verdicts(
    rows: Iterable[tuple[str, str | None, bool]],
) -> dict[tuple[str, str | None], bool]:
    """The verdict on each pair; where annotators of two files differ, one yes is enough."""
    found: dict[tuple[str, str | None], bool] = {}
    for nl, text, correct in rows:
        if text:
            key = (_sentence(nl), text)
            found[key] = correct or found.get(key, False)
    return found


def _looked_up(
    name: str, verdicts: Sequence[Sequence[bool | None]], pairs: Sequence[Ranked], k: int
) -> Score:
    flat = [verdict for row in verdicts for verdict in row]
    unjudged = sum(verdict is None for verdict in flat)
    counts: dict[str, int | float] = {
        "pairs": len(pairs),
        "candidates": len(flat),
        "unjudged": unjudged,
        "unjudged_share": unjudged / len(flat) if flat else 0.0,
    }
    value = sum(any(row) for row in verdicts) / len(pairs)
    return Score(name, value, bash_signature(name, pairs, k, "judged:looked_up"), counts)


def _sentence(nl: str) -> str:
    return " ".join(nl.split()).lower()
