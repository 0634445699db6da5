"""What is global: duplicates, and what dev and test hold out of train. Keys only, out of core."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from nl2code.corpus.contamination import CELLS, TEXTS, near_pairs, notebook_cells
from nl2code.corpus.held_cells import keys_that_show
from nl2code.corpus.held_out import HeldOut, halves, split_by_name
from nl2code.corpus.workers import InOrder

PARTS = "read_parquet(getvariable('parts'), filename = true, file_row_number = true)"
"""The candidates' files as a table, in the connection that `choose` was given."""
_ANSWERS = "problem VARCHAR, repo VARCHAR, path VARCHAR, cell_index INTEGER, notebook_key VARCHAR"
_NOTEBOOKS = "repo VARCHAR, path VARCHAR, notebook_key VARCHAR, keys VARCHAR[]"
_KEPT_ROWS = f"{PARTS} JOIN ranked USING (filename, file_row_number)"


@dataclass(frozen=True, slots=True)
class Names:
    """How many different ones the candidates come from."""

    repositories: int
    notebooks: int
    assignments: int


def count_names(connection: duckdb.DuckDBPyConnection, parts: Path) -> Names:
    """Count what can be held out."""
    (counts,) = connection.execute(
        """SELECT count(DISTINCT metadata.repo), count(DISTINCT notebook_key),
            count(DISTINCT assignment) FROM read_parquet(?)""",
        [_files(parts)],
    ).fetchall()
    return Names(*counts)


def _files(parts: Path) -> str:
    return f"{glob.escape(parts.as_posix())}/*.parquet"


def choose(
    connection: duckdb.DuckDBPyConnection,
    parts: Path,
    held_out: HeldOut,
    in_order: InOrder = map,
) -> Counter[str]:
    """Fill the table `ranked` with the rows kept and their `split`; return the drops by reason.

    Of duplicate notebooks, targets and NL one survives: in test rather than dev, in dev rather
    than train, then the first by repository, path and cell. So no notebook, target or NL
    stands in two splits, whatever the order of the input. Of a notebook in several versions,
    told by their commit, cells and kernel, the first counts. Curated problems that were drawn from
    several copies or versions of a notebook stay, if their split is one. A notebook that gives
    dev or test a row, or the exercise to it, gives train none, nor does one that holds another
    answer to such a problem, its prompt or its tests; then what is near to dev or test leaves
    train, and what shows a text of theirs. Whole notebooks leave last, by the cells that the rows
    kept show: so `check` sees what we saw.
    """
    connection.execute("SET VARIABLE parts = ?", [_files(parts)])
    connection.execute(
        f"""CREATE TABLE candidates AS SELECT filename, file_row_number,
            metadata.repo AS repo, metadata.path AS path, metadata.cell_index AS cell, id,
            notebook_key, target_key, nl_key, held_cells, assignment,
            metadata.exercise_path AS exercise_path,
            (coalesce(metadata.commit, ''), notebook_key, coalesce(metadata.license, ''),
                coalesce(kernel, ''))
                AS version
            FROM {PARTS}"""
    )
    _assign_splits(connection, held_out)
    drops: Counter[str] = Counter()
    drops["other_version"] = _drop_all_but(connection, "(repo, path)", "version", "rank, version")
    drops["held_out_notebook"] = _drop_from_two_splits(connection) + _drop_answers(connection)
    if held_out.unit == "curated":
        drops["held_out_notebook"] += _drop_holders(connection)
    drops["duplicate_notebook"] = _drop_all_but(
        connection, "notebook_key", "(repo, path)", "rank, repo, path"
    )
    drops["duplicate_target"] = _drop_duplicates(connection, "target_key")
    drops["duplicate_nl"] = _drop_duplicates(connection, "nl_key")
    for kind in TEXTS:
        rows = f"SELECT ranked.id AS name, {kind.column}, split FROM {_KEPT_ROWS}"
        drops[kind.rule.reason] = _drop_near(
            connection, near_pairs(connection, rows, kind, in_order), "id"
        )
    drops["shows_held_out"] = _drop_shows(connection, parts, in_order)
    rows = notebook_cells(f"(SELECT repo, path, cell_keys, split FROM {_KEPT_ROWS})")
    pairs = near_pairs(connection, rows, CELLS, in_order)
    drops[CELLS.rule.reason] = _drop_near(connection, pairs, "repo || chr(0) || path")
    return drops


def _assign_splits(connection: duckdb.DuckDBPyConnection, held_out: HeldOut) -> None:
    if held_out.unit == "curated":
        column = "assignment"
        splits = halves(dict(_sizes(connection, column)), held_out.seed)
    else:
        column = "repo" if held_out.unit == "repositories" else "notebook_key"
        splits = split_by_name([name for name, _ in _sizes(connection, column)], held_out)
    table = pa.table({"name": list(splits), "split": list(splits.values())})
    connection.register("splits", table)
    connection.execute(
        f"""CREATE TABLE ranked AS SELECT candidates.*, coalesce(splits.split, 'train') AS split,
            list_position(['test', 'dev', 'train'], coalesce(splits.split, 'train')) AS rank
            FROM candidates LEFT JOIN splits ON candidates.{column} = splits.name"""
    )


