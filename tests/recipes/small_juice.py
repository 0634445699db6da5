"""A built folder of a few rows, and recipes run in this process."""

import hashlib
import importlib.util
import json
import sys
from pathlib import Path

import pytest
from datasets import Dataset, Features, Value

from nl2code.corpus.features import FEATURES
from nl2code.errors import run_program

RECIPES = Path(__file__).parents[2] / "recipes"


def row(name, nl, code, api=(), above=()):
    """An example; `above` lists the cells over the NL as (type, text), nearest first."""
    cells = [("markdown", nl), *above]
    context = [
        {
            "cell_type": kind,
            "distance_target": distance,
            "nl_original": text if kind == "markdown" else None,
            "code": None if kind == "markdown" else text,
        }
        for distance, (kind, text) in enumerate(cells, 1)
    ]
    return {
        "id": name,
        "nl": nl.split(),
        "nl_original": nl,
        "code_tokens_clean": code.split(),
        "api_sequence": list(api),
        "context": context,
    }


def write_juice(folder, splits, digest=None, columns=FEATURES):
    """Write the splits as Parquet with the card that names them.

    The digest keeps datasets from serving other rows that it has cached for the same card.
    """
    if digest is None:
        digest = f"rows-{hashlib.md5(json.dumps(splits).encode()).hexdigest()[:8]}"
    files = []
    for split, rows in splits.items():
        features = Features({name: columns.get(name, Value("string")) for name in rows[0]})
        Dataset.from_list(rows, features).to_parquet(folder / f"{split}.parquet")
        files.append({"split": split, "path": f"{split}.parquet"})
    config = {"config_name": "default", "description": digest, "data_files": files}
    (folder / "README.md").write_text(f"---\nconfigs: {json.dumps([config])}\n---\n")
    return folder


def cache_in(folder, monkeypatch):
    """Keep a test's `juice` out of the user's cache."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", folder)


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def recipe(name):
    """The recipe as a module; it is no package."""
    spec = importlib.util.spec_from_file_location(f"recipe_{name}", RECIPES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run(module, monkeypatch, **options):
    """Run the recipe with these options, as its command line would."""
    arguments = [f"--{name}={value}" for name, value in options.items()]
    monkeypatch.setattr(sys, "argv", ["recipe.py", *arguments])
    module.main()


def fails(module, monkeypatch, capsys, **options):
    """Run the recipe with these options and return the one sentence that it ends with."""
    arguments = [f"--{name}={value}" for name, value in options.items()]
    monkeypatch.setattr(sys, "argv", ["recipe.py", *arguments])
    with pytest.raises(SystemExit) as exit_:
        run_program(module.main)
    assert exit_.value.code == 2
    return capsys.readouterr().err.strip()
