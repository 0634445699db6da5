"""What the source of a row says of its other fields, as the build writes them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from pathlib import PurePosixPath
from typing import Any

import duckdb

from nl2code.corpus.check.findings import Finding, finding_of
from nl2code.corpus.check.made import Made
from nl2code.corpus.exercises.pairing import says_solution
from nl2code.corpus.held_texts import words_apart

Row = dict[str, Any]

SOURCE = "metadata.source is what the split holds, with its own fields and tests"
_GRADED = ("grade_id", "points", "submissions")
_PAIRED = ("exercise_path", "repositories")
_OTHERS = {"train": (*_GRADED, *_PAIRED), "nbgrader": _PAIRED, "exercise": _GRADED}
SOURCES = tuple(_OTHERS)


def wrong_source(row: Row, split: str, made: Made) -> str:
    """How the row's fields are not those of its source; empty where they are, or it has none."""
    metadata = row["metadata"] or {}
    source = metadata.get("source")
    return next(_faults(row, metadata, source, split, made), "") if source in SOURCES else ""


def _faults(row: Row, metadata: Row, source: str, split: str, made: Made) -> Iterator[str]:
    if (source != "train") != (made.curated and split != "train"):
        yield f"{source} in {split}"
    yield from (f"{source} with {name}" for name in _OTHERS[source] if metadata[name] is not None)
    given, tests = row["boilerplate_code"], [test or "" for test in row["tests"] or ()]
    if given is not None and (source == "train" or not given.strip()):
        yield f"{source} with boilerplate_code {given!r:.40}"
    if source == "nbgrader":
        yield from _graded_faults(metadata, words_apart(row["code"] or ""), tests)
    elif tests:
        yield f"{source} with tests"
    if source == "exercise":
        yield from _paired_faults(metadata, made)


def _graded_faults(metadata: Row, code: str, tests: list[str]) -> Iterator[str]:
    """An instructor's answer may have no tests, and then no points."""
    points, submissions = metadata["points"], metadata["submissions"]
    if (submissions or 0) < 1:
        yield f"submissions: {submissions}"
    if metadata["grade_id"] == "":
        yield "grade_id is empty"
    if points is not None and not (tests and isfinite(points)):
        yield f"points: {points}, of {len(tests)} tests"
    if any(words_apart(test) in ("", code) for test in tests):
        yield "a test is blank or the target"


def _paired_faults(metadata: Row, made: Made) -> Iterator[str]:
    path, exercise = metadata["path"] or "", metadata["exercise_path"] or ""
    is_one = exercise and exercise != path and not says_solution(exercise)
    if not is_one or PurePosixPath(exercise).suffix != PurePosixPath(path).suffix:
        yield f"exercise_path: {exercise}"
    if not says_solution(path):
        yield f"path: {path}, which says no solution"
    if (metadata["repositories"] or 0) < made.repositories:
        yield f"repositories: {metadata['repositories']}, fewer than {made.repositories}"


def check_stated_sources(connection: duckdb.DuckDBPyConnection, options: dict[str, Any]) -> Finding:
    """Check how many rows of each source the options of a converted release say to be in a split.

    Args:
        connection: With the table of all rows.
        options: Those of build.json.
    """
    found = connection.sql(
        "SELECT source || ' rows in ' || split, count(*) FROM all_rows GROUP BY 1"
    ).fetchall()
    counted = dict(found)
    names = sorted({*counted, *(name for name in options if name != "config")})
    wrong = (
        f"{name}: {options.get(name)}, not {counted.get(name)}"
        for name in names
        if options.get(name) != counted.get(name)
    )
    return finding_of("the stated sources are those of the rows", len(names), wrong)
