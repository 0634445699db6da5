"""Values that are given to a key, token, secret or password: by code, JSON, a URL or prose."""

from __future__ import annotations

import re

PLACEHOLDER = "REDACTED"
_CHANGES = 3
"""How often a secret goes from letter to digit or back, at least; words and versions do less."""
_SERVICES = (
    "aws|azure|bing|census|comet|encryption|fred|gmaps?|google(?:_?maps)?|mailgun|mapbox|maps|nasa|"
    "neptune|news|nyt|openai|openweather(?:map)?|owm|quandl|rapidapi|sendgrid|signing|stripe|"
    "tmdb|twitter|wandb|weather|yelp|youtube"
)
_NAME = re.compile(
    r"(?:(?i:(?:api|access|account|app|auth|client|consumer|kaggle|private|secret|storage|"
    rf"subscription|(?<![a-z])(?:{_SERVICES}))[ _.-]?key|secret|token|passwd|password|pwd|"
    r"authorization|(?<![a-z_])appid)(?i:[_-]?(?:id|\d{1,2}))?"
    # A bare `key` is mostly a dictionary's or a file's on S3.
    r"|(?:[Ll]ogin|[Cc]lient)\((?:[^()]{0,60},\s{0,3})?key)"
    r"""\\?["'`*]{0,3}\s{0,3}\]?(?::\s?\w+)?\s{0,3}[=!:]?\Z"""
)
_LONGEST_NAME = 60
_SURELY_RANDOM = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{32,}")
_NO_SECRET = re.compile(r"://|\.\.\.|\.[a-z]{2,6}\Z")
"""What a URL, a shortened value and the name of a file have, and no secret."""
_WORDS = ("key", "secret", "token", "password", "passwd", "pwd", "authorization", "appid")
_CHARACTERS = r"A-Za-z0-9+/_\-"
_OPENING = r"""\s{0,3}\(?[bfru]{0,2}\\?["'`]{1,3}(?:(?:[Bb]asic|[Tt]oken|[Kk]ey|[Aa]pi[Kk]ey) )?"""
_QUOTED = rf"{_OPENING}([{_CHARACTERS}:.~$!&%#@^*?=|;,]{{16,}}+)(?![\w(\[<>{{}}])"
# An `=` with more behind it is no padding, but begins the next assignment.
_BARE = (
    rf"[\s`*]{{0,6}}+([{_CHARACTERS}:]{{16,}}+(?:={{1,2}}+(?![{_CHARACTERS}:]))?+)"
    r"(?![\w.(\[])"
)
_BARE_AFTER_COLON = rf"[\s`*]{{0,6}}+([{_CHARACTERS}]{{16,}}+(?:={{1,2}}+)?+)(?![\w.(\[:])"
_STATED = rf":? ?[`'\"*]{{0,3}}([{_CHARACTERS}]{{16,}}+)(?![\w.(\[])"


def _named(*ends: str) -> tuple[str, ...]:
    """How names end, with what follows them."""
    words = (cased for word in _WORDS for cased in (word, word.upper(), word.capitalize()))
    return tuple(word + end for word in words for end in ends)


ASSIGNMENTS = (
    # Each pattern begins with one character, which `re` finds fastest.
    (_named(""), re.compile(rf"=(?:{_QUOTED}|{_BARE})")),
    (_named(""), re.compile(rf":(?:{_QUOTED}|{_BARE_AFTER_COLON})")),
    # As in `setdefault('API_KEY', '…')`, `set_token('…')`, "My API key is `…`".
    (_named("',", '",'), re.compile(rf",(?<=[\"'],){_QUOTED}")),
    (("oken(", "_key("), re.compile(rf"\((?:(?<=oken\()|(?<=_key\()){_QUOTED}")),
    (_named(" is", "` is"), re.compile(rf" is{_STATED}")),
)
"""Texts with none of the literals have no match of the pattern, whose last group is a value."""


def without_value(assignment: re.Match[str]) -> str:
    """The assignment without its value, if it gives a secret to a key rather than anything else."""
    value = assignment[assignment.lastindex or 0]
    start = assignment.start()
    given_to = _NAME.search(assignment.string[max(0, start - _LONGEST_NAME) : start])
    if given_to and is_random(value) and not _NO_SECRET.search(value):
        return assignment[0].removesuffix(value) + PLACEHOLDER
    # It may hold another, as a URL does that is given to a variable.
    return assignment[0][0] + assignment.re.sub(without_value, assignment[0][1:])


def is_random(value: str) -> bool:
    """Whether letters and digits alternate as in no word, name or version.

    >>> is_random("a1B2c3D4e5F6g7H8"), is_random("distilbert-base-uncased-v2")
    (True, False)
    """
    changes = re.findall(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])", value)
    return len(changes) >= _CHANGES or _SURELY_RANDOM.fullmatch(value) is not None
