"""Near-duplicates of dev and test in train: targets, NL and notebooks, by their exact similarity.

Similarity is Jaccard's, weighted: the weights two things share over the weights of both. A text
is the multiset of its shingles of three tokens, a notebook the set of its cells. MinHash would
estimate this figure; since only dev and test need an index, its inverted index with a prefix
filter (Chaudhuri et al., ICDE 2006) finds every pair at or above the threshold, costs no more,
and lets `check` prove that none is left.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nl2code.corpus.held_texts import words_apart

Weights = Mapping[Any, int]
"""What a text or notebook consists of, and how much each part counts."""

SHINGLE = 3
_LAYOUT = frozenset(("NEWLINE", "INDENT"))
_FULL_WEIGHT = 255


@dataclass(frozen=True, slots=True)
class Rule:
    """When two things are near-duplicates."""

    reason: str
    similarity: float
    """At least this much, from 0 to 1."""
    shared: int
    """At least so many parts in common: what is shorter is a duplicate only when equal."""


# Thresholds from pairs read by eye, of 21,244 examples of 2,472 real notebooks split by notebook.
# From 0.8 on 19 of 19 targets were one program with other names, literals or imports; from 0.75 to
# 0.8 it was 6 of 10, the others a site's boilerplate.
TARGETS = Rule("near_duplicate_target", 0.8, 10)
# From 0.7 on 26 of 26 NL were one text, edited or about another model; from 0.6 to 0.7 some only
# had a paragraph in common. Few words (`And here's what that looks like`) can stand anywhere.
NLS = Rule("near_duplicate_nl", 0.7, 8)
# From 0.4 on 39 of 39 pairs of notebooks were versions of one, mostly a lab and its solution; from
# 0.3 to 0.4 half were other tutorials of a series.
NOTEBOOKS = Rule("near_duplicate_notebook", 0.4, 3)


def target_parts(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    """The shingles of a target's tokens, layout apart: where long lines wrap says nothing."""
    return shingles([token for token in tokens if token not in _LAYOUT])


def nl_parts(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    """The shingles of the words of an NL, whatever their case and punctuation."""
    return shingles(list(filter(None, map(_word, tokens))))


@lru_cache(maxsize=1 << 16)  # an NL's tokens are a language's words, over and over
def _word(token: str) -> str:
    """The token in lower case; empty without a letter or digit."""
    return token.lower() if any(map(str.isalnum, token)) else ""


def shingles(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Count the runs of three tokens; of fewer tokens there is one run.

    >>> shingles(["a", "b", "a", "b", "a"])
    Counter({('a', 'b', 'a'): 2, ('b', 'a', 'b'): 1})
    """
    if len(tokens) < SHINGLE:
        return Counter([tuple(tokens)])
    return Counter(zip(*(tokens[start:] for start in range(SHINGLE)), strict=False))


@lru_cache(maxsize=256)  # the rows of a notebook follow each other and show the same cells
def cell_key(cell_type: str, text: str) -> int:
    """A digest of the cell, blanks apart; 0 for a blank one.

    The last byte is the cell's weight, its characters up to 255: `import numpy as np`, which
    thousands of notebooks share, counts little beside a paragraph.
    """
    words = words_apart(text)
    if not words:
        return 0
    digest = hashlib.blake2b(f"{cell_type}\0{words}".encode(), digest_size=7).digest()
    return int.from_bytes(digest + bytes([min(len(words), _FULL_WEIGHT)]), "big")


def keys_shown(
    keys: Sequence[int], index: int, code: str, max_cells: int | None, given: str = ""
) -> list[int]:
    """The keys of the cells that an example shows: target, given code, and the context.

    Args:
        keys: `cell_key` of each cell of the notebook.
        index: The target's.
        code: The target.
        max_cells: How many cells its context has at most.
        given: The code that was given with it.
    """
    own = {cell_key("code", code), cell_key("code", given)}
    first = max(0, index - max_cells + bool(given)) if max_cells else 0
    return sorted(own.union(keys[first:index]) - {0})


def notebook_parts(keys: Iterable[int]) -> dict[int, int]:
    """The weight of each cell.

    >>> notebook_parts([cell_key("code", "import numpy as np")]).values()
    dict_values([18])
    """
    return {key: key & _FULL_WEIGHT for key in keys}


class NearIndex:
    """What dev and test hold, to be asked what is near. Memory grows with them, not with train."""

    def __init__(self, held: Iterable[tuple[str, Weights]], rule: Rule) -> None:
        self._rule = rule
        self._held = [(name, parts, sum(parts.values())) for name, parts in held]
        self._places: defaultdict[Hashable, list[int]] = defaultdict(list)
        frequency = Counter(part for _, parts, _ in self._held for part in parts)
        for place, (_, parts, total) in enumerate(self._held):
            for part in _prefix(parts, total, rule.similarity, frequency):
                self._places[part].append(place)

    def near(self, parts: Weights) -> str | None:
        """Return the first that is near these parts, or None."""
        total = sum(parts.values())
        told = self._places.keys() & parts.keys()
        places = {place for part in told for place in self._places[part]}
        for place in sorted(places):
            name, other, other_total = self._held[place]
            if self._is_near(parts, total, other, other_total):
                return name
        return None

    def _is_near(self, one: Weights, one_total: int, other: Weights, other_total: int) -> bool:
        least = self._rule.similarity
        if min(one_total, other_total) < least * max(one_total, other_total):
            return False
        common = one.keys() & other.keys()
        if len(common) < self._rule.shared:
            return False
        shared = sum(min(one[part], other[part]) for part in common)
        return shared >= least * (one_total + other_total - shared)


def _prefix(
    parts: Weights, total: int, similarity: float, frequency: Mapping[Hashable, int]
) -> Iterator[Hashable]:
    """Yield the rarest parts, one of which whatever is near must share.

    The parts left out weigh less than what a near-duplicate has in common.
    """
    left = total
    for part in sorted(parts, key=frequency.__getitem__):
        if left < similarity * total:
            return
        yield part
        left -= parts[part]
