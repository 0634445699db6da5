"""What personal data and secrets look like, and what stands in their place.

A pattern bounds what it repeats, or never goes back on it (`*+`), and what it repeats cannot begin
it again: no text, not even a cell of a megabyte, takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_PLACEHOLDER = "REDACTED"
_CHANGES = 3
"""How often a secret goes from letter to digit or back, at least; words and versions do less."""
# The top-level domains of nearly all addresses: without such a list, `x@y.mean` is one. Left out
# are those that are attributes or file suffixes (`data`, `name`, `py`, `md`, `sh`, `so`).
_TOP_LEVEL = (
    "com|org|net|edu|gov|mil|int|info|biz|dev|app|cloud|ac|ae|ai|ar|at|au|be|bg|br|by|ca|ch|cl|"
    "cn|co|cz|de|dk|ee|eg|es|eu|fi|fr|gr|hk|hr|hu|id|ie|il|in|io|ir|is|it|jp|ke|kr|kz|lt|lu|lv|"
    "ma|me|mx|my|ng|nl|no|nz|pe|ph|pk|pl|pt|ro|rs|ru|sa|se|sg|si|sk|th|tn|tr|tv|tw|ua|uk|us|uy|"
    "vn|za|bd|blog|cat|club|jobs|lk|np|online|shop|site|space|store|tech|xyz"
)
_EMAIL = re.compile(
    # `\nada@` in a string is an escape before a name; `{user}@`, `%s@`, `$user@`, `//user@` and
    # the password of a redacted URL are no addresses.
    r"(?:(?<=\\[nrt])|(?<!//)(?<![\w.+\-@})%$\\]))(?!(?:git|hg|password)@)\w[\w.+-]{0,63}+@"
    r"(?!(?:[\w-]{1,63}\.){0,4}(?:example\.(?:com|org|net|edu)|gserviceaccount\.com)\b)"
    rf"(?:[^\W_]{{1,63}}+(?:-[^\W_]{{1,62}}+){{0,8}}\.){{1,8}}(?i:{_TOP_LEVEL})"
    r"(?![\w(\[@-]|\.\w)"
)
_URL_PART = r"[^\s/:@\"'<>{}()\[\]*$\\]++"
_ASSIGNMENT = re.compile(
    # An `=` with more behind it is no padding, but begins the next assignment.
    r"""([=:]\s{0,3}\(?[bfru]?\\?["']|=)"""
    r"([A-Za-z0-9+/_:-]{16,}+(?:={1,2}+(?![A-Za-z0-9+/_:-]))?+)(?![\w.(\[])"
)
_NAME = re.compile(
    r"(?i:(?:api|access|account|app|auth|client|consumer|kaggle|private|secret|storage|subscription)"
    r"[_-]?key|secret|token|passwd|password|pwd)(?i:[_-]?id)?"
    r"""\\?["']?\s{0,3}\]?(?::\s?\w+)?\s{0,3}\Z"""
)
_LONGEST_NAME = 60
_SURELY_RANDOM = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{32,}")
_NAME_PARTS = tuple(
    cased
    for part in ("key", "secret", "token", "passw", "pwd")
    for cased in (part, part.upper(), part.capitalize())
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of personal data or secret; `replacement` may leave what only looks like one."""

    kind: str
    literals: tuple[str, ...]
    """A text with none of these has no match, and they are found faster than any pattern."""
    pattern: re.Pattern[str]
    replacement: Callable[[re.Match[str]], str]


def _token(kind: str, prefix: str, tail: str) -> Rule:
    r"""A token that its prefix tells; the prefix stays, the rest goes.

    The pattern begins with the literal, which `re` finds fastest, and looks back from there. The
    `n` of an escape such as `\n` before a token is no letter of it.
    """
    start = re.escape(prefix)
    alone = rf"(?:(?<=\\[nrt]{start})|(?<![\w\-\\]{start}))"
    pattern = re.compile(rf"{start}{alone}{tail}(?![\w-])")
    return Rule(kind, (prefix,), pattern, lambda match: prefix + _PLACEHOLDER)


def _without_password(url: re.Match[str]) -> str:
    """The beginning of the URL with a dummy name and password, unless `%s` stands for them."""
    is_template = re.search(r"%(?![0-9A-Fa-f]{2})", url[0])
    return url[0] if is_template else "://user:password@"


def _without_key(block: re.Match[str]) -> str:
    """The block with its lines of base64 replaced, its quotes and escapes as they were."""
    return re.sub(r"(\\[nr])|[\w+/=]{16,}+", lambda m: m[1] or _PLACEHOLDER, block[0])


def _without_value(assignment: re.Match[str]) -> str:
    """The assignment without its value, if it gives a secret to a key rather than anything else."""
    start = assignment.start()
    given_to = _NAME.search(assignment.string[max(0, start - _LONGEST_NAME) : start])
    changes = re.findall(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])", assignment[2])
    is_random = len(changes) >= _CHANGES or _SURELY_RANDOM.fullmatch(assignment[2])
    is_secret = given_to and is_random
    return assignment[1] + _PLACEHOLDER if is_secret else assignment[0]


RULES = (
    Rule(
        "url_password",
        ("://",),
        re.compile(rf"://{_URL_PART}:{_URL_PART}@"),
        _without_password,
    ),
    Rule(
        "private_key",
        ("PRIVATE KEY-----",),
        re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*+(?:-{1,4}[^-]++){0,9}-----END "),
        _without_key,
    ),
    _token("aws_key", "AKIA", r"[A-Z0-9]{16}"),
    _token("aws_key", "ASIA", r"[A-Z0-9]{16}"),
    *(_token("github_token", f"gh{letter}_", r"[A-Za-z0-9]{36}") for letter in "pousr"),
    _token("github_token", "github_pat_", r"\w{50,}+"),
    _token("gitlab_token", "glpat-", r"[\w-]{20,}+"),
    *(_token("slack_token", f"xox{letter}-", r"[\w-]{20,}+") for letter in "abeps"),
    _token("slack_token", "hooks.slack.com/services/", r"[\w/]{30,}+"),
    _token("google_key", "AIza", r"[\w-]{35}"),
    _token("google_key", "GOCSPX-", r"[\w-]{24,}+"),
    _token("google_key", "ya29.", r"[\w-]{30,}+"),
    _token("huggingface_token", "hf_", r"[A-Za-z0-9]{30,40}+"),
    _token("llm_key", "sk-", r"(?=[A-Za-z_-]*+\d)(?=[a-z0-9_-]*+[A-Z])[\w-]{20,}+"),
    _token("llm_key", "gsk_", r"[A-Za-z0-9]{40,}+"),
    _token("databricks_token", "dapi", r"[0-9a-f]{32}"),
    _token("stripe_key", "sk_live_", r"[A-Za-z0-9]{16,}+"),
    _token("stripe_key", "rk_live_", r"[A-Za-z0-9]{16,}+"),
    _token("sendgrid_key", "SG.", r"[\w-]{22}\.[\w-]{43}"),
    _token("package_token", "npm_", r"[A-Za-z0-9]{36}"),
    _token("package_token", "pypi-", r"AgE[\w-]{50,}+"),
    _token("jwt", "eyJ", r"[\w-]{10,}+\.[\w-]{10,}+\.[\w-]{10,}+"),
    *(
        _token("bearer", f"{word} ", r"(?=[A-Za-z_-]*+\d)[\w.~+/-]{20,}+=*+")
        for word in ("Bearer", "bearer")
    ),
    Rule(
        "kaggle_key",
        ("username",),
        re.compile(r"""(["']key\\?["']\s{0,4}:\s{0,4}\\?["'])[0-9a-f]{32}\b"""),
        lambda match: match[1] + _PLACEHOLDER,
    ),
    Rule("assigned_secret", _NAME_PARTS, _ASSIGNMENT, _without_value),
    Rule("email", ("@",), _EMAIL, lambda match: "user@example.com"),
)
