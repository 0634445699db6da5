"""A small folder that keeps every promise, to be broken one by one."""

import json
from dataclasses import asdict
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from nl2code.corpus.attribution import write_attribution
from nl2code.corpus.build import Built
from nl2code.corpus.card import write_card
from nl2code.corpus.check.report import check
from nl2code.corpus.digests import digest
from nl2code.corpus.features import FEATURES
from nl2code.corpus.files import SplitFiles, digest_of
from nl2code.jsonl import write_json
from nl2code.markdown import nl_tokens
from nl2code.python_code import analyse

CARD = Path(__file__).parents[3] / "dataset_card.md"
WORDS = {"train": "plum", "dev": "pear", "test": "fig"}


def cell(distance, text, cell_type="code"):
    """A cell of a context."""
    nl, code = (text, None) if cell_type == "markdown" else (None, text)
    return {"cell_type": cell_type, "distance_target": distance, "nl_original": nl, "code": code}


def example(split, number):
    """A row whose texts, notebook and names stand in this split only."""
    word = WORDS[split]
    lines = (
        f"{word}{line} = {word}.call{line}({word}, 'red')" for line in range(number, number + 4)
    )
    nl = f"## Step {number}\n" + " ".join(f"{word}{n}" for n in range(12))
    cells = [
        cell(1, nl, "markdown"),
        cell(2, f"import {word}s\n{word} = 1"),
        cell(3, f"# {word}, end", "raw"),
    ]
    row = {
        "id": f"{split}-{number}",
        "nl_original": nl,
        "nl": nl_tokens(nl),
        "boilerplate_code": None,
        "context": cells,
        "num_cells_above": 3,
        "uses_variables": [word],
        "uses_methods": [],
        "contextual": True,
        "multi_cell": False,
        "tests": [],
        "metadata": {
            "source": "train",
            "repo": f"someone/{word}",
            "path": f"{number}.ipynb",
            "license": "MIT",
            "cell_index": 3,
        },
    }
    return with_code(row | {"imports": [f"{word}s"]}, "\n".join(lines))


def with_code(row, code):
    """The row with other code, and what code alone says."""
    analysis = analyse(code)
    columns = {
        "code_tokens_clean": list(analysis.tokens[:120]),
        "api_sequence": list(analysis.api_sequence),
        "comments": list(analysis.comments),
    }
    return row | columns | {"code": code}


def sound_rows():
    """Two rows of each split."""
    return {split: [example(split, number) for number in range(2)] for split in WORDS}


def write(folder, rows, schema=FEATURES.arrow_schema):
    """Write the rows of each split, and a card that names their files."""
    folder.mkdir(exist_ok=True)
    for split, content in rows.items():
        pq.write_table(pa.Table.from_pylist(content, schema=schema), folder / f"{split}-0.parquet")
    data_files = [{"split": split, "path": f"{split}-*.parquet"} for split in rows]
    configs = [{"config_name": "default", "data_files": data_files}]
    (folder / "README.md").write_text(f"---\nconfigs: {json.dumps(configs)}\n---\n# Card\n")
    return folder


OPTIONS = {
    "long_targets": "drop",
    "max_context_cells": None,
    "licenses": None,
    "dev_test": "notebooks",
    "seed": 0,
}
CURATED = OPTIONS | {"dev_test": "curated", "min_repositories": 2}


def as_built(folder, rows, **changes):
    """Write the rows as a build does, with its ids, report, card and attribution.

    Args:
        folder: Where to.
        rows: Of each split.
        changes: What the build says of itself otherwise.
    """
    for row in (row for content in rows.values() for row in content):
        place = row["metadata"]
        parts = (place["repo"], place["path"], str(place["cell_index"]), row["code"])
        row["id"] = digest(parts)
    write(folder, rows)
    total = sum(map(len, rows.values()))
    stages = ("read", "notebook", "target", "nbgrader", "exercise", "duplicate")
    files = {split: (f"{split}-0.parquet",) for split in rows}
    sizes = {split: (folder / file).stat().st_size for split, (file,) in files.items()}
    built = {
        "digest": digest_of(folder),
        "splits": {
            split: SplitFiles(files[split], len(content), 1, len(content))
            for split, content in rows.items()
        },
        "funnel": [
            (stage, "kept", 0 if stage in ("nbgrader", "exercise") else total) for stage in stages
        ],
        "options": OPTIONS,
        "licenses": {"MIT": total},
        "bytes_per_example": {name: round(sizes[name] / len(rows[name]), 1) for name in rows},
    }
    made = Built(**built | changes)
    write_json(folder / "build.json", asdict(made))
    write_card(made, folder, CARD.read_text())
    with duckdb.connect() as connection:
        write_attribution(connection, folder)
    return folder


def restate(folder, change):
    """Change what build.json says."""
    path = folder / "build.json"
    report = json.loads(path.read_text())
    change(report)
    path.write_text(json.dumps(report))


def broken(folder):
    """The findings with violations, by invariant."""
    return {finding.invariant: finding for finding in check(folder) if finding.violations}
