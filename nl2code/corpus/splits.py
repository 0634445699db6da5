"""What is global: duplicates, and which repository goes to which split. Keys only, out of core."""

from __future__ import annotations

import glob
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb
import pyarrow as pa

from nl2code.corpus.contamination import CELLS, TEXTS, Kind, near_pairs, notebook_cells
from nl2code.corpus.schema import FEATURES
from nl2code.errors import UserError

SPLITS = ("train", "dev", "test")
HELD_OUT_SHARE = 0.1
"""The share of the repositories that dev takes, and test as well."""

Unit = Literal["repositories", "notebooks"]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How dev and test are held out."""

    unit: Unit = "repositories"
    seed: int = 0


PARTS = "read_parquet(getvariable('parts'), filename = true, file_row_number = true)"
"""The candidates' files as a table, in the connection that `choose` was given."""
_KEPT_ROWS = f"{PARTS} JOIN ranked USING (filename, file_row_number)"
_EXERCISE = "metadata.exercise_path" if "exercise_path" in FEATURES["metadata"] else "NULL::VARCHAR"


def choose(connection: duckdb.DuckDBPyConnection, parts: Path, held_out: HeldOut) -> Counter[str]:
    """Fill the table `kept` (filename, file_row_number, split); return the drops by reason.

    Of duplicate notebooks, targets and NL one survives: in test rather than dev, in dev rather
    than train, then the first by repository, path and cell. So no notebook, target or NL
    stands in two splits, whatever the order of the input. Of a notebook in several versions,
    told by their commit and cells, the first counts. A notebook that gives dev or test a row, or
    the exercise to it, gives train none; then what is near to dev or test leaves train. Whole
    notebooks leave last, by the cells that the rows kept show: so `check` sees what we saw.
    """
    connection.execute("SET VARIABLE parts = ?", [f"{glob.escape(parts.as_posix())}/*.parquet"])
    connection.execute(
        f"""CREATE TABLE candidates AS SELECT filename, file_row_number,
            metadata.repo AS repo, metadata.path AS path, metadata.cell_index AS cell, id,
            notebook_key, target_key, nl_key, {_EXERCISE} AS exercise_path,
            (coalesce(metadata.commit, ''), notebook_key, coalesce(metadata.license, '')) AS version
            FROM {PARTS}"""
    )
    _assign_splits(connection, held_out)
    drops: Counter[str] = Counter()
    drops["other_version"] = _drop_all_but(connection, "(repo, path)", "version", "version")
    drops["held_out_notebook"] = _drop_from_two_splits(connection)
    drops["duplicate_notebook"] = _drop_all_but(
        connection, "notebook_key", "(repo, path)", "rank, repo, path"
    )
    drops["duplicate_target"] = _drop_duplicates(connection, "target_key")
    drops["duplicate_nl"] = _drop_duplicates(connection, "nl_key")
    for kind in TEXTS:
        rows = f"SELECT ranked.id AS name, {kind.column}, split FROM {_KEPT_ROWS}"
        drops[kind.rule.reason] = _drop_near(connection, rows, kind, "id")
    if "cell_keys" in connection.sql(f"FROM {PARTS} LIMIT 0").columns:
        rows = notebook_cells(f"(SELECT repo, path, cell_keys, split FROM {_KEPT_ROWS})")
        drops[CELLS.rule.reason] = _drop_near(connection, rows, CELLS, "repo || chr(0) || path")
    connection.execute("CREATE VIEW kept AS SELECT filename, file_row_number, split FROM ranked")
    return drops


def _assign_splits(connection: duckdb.DuckDBPyConnection, held_out: HeldOut) -> None:
    column = "repo" if held_out.unit == "repositories" else "notebook_key"
    names = connection.sql(f"SELECT DISTINCT {column} FROM candidates").fetchall()
    splits = split_by_name([name for (name,) in names], held_out)
    table = pa.table({"name": list(splits), "split": list(splits.values())})
    connection.register("splits", table)
    connection.execute(
        f"""CREATE TABLE ranked AS SELECT candidates.*, split,
            list_position(['test', 'dev', 'train'], split) AS rank
            FROM candidates JOIN splits ON candidates.{column} = splits.name"""
    )


def split_by_name(names: list[str], held_out: HeldOut) -> dict[str, str]:
    """Return the split of each name: drawn by hash, so that a seed always gives the same.

    Raises:
        UserError: There are fewer than three, one for each split.
    """
    if len(names) < len(SPLITS):
        instead = "add some" if held_out.unit == "notebooks" else "try --dev-test notebooks"
        raise UserError(
            f"--dev-test {held_out.unit}: examples come from {len(names)} of them only, and train,"
            f" dev and test need one each; {instead}"
        )
    drawn = sorted(
        names, key=lambda name: hashlib.sha256(f"{held_out.seed}\0{name}".encode()).digest()
    )
    size = max(1, round(HELD_OUT_SHARE * len(drawn)))
    parts = {"test": drawn[:size], "dev": drawn[size : 2 * size], "train": drawn[2 * size :]}
    return {name: split for split, part in parts.items() for name in part}


def _drop_all_but(connection: duckdb.DuckDBPyConnection, key: str, value: str, order: str) -> int:
    """Among the rows of a key, keep those with the value that comes first."""
    return _drop(
        connection,
        f"""SELECT * EXCLUDE (first) FROM (SELECT *, first_value({value}) OVER (
               PARTITION BY {key} ORDER BY {order}) AS first FROM ranked)
           WHERE first = {value}""",
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


def _drop_near(connection: duckdb.DuckDBPyConnection, rows: str, kind: Kind, name: str) -> int:
    """Drop the rows of train whose `name` is near to dev or test."""
    names = [near for near, _ in near_pairs(connection, rows, kind)]
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
