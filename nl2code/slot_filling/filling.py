"""Constants into a template's slots, by type and score, and what stands in the others (spec §5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nl2code.bash_nl.sentences import Constant
from nl2code.slot_filling.formats import MINUTES, formatted
from nl2code.slot_filling.templates import Slot, Template

Scores = NDArray[np.float64]
"""(constants, slots), the higher the closer."""

FITS = {
    "Number": {"Number", "Quantity", "Permission", "Regex"},
    "Size": {"Size"},
    "Timespan": {"Timespan"},
    "DateTime": {"DateTime"},
    "Permission": {"Permission"},
    "Directory": {"Directory", "Path"},
    "File": {"File", "Path", "Directory", "Regex"},
    "Regex": {"Regex", "File", "Path", "Directory"},
}
"""The types of the slots that a constant of a type may fill."""
_DATES = frozenset(
    [("find", f"-newer{how}t") for how in "macB"]
    + [(utility, flag) for utility in ("date", "touch") for flag in ("-d", "--date")]
)
_DEFAULTS = {
    ("find", "", "Path"): ".",
    ("grep", "", "Regex"): "'.*'",
    ("find", "-name", "Regex"): '"*"',
    **{(name, flag, "Quantity"): "10" for name in ("head", "tail") for flag in ("-", "-n")},
}


def fill(template: Template, constants: Sequence[Constant], scores: Scores) -> str | None:
    """The command, or None where it cannot hold all constants.

    A slot that nothing fills and that has no default is written `[regex]`, `[file]` …, as in the
    predictions that the authors released.

    >>> from nl2code.slot_filling.templates import read_template
    >>> template = read_template("find Path -name Regex -size +Size")
    >>> fill(template, [Constant("10 MB", "Size", 0)], np.ones((1, 3)))
    'find . -name "*" -size +10M'
    """
    values = slot_values(template.slots, constants, scores)
    return None if values is None else template.filled(values)


def slot_values(
    slots: Sequence[Slot], constants: Sequence[Constant], scores: Scores
) -> list[str] | None:
    """What `fill` writes into each slot; None where a constant is left, as with too few slots."""
    chosen = matched(constants, slots, scores)
    if len(chosen) < len(constants):
        return None
    return [
        formatted(constants[chosen[place]], slot) if place in chosen else _default(slot)
        for place, slot in enumerate(slots)
    ]


def fits(constant: Constant, slot: Slot) -> bool:
    """Whether the slot's type takes the constant.

    Beyond the paper's list: our table of utilities has a File where `cp` and others take a
    directory too, a Quantity where `find` counts minutes, a Regex where a date may be in words.
    """
    if constant.type == "Directory" and slot.type == "File":
        return True
    if constant.type == "Timespan" and slot.flag in MINUTES:
        return True
    if constant.type == "DateTime" and (slot.utility, slot.flag) in _DATES:
        return True
    return slot.type in FITS[constant.type]


def matched(constants: Sequence[Constant], slots: Sequence[Slot], scores: Scores) -> dict[int, int]:
    """The constant of each slot that gets one: greedily, the highest score first.

    So the matching is stable: no constant and slot that fit would both rather have each other.
    Equal scores go in the order of the sentence, then of the template.
    """
    pairs = [
        (-scores[row, column], row, column)
        for row, constant in enumerate(constants)
        for column, slot in enumerate(slots)
        if fits(constant, slot)
    ]
    chosen: dict[int, int] = {}
    for _, row, column in sorted(pairs):
        if column not in chosen and row not in chosen.values():
            chosen[column] = row
    return chosen


def _default(slot: Slot) -> str:
    flag = "-name" if slot.flag == "-iname" else slot.flag
    return _DEFAULTS.get((slot.utility, flag, slot.type), f"[{slot.type.lower()}]")
