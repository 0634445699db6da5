"""The text of a licence → its SPDX identifier, if every word of it is the licence's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from nl2code.copyright_lines import is_copyright_line, is_name

_END_OF_TERMS = re.compile(
    r"^[^\w\n]*end of (?:the )?terms and conditions[^\w\n]*$", re.IGNORECASE | re.MULTILINE
)
_NUMBER = re.compile(r"^[^\w\n]*(?:\d{1,2}|[a-z])[.)][ \t]", re.IGNORECASE | re.MULTILINE)
# Counted as words: letters that were not read, and what strikes words out in Markdown.
_WORD = re.compile(r"(?:[^\W_]|\ufffd)+|~~(?=\w)")
_TITLE_WORDS = 16

_TITLES = {
    "MIT": "mit|expat|mit expat",
    "Apache-2.0": "apache(?: software)?(?: license)?(?: version)? 2 0",
    "BSD-2-Clause": "(?:simplified |freebsd |2 clause )?bsd|bsd 2 clause(?: simplified)?",
    "BSD-3-Clause": "(?:new |revised |modified |3 clause )?bsd|bsd 3 clause(?: new or revised)?",
    "Unlicense": "unlicense",
}
"""What licences are called above their texts, beside their identifiers."""
_ANY_TITLE = re.compile("(?:the )?(?:software )?license|copyright(?: notice| and license)?")

_ENDORSEMENT = re.compile(
    r"(?<=neither the name of )(.{1,150}?)(?=,? nor the names of (?:its|their) contributors)",
    re.IGNORECASE,
)
_OWNERS = "(?:the )?(?:copyright (?:holder|owner)s?|regents|authors?)"
_ABOVE_CC0 = """creative commons legal code cc0 1 0 universal creative commons corporation is not a
    law firm and does not provide legal services distribution of this document does not create an
    attorney client relationship creative commons provides this information on an as is basis
    creative commons makes no warranties regarding the use of this document or the information or
    works provided hereunder and disclaims liability for damages resulting from the use of this
    document or the information or works provided hereunder"""
_BELOW_CC0 = "for more information please see http creativecommons org publicdomain zero 1 0"
_VARIANTS = {
    r"\bhttps\b": "http",
    r"\blicence": "license",
    r"\bnon infringement\b": "noninfringement",
    r"\bsub license\b": "sublicense",
    r"\bmodify and or distribute\b": "modify and distribute",
    r"(?<= this permission notice) including the next paragraph\b": "",
    r"(?<=\bnor the names of )their(?= contributors\b)": "its",
    rf"(?<=\bprovided by ){_OWNERS}(?: and contributors)?(?= as is\b)": "the authors",
    rf"(?<=\bshall ){_OWNERS}(?: (?:or|and) contributors)?(?= be liable for any direct\b)": (
        "the authors"
    ),
    rf"^{' '.join(_ABOVE_CC0.split())} (?=statement of purpose\b)": "",
    rf" {_BELOW_CC0}$": "",
}
"""Words that licences are known to be written with; nothing else may differ."""


@dataclass(frozen=True, slots=True)
class _License:
    name: str
    appendix: str
    titles: re.Pattern[str]


def license_of(text: str) -> str | None:
    """The identifier of the licence that this is the text of, and nothing else; or None.

    Above the terms a title and copyright lines may stand, below them what the licence's own text
    has there. Layout and the names of holders differ; a word more or less is a condition.

    >>> license_of("All rights reserved.")
    """
    titles, terms, appendix = _parts(text)
    known = _licenses()
    found = known.get(_words(terms)) or known.get(_words(_NUMBER.sub("", terms)))
    if found is None or not found.appendix.endswith(appendix):
        return None
    fits = all(found.titles.fullmatch(line) or _ANY_TITLE.fullmatch(line) for line in titles)
    return found.name if fits else None


def _parts(text: str) -> tuple[list[str], str, str]:
    """The titles above the terms, the terms, and the words of what stands below their end."""
    terms, *rest = _END_OF_TERMS.split(text.replace("\r", "\n"), maxsplit=1)
    lines = terms.split("\n")
    numbers = [number for number, line in enumerate(lines) if not _is_apart(line)]
    titles = list(takewhile(_any_titles().fullmatch, (_words(lines[n]) for n in numbers)))
    lines = lines[numbers[len(titles)] : numbers[-1] + 1] if len(titles) < len(numbers) else []
    below = (line for part in rest for line in part.split("\n") if not is_copyright_line(line))
    return titles, "\n".join(lines), _words("\n".join(below))


def _is_apart(line: str) -> bool:
    return not _WORD.search(line) or is_copyright_line(line)


def _words(text: str) -> str:
    """The words in lower case, each variant as the licence has it."""
    flat = _ENDORSEMENT.sub(_holder, " ".join(text.split()))
    words = " ".join(_WORD.findall(flat.lower()))
    for variant, usual in _VARIANTS.items():
        words = re.sub(variant, usual, words)
    return words


def _holder(slot: re.Match[str]) -> str:
    return "the copyright holder" if is_name(slot[0]) else slot[0]


@cache
def _own_titles() -> dict[str, str]:
    """For each licence, a pattern of the titles that its text may have."""
    titles = {}
    for name, text in _texts().items():
        called = f"(?:the )?(?:{_words(name)}|{_TITLES.get(name, _words(name))})"
        own = [_words(line) for line in _first_paragraph(text)]
        patterns = [rf"(?:spdx license identifier )?{called}(?: license)?(?: {called})?", *own]
        titles[name] = "|".join(patterns)
    return titles


def _first_paragraph(text: str) -> list[str]:
    """The lines of a licence's own title, or none where its text begins with something else."""
    paragraph = text.strip().split("\n\n")[0]
    lines = [line for line in paragraph.split("\n") if _WORD.search(line)]
    is_text = paragraph.endswith(".") or len(paragraph.split()) > _TITLE_WORDS
    return [] if is_text or any(map(is_copyright_line, lines)) else lines


@cache
def _any_titles() -> re.Pattern[str]:
    return re.compile("|".join([_ANY_TITLE.pattern, *_own_titles().values()]))


@cache
def _licenses() -> dict[str, _License]:
    """The licences by the words of their terms, with the numbers of lists and without."""
    known: dict[str, _License] = {}
    for name, text in _texts().items():
        _, terms, appendix = _parts(text)
        found = _License(name, appendix, re.compile(_own_titles()[name]))
        known |= {_words(terms): found, _words(_NUMBER.sub("", terms)): found}
    return known


@cache
def _texts() -> dict[str, str]:
    # Only its texts: `identify.license_id` takes a licence with a condition added for the licence.
    from identify.vendor.licenses import LICENSES

    return dict(LICENSES)
