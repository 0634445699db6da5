"""A narrow row an example, read from the Parquet splits with DuckDB, out of core."""

from __future__ import annotations

import glob
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.held_out import SPLITS
from nl2code.corpus.schema import SCHEMA
from nl2code.errors import UserError, sentence

_COLUMNS = (
    "id",
    "nl",
    "code",
    "code_tokens_clean",
    "api_sequence",
    "context",
    "uses_variables",
    "uses_methods",
    "contextual",
    "multi_cell",
    "metadata",
)

_IMPORTED = r"[A-Za-z_]\w*(?:\.\w+)*(?:[ \t]+as[ \t]+\w+)?"
# By pattern, since a parse of every context cell costs hours on a whole corpus: the statements
# at the start of a line or after a semicolon. What follows must look like one, so that a line
# of prose ("import the data") does not count.
_PACKAGES_OF = rf"""
CREATE MACRO packages_of(code) AS list_concat(
  regexp_extract_all(code, '(?m)^[ \t]*from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b', 1),
  flatten([[regexp_extract(name, '\w+') FOR name IN string_split(names, ',')]
    FOR names IN regexp_extract_all(
      code, '(?m)^[ \t]*import[ \t]+({_IMPORTED}(?:[ \t]*,[ \t]*{_IMPORTED})*)[ \t\r]*(?:$|#|\\)', 1
    )])
)"""

_EXAMPLES = r"""
CREATE TABLE examples (
  split VARCHAR, source VARCHAR, license VARCHAR,
  nl_tokens INT, code_tokens INT, context_cells INT, api_calls INT, nl_distance INT,
  uses_variables BOOL, uses_methods BOOL, contextual BOOL, multi_cell BOOL, packages VARCHAR[]
)"""

_READ = r"""
INSERT INTO examples SELECT
  ?, coalesce(metadata.source, 'unknown'), coalesce(metadata.license, 'unknown'),
  coalesce(len(nl), 0), coalesce(len(code_tokens_clean), 0), coalesce(len(context), 0),
  coalesce(len([call FOR call IN api_sequence IF call <> 'NO_API_SEQUENCE']), 0),
  list_min([cell.distance_target FOR cell IN context IF cell.cell_type = 'markdown']),
  coalesce(len(uses_variables), 0) > 0, coalesce(len(uses_methods), 0) > 0,
  coalesce(contextual, false), coalesce(multi_cell, false),
  list_distinct(flatten([packages_of(replace(source, ';', chr(10)))
    FOR source IN list_concat([code], [cell.code FOR cell IN context])
    IF contains(source, 'import')]))
FROM read_parquet(?)"""


def split_files(folder: Path) -> dict[str, list[Path]]:
    """Return the Parquet files of each split in `folder`; a split may have none.

    Raises:
        UserError: No split has any, or a file lacks a column of the dataset.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    files = {split: sorted(folder.glob(f"{split}-*.parquet")) for split in SPLITS}
    if not any(files.values()):
        names = ", ".join(f"{split}-*.parquet" for split in SPLITS)
        raise UserError(f"{folder}: not a built dataset: it holds none of {names}")
    for path in (path for paths in files.values() for path in paths):
        _check_columns(path)
    return files


def _check_columns(path: Path) -> None:
    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: cannot be read as Parquet: {sentence(error)}") from None
    expected = SCHEMA
    for column in _COLUMNS:
        if column not in schema.names:
            raise UserError(f"{path}: the column {column} is missing")
        found, wanted = schema.field(column).type, expected.field(column).type
        if pa.types.is_nested(found) != pa.types.is_nested(wanted):
            raise UserError(f"{path}: {column}: {wanted} is expected, not {found}")


def fill_examples(connection: duckdb.DuckDBPyConnection, files: dict[str, list[Path]]) -> None:
    """Create the table `examples`, a narrow row for each example of each split."""
    connection.execute(_PACKAGES_OF)
    connection.execute(_EXAMPLES)
    for split, paths in files.items():
        if paths:
            connection.execute(_READ, [split, _escaped(paths)])


def count_distinct(connection: duckdb.DuckDBPyConnection, paths: list[Path], column: str) -> int:
    """How many different tokens stand in the lists of `column`."""
    if not paths:
        return 0
    ((count,),) = connection.execute(
        f"SELECT count(DISTINCT token) FROM (SELECT unnest({column}) AS token"
        " FROM read_parquet(?))",
        [_escaped(paths)],
    ).fetchall()
    return int(count)


def _escaped(paths: list[Path]) -> list[str]:
    return [glob.escape(path.as_posix()) for path in paths]
