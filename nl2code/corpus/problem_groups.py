"""Which solution cells answer one problem: keys of all notebooks → groups of keys.

Ids, points and checksums of real courses are copied, reused and edited, so none is trusted alone:
two keys belong together when their prompts are near and their tests or ids agree, and never when
one notebook holds both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from rapidfuzz import fuzz

from nl2code.corpus.autograder import same_test
from nl2code.corpus.nbgrader import SolutionCell
from nl2code.corpus.targets import digest

EDITED_PROMPT = ""
"""The group of a key whose prompt one student wrote over the one that other repositories have."""

_COMPARED_CHARACTERS = 2_000
_NEAR_WITH_TESTS = 80
_NEAR_WITH_IDS = 90


@dataclass(frozen=True, slots=True)
class ProblemKey:
    """What the grouping needs to know of a solution cell."""

    key: str
    notebook: str
    repo: str
    prompt: str
    solution_id: str
    tests: frozenset[str]
    """Digests of the tests and their checksums."""
    test_ids: frozenset[str]


def problem_key(cell: SolutionCell) -> ProblemKey:
    """The cell's row among the keys."""
    texts = {digest([same_test(test)]) for test in cell.tests}
    return ProblemKey(
        key=cell.problem_key,
        notebook=cell.notebook_key,
        repo=cell.repo,
        prompt=cell.prompt_key[:_COMPARED_CHARACTERS],
        solution_id=cell.grade_id or "",
        tests=frozenset(texts | set(cell.test_checksums)),
        test_ids=frozenset(cell.test_ids),
    )


@dataclass(slots=True)
class _Cluster:
    """Keys that belong together so far."""

    keys: list[str]
    prompt: str
    repos: set[str] = field(default_factory=set)
    tests: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    notebooks: set[int] = field(default_factory=set)
    """Numbers of the different sets of keys that notebooks have."""


def problem_groups(keys: Iterable[ProblemKey]) -> dict[str, str]:
    """Map each problem key to its group, which is called by the first of its keys.

    The keys of a notebook come one after another. Memory holds the different keys, and the
    different sets of keys in a notebook; copies cost nothing.
    """
    clusters = _clusters(keys)
    place = {key: key for key in clusters}
    for _, _, one, other in sorted(set(_near_pairs(clusters))):
        _join(clusters, place, _find(place, one), _find(place, other))
    groups = {key: _find(place, key) for key in place}
    edited = {key for key in clusters if _is_edited(clusters, key)}
    return {key: EDITED_PROMPT if group in edited else group for key, group in groups.items()}


def _clusters(keys: Iterable[ProblemKey]) -> dict[str, _Cluster]:
    clusters: dict[str, _Cluster] = {}
    sets: dict[frozenset[str], int] = {}
    for _, group in groupby(keys, lambda key: (key.repo, key.notebook)):
        rows = list(group)
        number = sets.setdefault(frozenset(row.key for row in rows), len(sets))
        for row in rows:
            cluster = clusters.setdefault(row.key, _Cluster([row.key], row.prompt))
            cluster.notebooks.add(number)
            cluster.repos.add(row.repo)
            cluster.tests |= row.tests
            cluster.ids |= row.test_ids | {row.solution_id} - {""}
    return clusters


def _near_pairs(clusters: dict[str, _Cluster]) -> Iterator[tuple[int, float, str, str]]:
    """Yield (rank, -nearness, key, key) of pairs that may be joined; the best sort first."""
    for rank, buckets in enumerate(_buckets(clusters)):
        for members in buckets.values():
            ordered = sorted(members)
            for number, one in enumerate(ordered):
                for other in ordered[number + 1 :]:
                    nearness = _nearness(clusters[one].prompt, clusters[other].prompt, rank)
                    if nearness:
                        yield rank, -nearness, one, other


def _buckets(clusters: dict[str, _Cluster]) -> Iterator[dict[str, set[str]]]:
    """Yield the keys by what they share: tests, then ids."""
    for names in ("tests", "ids"):
        buckets: dict[str, set[str]] = defaultdict(set)
        for key, cluster in clusters.items():
            for name in getattr(cluster, names):
                buckets[name].add(key)
        yield buckets


_TELLING = re.compile(r"`[^`]*`|\d+(?:\.\d+)*")
_HEADING_NUMBER = re.compile(r"^#+ *(?:(?:problem|exercise|question|task|part|step) *)?[\d.]+")


def _nearness(one: str, other: str, rank: int) -> float:
    """How near two prompts are, 0 to 100; 0 where they may be two exercises.

    Other numbers or names in code ("the first 5", "`width`") make another exercise, even where a
    new year's course kept ids and tests. A heading may be renumbered if the tests agree.

    >>> _nearness("## problem 2. sort the list", "## problem 13.2. sort the list", 0) > 80
    True
    >>> _nearness("drop rows where `a` is null", "drop rows where `b` is null", 0)
    0.0
    """
    pair = (
        (one, other) if rank else (_HEADING_NUMBER.sub("#", one), _HEADING_NUMBER.sub("#", other))
    )
    if _TELLING.findall(pair[0]) != _TELLING.findall(pair[1]):
        return 0.0
    return fuzz.ratio(*pair, score_cutoff=_NEAR_WITH_IDS if rank else _NEAR_WITH_TESTS)


def _find(place: dict[str, str], key: str) -> str:
    while place[key] != key:
        place[key] = place[place[key]]
        key = place[key]
    return key


def _join(clusters: dict[str, _Cluster], place: dict[str, str], one: str, other: str) -> None:
    first, second = sorted((one, other))
    if first == second or clusters[first].notebooks & clusters[second].notebooks:
        return
    kept, gone = clusters[first], clusters.pop(second)
    place[second] = first
    kept.keys += gone.keys
    kept.repos |= gone.repos
    kept.tests |= gone.tests
    kept.ids |= gone.ids
    kept.notebooks |= gone.notebooks


def _is_edited(clusters: dict[str, _Cluster], key: str) -> bool:
    cluster = clusters[key]
    if len(cluster.repos) > 1 or not cluster.tests:
        return False
    others = (other for other in clusters.values() if other is not cluster)
    return any(len(other.repos) > 1 and cluster.tests <= other.tests for other in others)
