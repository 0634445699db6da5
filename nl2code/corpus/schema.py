"""The columns of the dataset, and the keys that travel with a row until duplicates are gone."""

from __future__ import annotations

import pyarrow as pa
from datasets import Features, List, Value

_STRING, _INTEGER, _FLAG = Value("string"), Value("int32"), Value("bool")

FEATURES = Features(
    {
        "id": _STRING,
        "nl_original": _STRING,
        "nl": List(_STRING),
        "code": _STRING,
        "code_tokens_clean": List(_STRING),
        "api_sequence": List(_STRING),
        "imports": List(_STRING),
        "comments": List(_STRING),
        "boilerplate_code": _STRING,
        "context": List(
            {
                "cell_type": _STRING,
                "distance_target": _INTEGER,
                "nl_original": _STRING,
                "code": _STRING,
            }
        ),
        "num_cells_above": _INTEGER,
        "uses_variables": List(_STRING),
        "uses_methods": List(_STRING),
        "contextual": _FLAG,
        "multi_cell": _FLAG,
        "tests": List(_STRING),
        "metadata": {
            "source": _STRING,
            "repo": _STRING,
            "path": _STRING,
            "commit": _STRING,
            "license": _STRING,
            "cell_index": _INTEGER,
            "grade_id": _STRING,
            "points": Value("float64"),
            "submissions": _INTEGER,
            "exercise_path": _STRING,
            "repositories": _INTEGER,
        },
    }
)
"""A row of every split. Context is stored once, as text; its tokens are derived when asked for."""

KEYS = {
    **dict.fromkeys(("notebook_key", "kernel", "target_key", "nl_key"), pa.string()),
    "cell_keys": pa.list_(pa.uint64()),
    "own_keys": pa.list_(pa.uint64()),
    "held_cells": pa.list_(pa.string()),
    "assignment": pa.string(),
    "notebook_file": pa.string(),
    "notebook_row": pa.int32(),
}
"""Digests of the notebook's cells, with the Python it names, of the target's tokens and the NL:
equal keys are duplicates; a key for each cell, and for those that are the example's own; for
curated problems the cells that no notebook of train may hold, and what must go to one split; where
the notebook's cells lie.
"""

SCHEMA = FEATURES.arrow_schema
"""The same for Arrow, which `datasets` would make anew each time it is asked."""

_WITHOUT_CONTEXT = [field for field in SCHEMA if field.name != "context"]
CANDIDATE_SCHEMA = pa.schema([*_WITHOUT_CONTEXT, *KEYS.items()])
"""A candidate; its context is cut from its notebook when it is written."""
