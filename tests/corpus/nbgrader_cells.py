"""Cells and notebooks of a made-up nbgrader course, in sight of the tests."""

import hashlib
import json
from collections import Counter
from dataclasses import replace

from nl2code.corpus.nbgrader.cells import solution_cells
from nl2code.corpus.nbgrader.groups import problem_groups, problem_key
from nl2code.corpus.nbgrader.submissions import problems
from nl2code.notebooks import read_notebook

PROMPT = "Write a function `double` that returns twice its argument."
STUB = "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
RIGHT = "def double(x):\n    return 2 * x"
TEST = "assert double(2) == 4"
ERROR = {"output_type": "error", "ename": "AssertionError", "evalue": "", "traceback": []}
WARNING = {"output_type": "stream", "name": "stderr", "text": "DeprecationWarning"}


def markdown(source, **nbgrader):
    return {"cell_type": "markdown", "source": source, "metadata": {"nbgrader": nbgrader}}


def code(source, outputs=(), count=1, **nbgrader):
    return {
        "cell_type": "code",
        "source": source,
        "outputs": list(outputs),
        "execution_count": count,
        "metadata": {"nbgrader": nbgrader} if nbgrader else {},
    }


def solution(source=RIGHT, outputs=(), count=1, **nbgrader):
    return code(source, outputs, count, **{"solution": True, "grade": False} | nbgrader)


def graded(source=TEST, outputs=(), count=2, **nbgrader):
    return code(source, outputs, count, **{"solution": False, "grade": True} | nbgrader)


def checksum(source, grade_id, *, grade, points=1):
    """The checksum that nbgrader leaves in a locked test cell or an open solution cell."""
    text = f"{source}code{grade}{not grade}{grade}{grade_id}{float(points) if grade else ''}"
    return hashlib.md5(text.encode()).hexdigest()


def course(*cells, repo="ada", path="ps1.ipynb", **metadata):
    document = {"nbformat": 4, "metadata": metadata, "cells": list(cells)}
    return read_notebook(json.dumps(document), repo, path, commit="c0", license="MIT")


def submitted(answer=RIGHT, *outputs, repo="ada", test=TEST, prompt=PROMPT, **ids):
    """A notebook of one exercise, handed in and run."""
    return course(markdown(prompt), solution(answer), graded(test, outputs, **ids), repo=repo)


def cells_of(*notebooks, drops=None):
    drops = Counter() if drops is None else drops
    return [cell for notebook in notebooks for cell in solution_cells(notebook, drops)]


def grouped(*notebooks):
    """All solution cells, their keys replaced by their groups, sorted."""
    cells = cells_of(*notebooks)
    groups = problem_groups(map(problem_key, cells))
    renamed = (replace(cell, problem_key=groups[cell.problem_key]) for cell in cells)
    return sorted(renamed, key=lambda cell: cell.problem_key)


def problems_of(*notebooks, seed=0):
    """The problems, and the counts of what was dropped."""
    drops = Counter()
    return list(problems(grouped(*notebooks), seed, drops)), dict(drops)
