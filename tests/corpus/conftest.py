"""Small notebooks in sight of the tests."""

import json

import pytest

from nl2code.notebooks import read_notebook


def make_notebook(*sources, repo="ada", path="a.ipynb", **metadata):
    """A notebook: a source that starts with `#` and a blank is markdown, all else is code."""
    cells = [
        {"cell_type": "markdown" if source.startswith("# ") else "code", "source": source}
        for source in sources
    ]
    document = {"nbformat": 4, "metadata": metadata, "cells": cells}
    return read_notebook(json.dumps(document), repo, path, commit="c0", license="MIT")


@pytest.fixture
def notebook():
    return make_notebook
