"""Which pairs make the corpus (section 2 of the paper); each "no" is a counted reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from nl2code.bash_nl.words import raw_tokens
from nl2code.corpus.nl2bash.commands import Command, ReadCommand
from nl2code.corpus.nl2bash.sources import Pair

MAX_WORDS = 50
MAX_CHARACTERS = 2_000
"""The longest sentence of the corpus has 387; to find quotes in a book would take hours."""
TOP_UTILITIES = 100
"""As many utilities make the corpus, more where the last have the same count."""
_OTHER_TOOLS = (
    "cpp g++ java perl python ruby nano emacs vim awk sed less more screen brew yum apt-get tmux"
)
_SHELL_STATE = "alias unalias set unset source export shift true false pushd popd"
DROPPED_UTILITIES = frozenset([*_OTHER_TOOLS.split(), *_SHELL_STATE.split()])
"""Other languages, editors, pagers, package managers; and what changes the shell itself."""
_SURE = 0.9
_IDENTIFIABLE_WORDS = 5

Funnel = list[tuple[str, str, int]]
"""(stage, reason, count), `kept` closes a stage."""
STAGES = ("sentence", "command", "utility")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A pair whose command has been read."""

    pair: Pair
    command: Command


@dataclass(frozen=True, slots=True)
class Chosen:
    """What makes the corpus and what does not."""

    kept: list[Parsed]
    dropped: dict[int, tuple[str, str]]
    """Stage and reason, by line."""

    def funnel(self) -> Funnel:
        """The counts of each stage, the most frequent reason first."""
        rows: Funnel = []
        left = len(self.kept) + len(self.dropped)
        for stage in STAGES:
            reasons = Counter(reason for at, reason in self.dropped.values() if at == stage)
            counted = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
            rows += [(stage, reason, count) for reason, count in counted]
            left -= reasons.total()
            rows.append((stage, "kept", left))
        return rows


def choose(pairs: Iterable[Pair], read: ReadCommand) -> Chosen:
    """Return the pairs that make the corpus, in their order, and why the others do not."""
    parsed = []
    dropped: dict[int, tuple[str, str]] = {}
    for pair in pairs:
        if reason := why_unusable(pair):
            dropped[pair.line] = ("sentence", reason)
        elif isinstance(command := read(pair.command), str):
            dropped[pair.line] = ("command", command)
        else:
            parsed.append(Parsed(pair, command))
    allowed = allowed_utilities(row.command.utilities for row in parsed)
    kept = [row for row in parsed if allowed.issuperset(row.command.utilities)]
    others = {row.pair.line for row in parsed} - {row.pair.line for row in kept}
    return Chosen(kept, dropped | dict.fromkeys(sorted(others), ("utility", "other_utility")))


def why_unusable(pair: Pair) -> str | None:
    """Why the pair is none, whatever a parse of the command says; None to keep it."""
    if not pair.nl.strip():
        return "empty_nl"
    if not pair.command.strip():
        return "empty_command"
    if "\0" in pair.nl + pair.command:  # no file's name and no argument can hold it
        return "null_byte"
    if len(pair.nl) > MAX_CHARACTERS or len(raw_tokens(pair.nl)) > MAX_WORDS:
        return "long_nl"
    return "other_language" if is_foreign(pair.nl) else None


def is_foreign(nl: str) -> bool:
    """Whether the sentence is surely not English; names of files and users look like anything.

    >>> is_foreign("Affiche tous les fichiers du répertoire courant et leur taille")
    True
    >>> is_foreign("Find all the files named élan")
    False
    """
    words = re.findall(r"[^\W\d_]+", " ".join(word for word in raw_tokens(nl) if word[0] != '"'))
    letters = "".join(words)
    if sum(not letter.isascii() for letter in letters) > len(letters) / 2:
        return True
    if len(words) < _IDENTIFIABLE_WORDS:
        return False
    language, probability = _languages().classify(" ".join(words))
    return bool(language != "en" and probability > _SURE)


@cache
def _languages() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    return identifier


def allowed_utilities(commands: Iterable[Sequence[str]]) -> frozenset[str]:
    """The most frequent utilities, without those that are dropped.

    >>> sorted(allowed_utilities([["ls", "wc"], ["ls", "sed"]]))
    ['ls', 'wc']
    """
    counts = Counter(utility for utilities in commands for utility in utilities)
    for utility in DROPPED_UTILITIES:
        del counts[utility]
    least = min((count for _, count in counts.most_common(TOP_UTILITIES)), default=0)
    return frozenset(utility for utility, count in counts.items() if count >= least)