def _sizes(connection: duckdb.DuckDBPyConnection, column: str) -> list[tuple[str, int]]:
    query = f"SELECT {column}, count(*) FROM candidates WHERE {column} IS NOT NULL GROUP BY 1"
    return connection.sql(query).fetchall()


def _drop_all_but(connection: duckdb.DuckDBPyConnection, key: str, value: str, order: str) -> int:
    """Among the rows of a key, keep those with the value that comes first.

    Each problem of an assignment is drawn from any copy: those in the split of the first stay.
    """
    return _drop(
        connection,
        f"""SELECT * EXCLUDE (first, first_rank) FROM (SELECT *,
               first_value({value}) OVER key AS first, first_value(rank) OVER key AS first_rank
               FROM ranked WINDOW key AS (PARTITION BY {key} ORDER BY {order}))
           WHERE first = {value} OR assignment IS NOT NULL AND rank = first_rank""",
    )


def _drop_duplicates(connection: duckdb.DuckDBPyConnection, key: str) -> int:
    return _drop(
        connection,
        f"""SELECT * FROM ranked QUALIFY 1 = row_number() OVER (
            PARTITION BY {key} ORDER BY rank, repo, path, cell, id)""",
    )


def _drop_from_two_splits(connection: duckdb.DuckDBPyConnection) -> int:
    """Keep a notebook's rows in the first of its splits only, its exercise among its paths."""
    return _drop(
        connection,
        """WITH places AS (
               SELECT repo, path, rank FROM ranked
               UNION ALL SELECT repo, exercise_path, rank FROM ranked),
           first AS (SELECT repo, path, min(rank) AS rank FROM places GROUP BY ALL)
           SELECT ranked.* FROM ranked JOIN first USING (repo, path, rank)""",
    )


def _drop_answers(connection: duckdb.DuckDBPyConnection) -> int:
    """Drop the rows of train whose notebook, or a copy of it, holds a problem of dev or test.

    The table `answers` (problem, repo, path, cell_index, notebook_key) says where each stands,
    whichever answer was drawn: those of other students, and of other repositories' exercises.
    """
    connection.execute(f"CREATE TABLE IF NOT EXISTS answers ({_ANSWERS})")
    return _drop(
        connection,
        """WITH drawn AS (
               SELECT DISTINCT problem FROM answers JOIN ranked
               ON (answers.repo, answers.path, cell_index) = (ranked.repo, ranked.path, cell)
               WHERE assignment IS NOT NULL),
           held AS (SELECT notebook_key FROM answers JOIN drawn USING (problem))
           FROM ranked WHERE assignment IS NOT NULL OR notebook_key NOT IN (FROM held)""",
    )


def _drop_holders(connection: duckdb.DuckDBPyConnection) -> int:
    """Drop the rows of train whose notebook holds the prompt or a test of a problem anywhere.

    So leave students who edited the prompt, or whose answer lost its metadata, and scratch copies.
    """
    connection.execute(f"CREATE TABLE IF NOT EXISTS notebooks ({_NOTEBOOKS})")
    return _drop(
        connection,
        """WITH held AS (SELECT DISTINCT unnest(held_cells) AS key FROM ranked),
           cells AS (SELECT repo, path, notebook_key, unnest(keys) AS key FROM notebooks),
           holders AS (SELECT DISTINCT repo, path, notebook_key FROM cells JOIN held USING (key))
           FROM ranked WHERE assignment IS NOT NULL
           OR (repo, path, notebook_key) NOT IN (FROM holders)""",
    )


def _drop_shows(connection: duckdb.DuckDBPyConnection, parts: Path, in_order: InOrder) -> int:
    """Drop the rows of train in a cell of which NL, target or a test of dev or test stand."""
    keys = pa.array(sorted(keys_that_show(connection, _KEPT_ROWS, parts, in_order)), pa.uint64())
    connection.register("showing", pa.table({"key": keys}))
    return _drop(
        connection,
        f"""WITH cells AS (SELECT filename, file_row_number, unnest(cell_keys) AS key
                FROM {_KEPT_ROWS} WHERE split = 'train'),
            shows AS (SELECT DISTINCT filename, file_row_number FROM cells JOIN showing USING (key))
            FROM ranked ANTI JOIN shows USING (filename, file_row_number)""",
    )


def _drop_near(
    connection: duckdb.DuckDBPyConnection, pairs: Iterable[tuple[str, str]], name: str
) -> int:
    """Drop the rows of train whose `name` is near to dev or test."""
    names = [near for near, _ in pairs]
    connection.register("near", pa.table({"name": pa.array(names, pa.string())}))
    survivors = f"FROM ranked WHERE {name} NOT IN (SELECT name FROM near)"
    return _drop(connection, survivors)


def _drop(connection: duckdb.DuckDBPyConnection, survivors: str) -> int:
    before = _count(connection)
    connection.execute(f"CREATE OR REPLACE TABLE survivors AS {survivors}")
    connection.execute("CREATE OR REPLACE TABLE ranked AS FROM survivors")
    return before - _count(connection)


def _count(connection: duckdb.DuckDBPyConnection) -> int:
    ((count,),) = connection.sql("SELECT count(*) FROM ranked").fetchall()
    return int(count)
