"""Whose work a built folder holds: its licences, and a line for each repository and commit."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from nl2code.corpus.licenses import spdx

ATTRIBUTION = "ATTRIBUTION.csv"


def license_table(
    connection: duckdb.DuckDBPyConnection, folder: Path
) -> list[tuple[str, int, int]]:
    """Return (licence, examples, repositories) over all splits, the most frequent first.

    One licence written in two ways counts once; a notebook without one counts as `unknown`.
    """
    return (
        _attributed(connection, _written(connection, folder))
        .aggregate("license, count(*) AS examples, count(DISTINCT repo) AS repositories")
        .order("examples DESC, license")
        .fetchall()
    )


def write_attribution(connection: duckdb.DuckDBPyConnection, folder: Path) -> Path:
    """Write ATTRIBUTION.csv beside the Parquet files: whom to name, and for how much.

    Only the keys are read, and the connection's memory limit holds for them.
    """
    file = folder / ATTRIBUTION
    write_table(connection, _written(connection, folder), file)
    return file


def write_table(
    connection: duckdb.DuckDBPyConnection, rows: duckdb.DuckDBPyRelation, file: Path
) -> None:
    """Write the file for the rows' repo, path, commit and license.

    What a spreadsheet would run as a formula gets an apostrophe in front.
    """
    names = ("repo", '"commit"', "license")
    counts = "count(DISTINCT path) AS notebooks, count(*) AS examples"
    texts = ", ".join(map(_as_text, names))
    table = _attributed(connection, rows).aggregate(f"{', '.join(names)}, {counts}")
    table = table.project(f"{texts}, notebooks, examples")
    table.order('repo, "commit" NULLS FIRST, license').to_csv(str(file), header=True)


def _as_text(column: str) -> str:
    formula = (
        rf"regexp_matches({column}, '^[\s\x00]*[-=+@\x{{FF1D}}\x{{FF0B}}\x{{FF0D}}\x{{FF20}}]')"
    )
    return f"CASE WHEN {formula} THEN chr(39) || {column} ELSE {column} END AS {column}"


def _written(connection: duckdb.DuckDBPyConnection, folder: Path) -> duckdb.DuckDBPyRelation:
    """The examples' repo, path, commit and licence, as they are written."""
    files = [str(path) for path in sorted(folder.glob("*.parquet"))]
    return connection.read_parquet(files).project(
        'metadata.repo AS repo, metadata.path AS path, metadata."commit" AS "commit",'
        " metadata.license AS license"
    )


def _attributed(
    connection: duckdb.DuckDBPyConnection, rows: duckdb.DuckDBPyRelation
) -> duckdb.DuckDBPyRelation:
    """The rows with the licence in its SPDX form."""
    rows = rows.project('repo, path, "commit", license AS written')
    written = [value for (value,) in rows.project("written").distinct().fetchall()]
    known = [spdx(value) or value or "unknown" for value in written]
    schema = pa.schema([("written", pa.string()), ("license", pa.string())])
    names = connection.from_arrow(pa.table({"written": written, "license": known}, schema=schema))
    return rows.set_alias("rows").join(
        names.set_alias("names"), "rows.written IS NOT DISTINCT FROM names.written"
    )
