"""Lines that say whose a work is, and nothing else."""

from __future__ import annotations

import re
from itertools import pairwise

_NOTICE = re.compile(
    r"[\W_]*?(?:portions\s+)?(?:(?:copyright\b|\(c\)|©|&copy;)[\s:]*)+"
    r"(?P<holder>.*?)(?:[\s.,;]*\ball rights reserved)?[\W_]*",
    re.IGNORECASE,
)
_RIGHTS = re.compile(r"[\W_]*all rights reserved[\W_]*", re.IGNORECASE)
_YEARS = re.compile(r"\d{4}(?:[-,/+]+\d[\dx]*)*[-,/+]*|\d{3}x|present|now", re.IGNORECASE)
_ADDRESS = re.compile(r"\S+@\S+\.\w+|(?:https?://|www\.)\S+|\[.*\]\(https?://\S+\)", re.IGNORECASE)
_PLAIN = str.maketrans("\u2013\u2014\u201c\u201d\u2018\u2019", "--\"\"''")
_ABBREVIATIONS = frozenset(
    ["al", "co", "corp", "dr", "gmbh", "inc", "jr", "llc", "ltd", "prof", "st"]
)
# Small words of names, and of the placeholders in the texts of licences.
_SMALL = """the of and in at by to for de van von der den la le di da du et al its affiliates
    author authors contributor contributors developer developers individual member members other
    others project respective subsidiaries team year yyyy name fullname email copyright owner
    holder"""
_SMALL_WORDS = frozenset(_SMALL.split())
# What a condition says and a name does not, even if all of it is in capitals.
_TELLING = """academic all allow allowed any apply applies ask commercial commercially condition
    conditions confidential copied copies copy distribute distributed distribution educational
    evaluation except exclude excluded excluding forbidden free further grant granted is license
    licensed licenses licensing may modification modifications modified modify must no non
    noncommercial nonfree not only patent permission permissions permit permitted personal private
    prohibited proprietary provided purpose purposes redistribute redistributed redistribution
    reproduce require required requires resale resell restricted restriction restrictions see sell
    sold strictly student students subject teaching terms unless use used user users uses using
    with without"""
_TELLING_WORDS = frozenset(_TELLING.split())
_MOST_WORDS = 25
_LONGEST = 500


def is_copyright_line(line: str) -> bool:
    """Whether the line is a copyright notice of years and names, without a condition.

    >>> is_copyright_line("Portions Copyright (c) 2019-2020 Ada Lovelace. All rights reserved.")
    True
    >>> is_copyright_line("Copyright (c) 2020 Ada. For research use only.")
    False
    """
    if len(line) > _LONGEST:
        return False
    if _RIGHTS.fullmatch(line):
        return True
    notice = _NOTICE.fullmatch(line)
    return notice is not None and is_name(notice["holder"])


def is_name(text: str) -> bool:
    """Whether the text is years and names of people or organisations, in any order.

    >>> is_name("2007 Free University of Berlin, Inc."), is_name("the University of Oslo")
    (False, True)
    """
    tokens = _ADDRESS.sub(" ", text.translate(_PLAIN)).split()
    words = [word for token in tokens if (word := _bare(token)) and not _YEARS.fullmatch(word)]
    parts = {part for word in words for part in re.findall(r"[^\W\d_]+", word.lower())}
    if parts & _TELLING_WORDS or len(tokens) > _MOST_WORDS or not _is_one_sentence(tokens):
        return False
    unlike = [word for word in words if _is_small(word) and word not in _SMALL_WORDS]
    has_capitals = any(not _is_small(word) for word in words)
    return len(unlike) <= 2 - has_capitals  # `ada`, `ada lovelace`, `the attrs contributors`


def _bare(token: str) -> str:
    return token.strip(".,;:-()[]{}<>\"'*_`|&").removesuffix("'s")


def _is_small(word: str) -> bool:
    """Whether it is no word in capitals; scripts without capitals have none."""
    return not (word[0].isupper() or word[0].isdigit())


def _is_one_sentence(tokens: list[str]) -> bool:
    """Whether nothing follows the end of a sentence, a colon or a dash, but for years."""
    for token, following in pairwise(tokens):
        word = _bare(token)
        if token.endswith((":", ";")) or (token == "-" and not _years_at(following)):
            return False
        short = len(word.replace(".", "")) <= 1 or re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]?", word)
        if token.rstrip(")]\"'").endswith(".") and not (short or word.lower() in _ABBREVIATIONS):
            return False
    return True


def _years_at(token: str) -> bool:
    return _YEARS.match(_bare(token)) is not None
