"""The constants of a sentence and their types, recognised in the order of section 4."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from nl2code.bash_nl.words import NUMBERS, is_quoted, raw_tokens

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_SPANS = {
    "Size": re.compile(
        r"\d+(?:\.\d+)?(?:[bckmgt]|\s?(?:[kmgtp]i?b|bytes?|(?:kilo|mega|giga|tera)bytes?))"
    ),
    "Timespan": re.compile(rf"\d+(?:\.\d+)?(?:\s?{_UNIT}|[hsd])"),
    "DateTime": re.compile(
        rf"\d{{4}}[-/]\d{{2}}[-/]\d{{2}}|\d{{1,2}}:\d\d(?::\d\d)?\s?(?:[ap]m)?"
        rf"|{_MONTH} {_DAY}(?:,? \d{{4}})?|{_DAY} {_MONTH}(?:,? \d{{4}})?|{_MONTH},? \d{{4}}"
    ),
    "Permission": re.compile(r"(?:[ugoa]*[-+=][rwxst]+)(?:,[ugoa]*[-+=][rwxst]+)*"),
}
"""Each may stand in up to three words: `10 MB`, `May 3rd 2013`."""
_MOST_WORDS = 3
_OCTAL = re.compile(r"[0-7]{3,4}")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_FILE = re.compile(r"[^/]*\.[A-Za-z][A-Za-z0-9]{0,4}|\.[\w.-]+|.*/[^/]*\.[A-Za-z][A-Za-z0-9]{0,4}")
_DIRECTORY = re.compile(r"~[^\s]*|\.{1,2}|.*/.*")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_EXTENSIONS = """
7z avi bak bat bmp bz2 c cc cfg class conf cpp css csv cxx deb dll doc docx dot eps exe flac flv gif
gz h hpp htm html ini iso jar java jpeg jpg js json log lua m4a md mkv mov mp3 mp4 mpeg mpg o obj
odt ogg pdf php pl png ppt pptx properties ps py pyc rar rb rpm rst rtf sh sql svg swf tar tex tgz
tif tiff tmp ttf txt war wav wma wmv xls xlsx xml xz yaml yml zip
"""
EXTENSIONS = frozenset(_EXTENSIONS.split())
"""A word of these before `file` says what the file's name ends in (section 4)."""
_FILES = frozenset(["file", "files", "image", "images", "picture", "pictures", "video", "videos"])


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A word, or a constant of one or more."""

    text: str
    type: str
    """Empty for a word that is no constant."""


def typed_words(nl: str, english: Collection[str] | None = None) -> list[TypedWord]:
    """The sentence with its constants found and typed; stop words are still there.

    Args:
        nl: The sentence.
        english: Words that are English, in lower case; any other is a Regex. Without them, only
            words of odd characters are.

    >>> [(word.text, word.type) for word in typed_words('10 MB of "a.txt" in /tmp') if word.type]
    [('10 MB', 'Size'), ('"a.txt"', 'File'), ('/tmp', 'Directory')]
    >>> [(word.text, word.type) for word in typed_words("mp3 files") if word.type]
    [('mp3', 'File')]
    """
    tokens = raw_tokens(nl)
    permissions = re.search(r"permission|\bmode\b|chmod", nl, re.IGNORECASE) is not None
    found = []
    while tokens:
        text, kind, count = _span(tokens)
        if not count:
            text, count = NUMBERS.get(tokens[0].lower(), tokens[0]), 1
            kind = _type(text, permissions, english)
            if is_extension(text) and tokens[1:] and tokens[1].lower() in _FILES:
                kind = "File"
        found.append(TypedWord(text, kind))
        tokens = tokens[count:]
    return found


def is_extension(word: str) -> bool:
    """Whether the word is what many files' names end in.

    >>> is_extension("PDF"), is_extension("foo")
    (True, False)
    """
    return word.lower() in EXTENSIONS


def _span(tokens: list[str]) -> tuple[str, str, int]:
    """The constant that starts here, its type and how many words it takes; none takes 0."""
    words = [NUMBERS.get(token.lower(), token) for token in tokens[:_MOST_WORDS]]
    for kind, pattern in _SPANS.items():
        for count in range(len(words), 0, -1):
            text = " ".join(words[:count])
            if pattern.fullmatch(text.strip('"').lower()):
                return text, kind, count
    return "", "", 0


def _type(token: str, permissions: bool, english: Collection[str] | None) -> str:
    word = token.strip('"')
    if _OCTAL.fullmatch(word) and permissions:
        return "Permission"
    if _NUMBER.fullmatch(word):
        return "Number"
    if "*" not in word:
        if _FILE.fullmatch(word):
            return "File"
        if _DIRECTORY.fullmatch(word):
            return "Directory"
    if is_quoted(token) or not _WORD.fullmatch(word):
        return "Regex"
    return "Regex" if english is not None and word.lower() not in english else ""
