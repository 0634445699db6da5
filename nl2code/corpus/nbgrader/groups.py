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
from itertools import combinations, groupby

from rapidfuzz import fuzz

from nl2code.corpus.nbgrader.cells import SolutionCell

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
    is_release: bool


def problem_key(cell: SolutionCell) -> ProblemKey:
    """The cell's row among the keys."""
    return ProblemKey(
        key=cell.problem_key,
        notebook=cell.notebook_key,
        repo=cell.repo,
        prompt=cell.prompt_key[:_COMPARED_CHARACTERS],
        solution_id=cell.grade_id or "",
        tests=frozenset({*cell.test_keys, *cell.test_checksums}),
        test_ids=frozenset(cell.test_ids),
        is_release=cell.role != "submission",
    )


@dataclass(slots=True)
class _Cluster:
    """Keys that belong together so far."""

    keys: list[str]
    prompt: str
    repos: set[str] = field(default_factory=set)
    tests: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    is_released: bool = False
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
    edited = set(_edited(clusters))
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
            cluster.is_released |= row.is_release
            cluster.tests |= row.tests
            cluster.ids |= row.test_ids | {row.solution_id} - {""}
    return clusters


def _near_pairs(clusters: dict[str, _Cluster]) -> Iterator[tuple[int, float, str, str]]:
    """Yield (rank, -nearness, key, key) of pairs that may be joined; the best sort first.

    Keys that share tests come before those that share ids.
    """
    for rank, cutoff in enumerate((_NEAR_WITH_TESTS, _NEAR_WITH_IDS)):
        for members in _buckets(clusters, with_ids=rank == 1).values():
            for one, other in combinations(sorted(members), 2):
                prompts = clusters[one].prompt, clusters[other].prompt
                if nearness := fuzz.ratio(*prompts, score_cutoff=cutoff):
                    yield rank, -nearness, one, other


def _buckets(
    clusters: dict[str, _Cluster], with_ids: bool
) -> dict[tuple[str, tuple[str, ...]], set[str]]:
    """The keys that share a test or an id, and all that is telling in their prompts."""
    buckets: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for key, cluster in clusters.items():
        words = telling(cluster.prompt, keep_heading=with_ids)
        for name in cluster.ids if with_ids else cluster.tests:
            buckets[name, words].add(key)
    return buckets


_TELLING = re.compile(r"`[^`]*`|\d+(?:\.\d+)*")
_LINK = re.compile(r"\]\([^)]*\)|https?://\S+")
_HEADING_NUMBER = re.compile(r"^#+ *(?:(?:problem|exercise|question|task|part|step) *)?[\d.]+")


def telling(prompt: str, keep_heading: bool) -> tuple[str, ...]:
    """The numbers and the names in code, which differ between two exercises with near prompts.

    New years of a course keep ids, and even tests, of exercises with other columns or numbers. A
    heading may be renumbered where the tests agree, and a link may move to the new year's page.

    >>> telling("## problem 13.2. keep the first 5 rows of `df`", keep_heading=False)
    ('5', '`df`')
    """
    text = prompt if keep_heading else _HEADING_NUMBER.sub("", prompt)
    return tuple(_TELLING.findall(_LINK.sub("", text)))


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
    kept.is_released |= gone.is_released


def _edited(clusters: dict[str, _Cluster]) -> Iterator[str]:
    """Yield the groups of one repository whose tests have another prompt where they come from."""
    known: dict[str, list[str]] = defaultdict(list)
    for key, cluster in clusters.items():
        if cluster.is_released or len(cluster.repos) > 1:
            for test in cluster.tests:
                known[test].append(key)
    for key, cluster in clusters.items():
        if not cluster.is_released and len(cluster.repos) == 1 and cluster.tests:
            origins = (clusters[origin] for origin in known.get(min(cluster.tests), ()))
            if any(_has_all_tests(origin, cluster) for origin in origins):
                yield key


def _has_all_tests(origin: _Cluster, cluster: _Cluster) -> bool:
    # Of one notebook, they are two exercises.
    return cluster.tests <= origin.tests and not cluster.notebooks & origin.notebooks
