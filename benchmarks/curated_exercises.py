"""How many exercise problems real notebooks give, stage by stage, beside the authors' own.

    python benchmarks/curated_exercises.py ../shared/data/notebooks/exercises --goldens FILE

FILE is ../shared/data/goldens/curated/problems.jsonl.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from nl2code.corpus.exercises.cells import ExerciseCell, exercise_cells
from nl2code.corpus.exercises.confirmation import confirmed
from nl2code.corpus.exercises.pairing import CellKeys, cell_keys, pairs, says_solution
from nl2code.corpus.exercises.stubs import code_tokens
from nl2code.jsonl import read_jsonl
from nl2code.notebooks import UnreadableNotebook
from nl2code.python_code import NotPython, analyse, why_not_a_target
from nl2code.records import Notebook
from nl2code.sources import find_notebooks


def main() -> None:
    """Print the funnel, and where the authors' problems that are not among ours were lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", type=Path)
    parser.add_argument("--goldens", type=Path)
    options = parser.parse_args()
    drops: Counter[str] = Counter()
    keys: dict[str, list[CellKeys]] = defaultdict(list)
    for notebook in read(options.notebooks, drops):
        keys[notebook.repo].append(cell_keys(notebook))
    found = [pair for repo in sorted(keys) for pair in pairs(keys[repo], drops)]
    paths = [one.path for repository in keys.values() for one in repository]
    print(f"{len(paths)} notebooks, {sum(map(says_solution, paths))} of them solutions by name")
    print(f"{len(found)} pairs; dropped: {dict(drops)}")
    drops.clear()
    cells = list(candidates(options.notebooks, found, drops))
    print(f"{len(cells)} candidates; dropped: {dict(drops)}")
    goldens = list(read_jsonl(options.goldens)) if options.goldens else []
    with duckdb.connect() as connection:
        connection.register("candidates", pa.Table.from_pylist([asdict(cell) for cell in cells]))
        for count in (0, 1, 2):
            problems = confirmed(connection, "candidates", count).to_arrow_table().to_pylist()
            kept = Counter(why_no_target(row["source"]) for row in problems)
            print(f"{len(problems)} confirmed by {count} other repositories; checks: {dict(kept)}")
            compare([row for row in goldens if row["kind"] == "exercise"], problems, cells)


def read(source: Path, drops: Counter[str]) -> Iterator[Notebook]:
    """Yield the notebooks that can be read."""
    for raw in find_notebooks([source]):
        try:
            yield raw.read()
        except UnreadableNotebook as error:
            drops[error.reason] += 1


def candidates(
    source: Path, found: list[tuple[CellKeys, CellKeys]], drops: Counter[str]
) -> Iterator[ExerciseCell]:
    """Yield the candidates of the pairs; only paired notebooks are kept."""
    wanted = {(one.repo, one.path) for pair in found for one in pair}
    notebooks = {(n.repo, n.path): n for n in read(source, Counter()) if (n.repo, n.path) in wanted}
    for exercise, solution in found:
        pair = (notebooks[one.repo, one.path] for one in (exercise, solution))
        yield from exercise_cells(*pair, drops)


def why_no_target(source: str) -> str:
    """The reason, or `kept`."""
    try:
        return why_not_a_target(analyse(source)) or "kept"
    except NotPython as error:
        return error.reason


def compare(
    goldens: list[dict[str, Any]], problems: list[dict[str, Any]], cells: list[ExerciseCell]
) -> None:
    """Print how many of the authors' targets are ours, and where the others were lost."""
    ours = {code_of(row["source"]) for row in problems}
    every = {code_of(cell.source) for cell in cells}
    lost = [row for row in goldens if code_of(row["code"]) not in ours]
    print(f"  {len(goldens) - len(lost)} of the authors' {len(goldens)} targets are among them")
    causes: Counter[tuple[str, ...]] = Counter()
    for row in lost:
        theirs = f"stands in {row['n_repos_same_solution']} repositories by their count"
        cause = theirs if code_of(row["code"]) in every else "no candidate of ours"
        causes[row["repo"], row["path"], cause] += 1
    for (repo, path, cause), count in sorted(causes.items()):
        print(f"    {count} not, of {repo}/{path}: {cause}")


def code_of(source: str) -> str:
    """The code, to compare without comments and blanks."""
    return " ".join(token.text for token in code_tokens(source))


if __name__ == "__main__":
    main()
