"""Predictions and the split they answer: read, and checked id by id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import datasets
import yaml

from nl2code.corpus.nl2bash.schema import FEATURES as NL2BASH
from nl2code.errors import UserError
from nl2code.jsonl import read_jsonl
from nl2code.linearisation import load_input_format
from nl2code.records import Prediction

Rows = TypeVar("Rows", datasets.Dataset, datasets.IterableDataset)

REFERENCE_COLUMNS = {"code": "code_tokens_clean", "api": "api_sequence", "bash": "command"}
"""The column that holds the reference of each task: tokens, or the command as written."""
NL_COLUMNS = {"code": "nl", "api": "nl", "bash": "nl_tokens"}
"""The column that holds the tokens of the NL."""
_BASH_COLUMNS = frozenset(NL2BASH)


def columns_of(
    rows: Rows,
    names: Iterable[str],
    data: str,
    option: str = "--data",
    task_option: str | None = "--task",
) -> Rows:
    """The rows with these columns only; a `UserError` names what a foreign dataset lacks.

    Args:
        rows: Of any dataset.
        names: The columns.
        data: Names the dataset.
        option: The option that does so.
        task_option: The one that says of what kind the dataset is; None where there is none.
    """
    names = list(names)
    # Streamed rows may not know their columns before the first one.
    known = rows.column_names if rows.column_names is not None else next(iter(rows), names)
    lacking = [name for name in names if name not in known]
    if lacking:
        said = f"the split has no column {', '.join(map(repr, lacking))}"
        raise UserError(f"{option} {data}: {said}{_of_other_kind(lacking, known, task_option)}")
    return rows.select_columns(names)


def _of_other_kind(lacking: Iterable[str], known: Collection[str], task_option: str | None) -> str:
    """What is to be said where only datasets of the other kind have what is lacking.

    >>> _of_other_kind(["context"], ["nl", "command"], "--task")
    '; it holds Bash commands: --task bash'
    """
    if "command" in known and not _BASH_COLUMNS.intersection(lacking):
        kind, task = "Bash commands", "bash"
    elif "context" in known and _BASH_COLUMNS.issuperset(lacking):
        kind, task = "cells of notebooks", "code"
    else:
        return ""
    return f"; it holds {kind}" + (f": {task_option} {task}" if task_option else "")


def references(
    rows: datasets.Dataset, task: str, data: str, task_option: str | None = "--task"
) -> dict[str, str]:
    """The reference of each id, in the order of the split."""
    column = REFERENCE_COLUMNS[task]
    rows = columns_of(rows, ["id", column], data, task_option=task_option)
    gold = {row["id"]: reference_text(row[column]) for row in rows}
    if not gold:
        raise UserError(f"--data {data}: the split has no rows")
    if len(gold) != rows.num_rows:
        raise UserError(f"--data {data}: {rows.num_rows - len(gold)} rows repeat an id")
    return gold


def reference_text(value: str | Sequence[str] | None) -> str:
    """A command as it stands, since blanks within its quotes count; tokens joined by blanks.

    >>> [reference_text(value) for value in ("echo  a", ["x", "=", "1"], None)]
    ['echo  a', 'x = 1', '']
    """
    return value if isinstance(value, str) else " ".join(value or ())


def task_of(predictions: Path) -> str | None:
    """The task that the config beside the predictions names, itself or by its checkpoint."""
    beside = predictions.with_name(f"{predictions.name}.config.yaml")
    try:
        config = yaml.safe_load(beside.read_text(encoding="utf-8"))
        if "checkpoint" not in config:
            task: str | None = config.get("task")
            return task
        return load_input_format(Path(config["checkpoint"])).task
    except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError, UserError):
        return None  # predictions may come from anywhere, and a checkpoint may have moved


def digest_of(data: str, gold: Mapping[str, str]) -> str:
    """What tells two datasets of one name apart: the built folder's digest, else one over `gold`.

    Only the first covers all that is in the folder; the other one begins with `references-`.
    """
    card = Path(data) / "README.md"
    if card.is_file() and (found := _digest_in_card(card.read_text(encoding="utf-8"))):
        return found
    digest = hashlib.sha256()
    for name in sorted(gold):
        digest.update(f"{name}\0{gold[name]}\n".encode())
    return f"references-{digest.hexdigest()[:16]}"


def _digest_in_card(card: str) -> str | None:
    r"""The first long hexadecimal number that describes one of the card's configs, cut to 16.

    >>> _digest_in_card("---\nconfigs:\n- description: sha256 0123456789abcdef0123\n---\n")
    '0123456789abcdef'
    """
    head = re.match(r"---\n(.*?)\n---", card, re.DOTALL)
    try:
        fields = yaml.safe_load(head[1]) if head else None
    except yaml.YAMLError:
        return None
    for config in (fields or {}).get("configs") or ():
        text = f"{config.get('description', '')} {config.get('version', '')}"
        if found := re.search(r"(?<![0-9a-f])[0-9a-f]{16,64}(?![0-9a-f])", text):
            return found[0][:16]
    return None


def read_predictions(path: Path) -> Iterator[Prediction]:
    """Yield each prediction of a file.

    Raises:
        UserError: A field is missing or has the wrong type, or an id is double.
    """
    seen: dict[str, int] = {}
    for nth, row in enumerate(read_jsonl(path)):
        try:
            prediction = _prediction(row)
            if prediction.id in seen:
                first = _line(path, seen[prediction.id])
                raise UserError(f"the id {prediction.id!r} stands on line {first} already")
        except UserError as error:
            raise UserError(f"{path}, line {_line(path, nth)}: {error}") from None
        seen[prediction.id] = nth
        yield prediction


def _prediction(row: Mapping[str, Any]) -> Prediction:
    for field in ("id", "prediction"):
        if not isinstance(row.get(field), str):
            given = f"is {row[field]!r:.60}" if field in row else "is missing"
            raise UserError(f"the field {field!r} {given}; it must be a string")
    candidates = row.get("candidates") or []
    if not isinstance(candidates, list) or not all(isinstance(one, str) for one in candidates):
        raise UserError("the field 'candidates' must be a list of strings")
    return Prediction(row["id"], row["prediction"], tuple(candidates))


def _line(path: Path, nth: int) -> int:
    """The number of the line that holds row `nth`: blank lines hold none."""
    with path.open("rb") as file:
        numbers = (number for number, line in enumerate(file, 1) if line.strip())
        return next(islice(numbers, nth, None))


def answers_to(
    asked: Collection[str],
    path: Path,
    *,
    allow_missing: bool = False,
    known: Collection[str] = (),
) -> tuple[list[Prediction], list[str]]:
    """The predictions in the order of the ids `asked`, and the ids that have none.

    Args:
        asked: The ids to answer.
        path: The predictions.
        allow_missing: Whether what is missing counts as empty.
        known: All ids of the split, where not every one is asked for.

    Raises:
        UserError: An id is unknown, or one is missing that `allow_missing` does not let be empty.
    """
    found = {one.id: one for one in read_predictions(path)}
    known = {*asked, *known}
    unknown = [nth for nth, name in enumerate(found) if name not in known]
    if unknown:
        name, line = list(found)[unknown[0]], _line(path, unknown[0])
        more = _more(len(unknown) - 1)
        raise UserError(f"{path}, line {line}: the id {name!r} is not in the split{more}")
    missing = [name for name in asked if name not in found]
    if missing and not allow_missing:
        more = _more(len(missing) - 1)
        raise UserError(
            f"{path}: no prediction for the id {missing[0]!r} of the split{more}; "
            "--allow_missing true scores missing ones as empty"
        )
    return [found.get(name, Prediction(name, "")) for name in asked], missing


def ranked_answers(one: Prediction) -> list[str]:
    """The prediction, then the other candidates in their order.

    >>> ranked_answers(Prediction("1", "ls", ("ls -a", "ls", "pwd")))
    ['ls', 'ls -a', 'pwd']
    """
    others = list(one.candidates)
    if one.prediction in others:
        others.remove(one.prediction)
    return [one.prediction, *others]


def _more(count: int) -> str:
    return f" (and {count} more)" if count else ""
