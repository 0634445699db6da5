"""What an input format's settings mean together, and for which the tokenizer was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from nl2code.errors import UserError
from nl2code.linearisation import INPUT_FORMAT_FILE, InputFormat

OF_CELLS = frozenset(
    (
        *("context_cells", "chosen_cells", "context_tokens"),
        *("scheme", "cut_target_nl", "target_comments_in_input"),
    )
)
"""What says how a notebook's cells are read and written."""
OF_BASH = frozenset(("level", "normalised_nl", "copy_unknown"))


def check_format(fmt: InputFormat) -> None:
    """Raise a `UserError` when a setting is given that the task does not have.

    One that is given its default is not told from one that is not given.
    """
    idle = OF_CELLS if fmt.task == "bash" else OF_BASH
    default = asdict(InputFormat())
    for name, value in asdict(fmt).items():
        if name in idle and value != default[name]:
            raise UserError(f"format.{name}: {value} means nothing with format.task {fmt.task}")
    if fmt.of_templates and fmt.normalised_nl:
        raise UserError("format.normalised_nl: True means nothing with format.level template")


def check_made_for(tokenizer: str, fmt: InputFormat) -> None:
    """Raise a `UserError` when the tokenizer's folder says that it was made for other texts.

    One BPE does for code and for API sequences, whose inputs are the same.
    """
    record = _record(Path(tokenizer))
    made = _what_decides(record.get("format", {}))
    for name, wanted in _what_decides(asdict(fmt)).items():
        had = made.get(name, wanted)
        if had != wanted:
            raise UserError(
                f"tokenizer {tokenizer}: it was made for format.{name} {had}, and this is {wanted};"
                " tokenizer/train.py makes one with the same --format"
            )
    if record.get("kind") == "words" and fmt.task != "bash":
        raise UserError(f"tokenizer {tokenizer}: whole words, which are for format.task bash only")


def _record(folder: Path) -> Mapping[str, Any]:
    """What lies beside a tokenizer: tokenizer/train.py's config, or a checkpoint's format."""
    for name in ("config.yaml", INPUT_FORMAT_FILE):
        try:
            found = yaml.safe_load((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError):
            continue  # a tokenizer may come from anywhere
        record = found if name == "config.yaml" else {"format": found}
        if isinstance(record, dict) and isinstance(record.get("format"), dict):
            return record
    return {}


def _what_decides(fmt: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that decide which words there are.

    >>> _what_decides({"task": "api", "level": "char"}), _what_decides({"task": "bash"})
    ({'task': 'code'}, {'task': 'bash'})
    """
    if "task" not in fmt:
        return {}
    if fmt["task"] != "bash":
        return {"task": "code"}
    names = ["level"] if fmt.get("level") == "template" else ["level", "normalised_nl"]
    return {"task": "bash"} | {name: fmt[name] for name in names if name in fmt}
