"""Personal data and secrets → placeholders of the same kind, in every cell, at first."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from ahocorasick_rs import BytesAhoCorasick

from nl2code.corpus.redaction_rules import RULES, Rule
from nl2code.records import Notebook

REDACTION_RULE = (
    "In markdown and code alike, e-mail addresses became `user@example.com`, names and passwords "
    "in URLs `user:password`, and these `REDACTED`: the bodies of private keys; tokens with a "
    "known prefix (AWS, GitHub, GitLab, Slack, Google, Hugging Face, OpenAI, Anthropic, Groq, "
    "Databricks, Stripe, SendGrid, PyPI, npm, Mapbox, Telegram, JSON web tokens); tokens after "
    "`Bearer`, `token`, `authtoken` or `wandb login`, and those for a URL's user; URLs' "
    "signatures; Kaggle's keys; and values of 16 characters or more that mix letters and digits "
    "as no word does and are given to an API key, token, secret, password, `Authorization` or "
    "`appid`. Addresses at example.com, Git remotes and service accounts stay, and so do "
    "addresses that could be a product of matrices, names, phone numbers, IP addresses and short "
    "passwords, which no pattern tells from ordinary text."
)
"""What the card says about `redact`."""


def redact(text: str, counts: Counter[str]) -> str:
    """Return the text with placeholders for personal data and secrets; count them by kind.

    Strings stay strings and what is redacted already stays as it is.

    >>> counts = Counter()
    >>> redact("write to ada" + "@lovelace.org", counts), redact("(A@B.mean(), x@y.T)", counts)
    ('write to user@example.com', '(A@B.mean(), x@y.T)')
    >>> counts
    Counter({'email': 1})
    """
    return _apply_all(_rules_for(text), text, counts)


def redact_notebook(notebook: Notebook, counts: Counter[str]) -> Notebook:
    """Return the notebook with every cell's source redacted; outputs stay, no row holds them."""
    # Few rules have something to look for in any of its cells.
    rules = _rules_for("\n".join(cell.source for cell in notebook.cells))
    if not rules:
        return notebook
    cells = tuple(
        cell
        if (source := _apply_all(rules, cell.source, counts)) == cell.source
        else replace(cell, source=source)
        for cell in notebook.cells
    )
    return replace(notebook, cells=cells)


def _rules_for(text: str) -> list[Rule]:
    """The rules whose literals the text has."""
    # As bytes, since a notebook may hold lone surrogates.
    matches = _AUTOMATON.find_matches_as_indexes(_utf8(text), overlapping=True)
    literals = {literal for literal, _, _ in matches}
    found = {number for literal in literals for number in _RULES_OF_LITERAL[literal]}
    return [RULES[number] for number in sorted(found)]


def _apply_all(rules: list[Rule], text: str, counts: Counter[str]) -> str:
    for rule in rules:
        # Looking for many takes longer than the pattern.
        if len(rule.literals) > 1 or rule.literals[0] in text:
            text = _apply(rule, text, counts)
    return text


def _apply(rule: Rule, text: str, counts: Counter[str]) -> str:
    def place(match: re.Match[str]) -> str:
        placed = rule.replacement(match)
        if placed != match[0]:
            counts[rule.kind] += 1
        return placed

    return rule.pattern.sub(place, text)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_LITERALS = tuple(dict.fromkeys(literal for rule in RULES for literal in rule.literals))
_RULES_OF_LITERAL = [
    [number for number, rule in enumerate(RULES) if literal in rule.literals]
    for literal in _LITERALS
]
_AUTOMATON = BytesAhoCorasick([_utf8(literal) for literal in _LITERALS])
