"""What must hold between the splits: nothing stands in two, nothing near dev or test in train."""

from __future__ import annotations

import glob
from collections.abc import Iterator

import duckdb

from nl2code.corpus.check.files import Splits
from nl2code.corpus.contamination import CELLS, TEXTS, near_pairs, notebook_cells
from nl2code.corpus.near_duplicates import NOTEBOOKS

_NAMED = "repo <> '' AND path <> ''"
_ROWS = "all_rows"

DUPLICATES = {
    "no target stands in two splits": f"SELECT code_tokens_clean AS key, split, id FROM {_ROWS}",
    "no NL stands in two splits": f"SELECT nl AS key, split, id FROM {_ROWS}",
    "no notebook (repo, path) stands in two splits": (
        f"SELECT (repo, path) AS key, split, id FROM {_ROWS} WHERE {_NAMED}"
    ),
    # Of fewer cells the target alone decides.
    "no copy of a notebook stands in two splits": (
        f"SELECT list_sort(cell_keys) AS key, split, replace(name, chr(0), '/') AS id"
        f" FROM ({notebook_cells('shown')}) WHERE len(cell_keys) >= {NOTEBOOKS.shared}"
    ),
    "no exercise to a dev or test problem is in train": (
        f"""SELECT [repo, path] AS key, split, id FROM {_ROWS} WHERE split = 'train' AND {_NAMED}
            UNION ALL SELECT [repo, exercise], 'dev or test', id FROM {_ROWS}
            WHERE split <> 'train' AND exercise IS NOT NULL"""
    ),
}


def open_rows(connection: duckdb.DuckDBPyConnection, splits: Splits) -> None:
    """Make the view `all_rows` of the splits' files, and the table `shown` for their cells."""
    selects = []
    for split, files in splits.items():
        connection.execute(f"SET VARIABLE {split} = ?", [[glob.escape(file) for file in files]])
        table = f"read_parquet(getvariable('{split}'))"
        exercise = "NULL::VARCHAR"
        if _has_exercises(connection, table):
            exercise = "metadata.exercise_path"
        selects.append(
            f"""SELECT '{split}' AS split, id, code_tokens_clean, nl, metadata.repo AS repo,
                metadata.path AS path, {exercise} AS exercise FROM {table}"""
        )
    connection.execute(f"CREATE VIEW {_ROWS} AS {' UNION ALL '.join(selects)}")
    connection.execute(
        "CREATE TABLE shown (split VARCHAR, repo VARCHAR, path VARCHAR, cell_keys UBIGINT[],"
        " own_keys UBIGINT[])"
    )


def _has_exercises(connection: duckdb.DuckDBPyConnection, table: str) -> bool:
    ((metadata,),) = connection.sql(
        f"SELECT column_type FROM (DESCRIBE SELECT metadata FROM {table})"
    ).fetchall()
    return "exercise_path" in metadata


def counts(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, int]]:
    """Return each split's examples, repositories and notebooks."""
    rows = connection.sql(
        f"""SELECT split, count(*), count(DISTINCT repo), count(DISTINCT (repo, path))
            FROM {_ROWS} GROUP BY split"""
    ).fetchall()
    names = ("examples", "repositories", "notebooks")
    return {split: dict(zip(names, figures, strict=True)) for split, *figures in rows}


def repeated_ids(connection: duckdb.DuckDBPyConnection) -> tuple[int, int, str]:
    """Return the rows, the ids that more than one of them or none has, and the first of these."""
    return _one(
        connection,
        f"""SELECT (SELECT count(*) FROM {_ROWS}), count(*), min(coalesce(id, 'null')) FROM (
            SELECT id FROM {_ROWS} GROUP BY id HAVING count(*) > 1 OR id IS NULL)""",
    )


def in_two_splits(connection: duckdb.DuckDBPyConnection, rows: str) -> tuple[int, int, str]:
    """Return the keys of the SQL `rows` (key, split, id), those in two splits, and an example."""
    return _one(
        connection,
        f"""WITH firsts AS (SELECT key, split, min(id) AS id FROM ({rows}) GROUP BY key, split),
            keys AS (SELECT count(*) AS splits,
                     string_agg(split || ' ' || id, ', ' ORDER BY split) AS ids
                     FROM firsts GROUP BY key)
            SELECT count(*), count(*) FILTER (splits > 1), min(ids) FILTER (splits > 1)
            FROM keys""",
    )


SHOWS = "no train row shows the NL, target or tests of dev or test (50 characters or more)"


def shows_held_out(connection: duckdb.DuckDBPyConnection) -> tuple[int, int, str]:
    """Return the rows of train, those that show such a cell, and the notebook of the first."""
    return _one(
        connection,
        """WITH held AS (SELECT DISTINCT unnest(own_keys) AS key FROM shown WHERE split <> 'train'),
           train AS (SELECT row_number() OVER () AS number, repo || '/' || path AS place, cell_keys
               FROM shown WHERE split = 'train'),
           cells AS (SELECT number, place, unnest(cell_keys) AS key FROM train),
           found AS (SELECT DISTINCT number, place FROM cells JOIN held USING (key))
           SELECT (SELECT count(*) FROM train), count(*), min(place) FROM found""",
    )


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[int, int, str]:
    ((checked, violations, example),) = connection.sql(query).fetchall()
    return checked, violations, example or ""


def near_findings(
    connection: duckdb.DuckDBPyConnection,
) -> Iterator[tuple[str, int, int, str]]:
    """Yield for targets, NL and notebooks: the claim, those in train, the near ones, the first."""
    texts = [
        (kind, f"SELECT coalesce(id, 'null') AS name, {kind.column}, split FROM {_ROWS}")
        for kind in TEXTS
    ]
    for kind, rows in [*texts, (CELLS, notebook_cells("shown"))]:
        claim = f"no {kind.rule.reason} in train ({kind.rule.similarity} or more in common)"
        near = min(pairs) if (pairs := set(near_pairs(connection, rows, kind))) else None
        example = f"train {near[0]}, held out {near[1]}".replace("\0", "/") if near else ""
        ((train,),) = connection.sql(
            f"SELECT count(*) FROM ({rows}) WHERE split = 'train'"
        ).fetchall()
        yield claim, train, len({name for name, _ in pairs}), example
