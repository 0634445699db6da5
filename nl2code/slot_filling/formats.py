"""A constant as the shell wants it in a slot (spec §5).

The paper's rules are `find`'s. Other utilities take no `c` for bytes, and read a timespan without
a unit as seconds; so that is what they get.
"""

from __future__ import annotations

import re
from decimal import Decimal

from nl2code.bash_nl.constants import is_extension
from nl2code.bash_nl.sentences import Constant
from nl2code.slot_filling.templates import Slot

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s?(\w*)")
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_SECONDS = {"s": 1, "m": _MINUTE, "h": _HOUR, "d": _DAY, "w": 7 * _DAY, "y": 365 * _DAY} | {
    "mo": 30 * _DAY
}
MINUTES = frozenset({"-mmin", "-amin", "-cmin"})
"""Flags of `find` that count minutes."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
PATTERNS = frozenset(
    [("grep", flag) for flag in ("", "-e", "--regexp", "--include", "--exclude", "--exclude-dir")]
    + [
        ("find", flag)
        for flag in (
            *("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"),
            *("-regex", "-iregex", "-lname", "-ilname"),
        )
    ]
)
"""The arguments that are patterns, by utility and flag; without a flag, grep's first."""
_BARE = re.compile(r"[\w@%+=:,./~{}$*?\[\]^-]+")


def formatted(constant: Constant, slot: Slot) -> str:
    """The value of a slot whose type the constant fits.

    >>> formatted(Constant("2 weeks", "Timespan", 0), Slot("Timespan", "-", "find", "-mtime", 0))
    '14'
    """
    match constant.type:
        case "Size":
            return size(constant.text, slot.utility == "find")
        case "Timespan":
            return timespan(constant.text, slot)
        case "DateTime":
            return quoted(date(constant.text), slot)
        case "Number" | "Permission":
            return quoted(constant.text.lstrip("+-") if slot.sign else constant.text, slot)
        case _:
            return quoted(_file_pattern(constant, slot), slot)


def size(text: str, in_find: bool = True) -> str:
    """Bytes → `c`, then k, M, G; a terabyte is 1000 G.

    >>> [size(text) for text in ("10 bytes", "10KB", "5 MB", "2g", "3 TB", "1.5GB")]
    ['10c', '10k', '5M', '2G', '3000G', '1536M']
    """
    found = _AMOUNT.fullmatch(text)
    assert found, text
    amount, unit = Decimal(found[1]), found[2][:1].lower().replace("b", "c")
    if unit in ("t", "p"):
        amount, unit = amount * (1_000 if unit == "t" else 1_000_000), "g"
    while amount % 1 and unit in ("k", "m", "g"):  # find takes no fraction
        amount, unit = amount * 1024, {"g": "m", "m": "k", "k": "c"}[unit]
    number = format(amount.normalize(), "f")
    return number + {"c": "c" if in_find else "", "k": "k"}.get(unit, unit.upper())


def timespan(text: str, slot: Slot) -> str:
    """Days bare, a year 365, a month 30 and a week 7 of them; less as h, m or s.

    Hours that make whole days are days, as not every `find` reads `24h`.

    >>> slot = Slot("Timespan", "", "find", "-mtime", 0)
    >>> [timespan(text, slot) for text in ("3 days", "1 year", "5 hours", "48 h")]
    ['3', '365', '5h', '2']
    """
    found = _AMOUNT.fullmatch(text)
    assert found, text
    amount, word = Decimal(found[1]), found[2].lower()
    unit = "mo" if word.startswith("mo") else word[:1]
    seconds = amount * _SECONDS[unit]
    if slot.flag in MINUTES:
        return _whole(seconds / _MINUTE)
    if slot.utility != "find":
        return _whole(seconds)
    return _whole(seconds / _DAY) if not seconds % _DAY else _whole(amount) + unit


def _whole(amount: Decimal) -> str:
    return format(amount.normalize(), "f")


def date(text: str) -> str:
    """YYYY-MM-DD; the first day where only a month is named, and the text where no year is.

    >>> [date(text) for text in ("May 3rd 2013", "3 may 2013", "2013/05/03", "May 2013", "10:30")]
    ['2013-05-03', '2013-05-03', '2013-05-03', '2013-05-01', '10:30']
    """
    if found := re.fullmatch(r"(\d{4})[-/](\d\d)[-/](\d\d)", text):
        return "-".join(found.groups())
    year = re.search(r"\b\d{4}\b", text)
    month = re.search("|".join(_MONTHS), text.lower())
    if not year or not month:
        return text
    day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", text)
    return f"{year[0]}-{_MONTHS.index(month[0]) + 1:02}-{int(day[1]) if day else 1:02}"


def _file_pattern(constant: Constant, slot: Slot) -> str:
    """`*.txt` for the `txt` of "txt file", and for `.txt` where a pattern is wanted."""
    text = constant.text
    if constant.type == "File" and is_extension(text):
        return f"*.{text.lower()}"
    ending = constant.type == "File" and text.startswith(".") and is_extension(text[1:])
    return "*" + text if ending and (slot.utility, slot.flag) in PATTERNS else text


def quoted(text: str, slot: Slot) -> str:
    r"""The text in quotes if it is a pattern, or if the shell would take it for something else.

    >>> name, operand = Slot("Regex", "", "find", "-name", 0), Slot("File", "", "rm", "", 0)
    >>> quoted("*.c", name), quoted("*.c", operand), quoted("a b", operand), quoted(r'\.c', name)
    ('"*.c"', '*.c', '"a b"', "'\\.c'")
    """
    if _BARE.fullmatch(text) and (slot.utility, slot.flag) not in PATTERNS:
        return text
    if "'" not in text and re.search(r'[\\"`!]|\$\(', text):
        return f"'{text}'"
    return '"' + re.sub(r'([\\"`])', r"\\\1", text) + '"'
