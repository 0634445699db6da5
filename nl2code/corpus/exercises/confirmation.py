"""Exercise problems whose solution stands in other repositories too (paper, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import pyarrow as pa


def confirmed(
    connection: duckdb.DuckDBPyConnection, candidates: str, min_repositories: int
) -> duckdb.DuckDBPyRelation:
    """Return a row for each problem found in at least `min_repositories` other repositories.

    `candidates` names a table of `confirmation_key, repo, commit, path, cell_index,
    boilerplate_code`. Repositories that share a commit are forks of one and count once. Of a
    problem's copies the one with the least boilerplate is returned: readers solve the exercise in
    place, and what they share with the solution is not given. The column `other_repositories` says
    how many confirm it.
    """
    places = connection.sql(f"SELECT DISTINCT repo, commit FROM {candidates} ORDER BY ALL")
    families = forks_as_one(places.fetchall())
    table = pa.table({"repo": list(families), "family": list(families.values())})
    connection.register("families", table)
    return connection.sql(
        f"""WITH counted AS (
                SELECT confirmation_key, count(DISTINCT family) - 1 AS other_repositories
                FROM {candidates} JOIN families USING (repo) GROUP BY 1)
            SELECT candidate.*, other_repositories
            FROM {candidates} candidate JOIN counted USING (confirmation_key)
            WHERE other_repositories >= {min_repositories:d}
            QUALIFY 1 = row_number() OVER (PARTITION BY confirmation_key ORDER BY
                length(boilerplate_code), repo, path, cell_index, commit)
            ORDER BY repo, path, cell_index, confirmation_key"""
    )


def forks_as_one(places: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Name each repository by the first of those that it shares a commit with, near or far.

    >>> forks_as_one([("ada", "c1"), ("bob", "c1"), ("bob", "c2"), ("cy", "c2"), ("di", None)])
    {'ada': 'ada', 'bob': 'ada', 'cy': 'ada', 'di': 'di'}
    """
    parents: dict[str, str] = {}
    owners: dict[str, str] = {}
    for repo, commit in places:
        ours = theirs = _first(parents, repo)
        if commit:
            theirs = _first(parents, owners.setdefault(commit, repo))
        parents[max(ours, theirs)] = min(ours, theirs)
    return {repo: _first(parents, repo) for repo in sorted(parents)}


def _first(parents: dict[str, str], repo: str) -> str:
    while parents.setdefault(repo, repo) != repo:
        parents[repo] = repo = parents[parents[repo]]
    return repo
