"""The columns of the dataset, and the keys that travel with a row until duplicates are gone."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

_STRING, _INTEGER, _FLAG = pa.string(), pa.int32(), pa.bool_()
_STRINGS = pa.list_(_STRING)

_COLUMNS = {
    "id": _STRING,
    "nl_original": _STRING,
    "nl": _STRINGS,
    "code": _STRING,
    "code_tokens_clean": _STRINGS,
    "api_sequence": _STRINGS,
    "imports": _STRINGS,
    "comments": _STRINGS,
    "boilerplate_code": _STRING,
    "context": pa.list_(
        pa.struct(
            {
                "cell_type": _STRING,
                "distance_target": _INTEGER,
                "nl_original": _STRING,
                "code": _STRING,
            }
        )
    ),
    "num_cells_above": _INTEGER,
    "uses_variables": _STRINGS,
    "uses_methods": _STRINGS,
    "contextual": _FLAG,
    "multi_cell": _FLAG,
    "tests": _STRINGS,
    "metadata": pa.struct(
        {
            "source": _STRING,
            "repo": _STRING,
            "path": _STRING,
            "commit": _STRING,
            "license": _STRING,
            "cell_index": _INTEGER,
            "grade_id": _STRING,
            "points": pa.float64(),
            "submissions": _INTEGER,
            "exercise_path": _STRING,
            "repositories": _INTEGER,
        }
    ),
}
"""A row of every split. Context is stored once, as text; its tokens are derived when asked for."""


def _feature(kind: pa.DataType) -> Any:
    """What `datasets` writes of a type. Its import would cost each worker process 0.6 seconds."""
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    return {"dtype": str(kind).replace("double", "float64"), "_type": "Value"}


_FEATURES = {name: _feature(kind) for name, kind in _COLUMNS.items()}
SCHEMA = pa.schema(_COLUMNS, {"huggingface": json.dumps({"info": {"features": _FEATURES}})})
"""The columns for Arrow; `features.FEATURES` are the same for `datasets`."""

KEYS = {
    **dict.fromkeys(("notebook_key", "kernel", "target_key", "nl_key"), pa.string()),
    "cell_keys": pa.list_(pa.uint64()),
    "held_cells": pa.list_(pa.string()),
    "assignment": pa.string(),
    "notebook_file": pa.string(),
    "notebook_row": pa.int32(),
}
"""Digests of the notebook's cells, with the Python it names, of the target's tokens and the NL:
equal keys are duplicates; a key for each cell; for curated problems the cells that no notebook of
train may hold, and what must go to one split; where the notebook's cells lie.
"""

_WITHOUT_CONTEXT = [field for field in SCHEMA if field.name != "context"]
CANDIDATE_SCHEMA = pa.schema([*_WITHOUT_CONTEXT, *KEYS.items()])
"""A candidate; its context is cut from its notebook when it is written."""
