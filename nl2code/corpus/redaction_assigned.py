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
_PLACE = re.compile(r"://|\.[a-z]{2,6}\Z")
"""What a URL and the name of a file have, and no secret."""
NAME_PARTS = tuple(
    cased
    for part in ("key", "secret", "token", "passw", "pwd", "authorization", "appid")
    for cased in (part, part.upper(), part.capitalize())
)
_CHARACTERS = r"A-Za-z0-9+/_\-"
ASSIGNMENT = re.compile(
    # After a quote; behind the comma of `setdefault('API_KEY', '…')`, and in `set_token('…')`.
    r"""((?:[=:]|(?<=["']),|(?<=oken)\(|(?<=_key)\()\s{0,3}\(?[bfru]{0,2}\\?["'`]{1,3}"""
    r"(?:(?:[Bb]asic|[Tt]oken|[Kk]ey|[Aa]pi[Kk]ey) )?)"
    rf"([{_CHARACTERS}:.~$!&%#@^*?=|;,]{{16,}}+)(?![\w(\[<>{{}}])"
    # Bare, where an `=` with more behind it is no padding, but begins the next assignment.
    rf"|(=\s{{0,3}}[`*]{{0,3}})([{_CHARACTERS}:]{{16,}}+(?:={{1,2}}+(?![{_CHARACTERS}:]))?+)"
    r"(?![\w.(\[])"
    rf"|(:\s{{0,3}}[`*]{{0,3}}\s?)([{_CHARACTERS}]{{16,}}+(?:={{1,2}}+)?+)(?![\w.(\[:])"
)
STATEMENT = re.compile(rf"( is:? ?[`'\"*]{{0,3}})([{_CHARACTERS}]{{16,}}+)(?![\w.(\[])")


def without_value(assignment: re.Match[str]) -> str:
    """The assignment without its value, if it gives a secret to a key rather than anything else."""
    opening, value = (group for group in assignment.groups() if group is not None)
    start = assignment.start()
    given_to = _NAME.search(assignment.string[max(0, start - _LONGEST_NAME) : start])
    is_secret = given_to and _is_random(value) and not _PLACE.search(value)
    return opening + PLACEHOLDER if is_secret else assignment[0]


def _is_random(value: str) -> bool:
    changes = re.findall(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])", value)
    return len(changes) >= _CHANGES or _SURELY_RANDOM.fullmatch(value) is not None
