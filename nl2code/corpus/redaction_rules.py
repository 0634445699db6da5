"""What personal data and secrets look like, and what stands in their place.

A pattern bounds what it repeats, or never goes back on it (`*+`), and what it repeats cannot begin
it again: no text, not even a cell of a megabyte, takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from nl2code.corpus.redaction_assigned import (
    ASSIGNMENTS,
    PLACEHOLDER,
    is_random,
    without_value,
)
from nl2code.corpus.redaction_emails import EMAIL, without_email

_URL_NAME = r"[^\s/:@\"'<>{}()\[\]*$\\]"
# A password may hold what its URL should have escaped; `$PASS` and `.*` are no passwords.
# Behind its last `@` comes the host, which has none of what others may follow.
_URL_PASSWORD = (
    rf"(?!\.\*){_URL_NAME}[^\s/@\"'<>{{}}()\[\]\\]*+@"
    r"(?:[^\s/@\"'<>{}()\[\]\\?#&,;=|]*+@)*+(?!<)"
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
    return Rule(kind, (prefix,), pattern, lambda match: prefix + PLACEHOLDER)


def _without_password(url: re.Match[str]) -> str:
    """The beginning of the URL with a dummy name and password, unless `%s` stands for them."""
    is_template = re.search(r"%(?![0-9A-Fa-f]{2})", url[0])
    return url[0] if is_template else "://user:password@"


def _without_user(url: re.Match[str]) -> str:
    """The beginning of the URL without a token for its user, as in `https://TOKEN@host`."""
    return f"://{PLACEHOLDER}@" if is_random(url[1]) else url[0]


def _without_key(block: re.Match[str]) -> str:
    """The block with its lines of base64 replaced, its quotes and escapes as they were."""
    return re.sub(r"(\\[nr])|[\w+/=]{16,}+", lambda m: m[1] or PLACEHOLDER, block[0])


_MIXED = r"(?=[A-Za-z_]*+\d)(?=[a-z0-9_]*+[A-Z])\w{25,}+"
RULES = (
    Rule(
        "url_password",
        ("://",),
        re.compile(rf"://{_URL_NAME}*+:{_URL_PASSWORD}"),
        _without_password,
    ),
    Rule("url_password", ("://",), re.compile(r"://([A-Za-z0-9_\-]{32,}+)@"), _without_user),
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
    # Elsewhere than in a header, an ordinary word may follow "token".
    *(
        _token("bearer", f"{word} ", r"(?=\d*+[a-f])[0-9a-f]{32,64}+")
        for word in ("Token", "token")
    ),
    *(_token("ngrok_token", f"{word} ", _MIXED) for word in ("authtoken", "add-authtoken")),
    _token("wandb_key", "wandb login ", r"[0-9a-f]{40}"),
    _token("wandb_key", "wandb login --relogin ", r"[0-9a-f]{40}"),
    _token("mapbox_token", "pk.eyJ", r"[\w-]{20,}+\.[\w-]{20,}+"),
    _token("mapbox_token", "sk.eyJ", r"[\w-]{20,}+\.[\w-]{20,}+"),
    Rule(
        "telegram_token",
        (":AA",),
        re.compile(r":AA(?<=\d{8}:AA)[\w-]{32,33}(?![\w-])"),
        lambda match: ":AA" + PLACEHOLDER,
    ),
    _token("url_signature", "sig=", r"(?=[A-Za-z%+/]*+\d)[A-Za-z0-9%+/]{40,}+=*+"),
    _token("url_signature", "Signature=", r"(?=[A-Za-z%+/_~-]*+\d)[\w%+/~-]{40,}+=*+"),
    Rule(
        "kaggle_key",
        ("username",),
        re.compile(r"""(["']key\\?["']\s{0,4}:\s{0,4}\\?["'])[0-9a-f]{32}\b"""),
        lambda match: match[1] + PLACEHOLDER,
    ),
    *(Rule("assigned_secret", names, form, without_value) for names, form in ASSIGNMENTS),
    Rule("email", ("@",), EMAIL, without_email),
)
