"""A handful of made-up notebooks: a course, an exercise with its solution, and ordinary ones."""

import json

from nbgrader_cells import ERROR, code, graded, markdown, solution

from nl2code.corpus.build import build
from nl2code.corpus.held_out import HeldOut
from nl2code.corpus.targets import TargetRules

TITLE = "# Functions of one argument, an assignment of the course"
TASKS = {
    "double": ("Write a function `double` that returns twice its argument.", "2 * x", 4),
    "triple": ("Write a function `triple`: three times what it is called with.", "3 * x", 6),
}
GIVEN = "unit = 1.5  # of the whole course"


def stub(name):
    return f"def {name}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"


def answer(name, value):
    return f"def {name}(x):\n    return {value}"


def assignment(values=None, wrong=()):
    """The assignment as released, or with these values returned; tests of `wrong` ended in errors.

    Args:
        values: The expression that each function returns; the usual ones where it is empty.
        wrong: Names of the functions whose test failed.
    """
    cells = [markdown(TITLE), code(GIVEN)]
    for name, (prompt, value, expected) in TASKS.items():
        source = stub(name) if values is None else answer(name, values.get(name, value))
        count = None if values is None else 2
        test = graded(
            f"assert {name}(2) == {expected}",
            [ERROR] if name in wrong else [],
            count and 3,
            grade_id=f"test_{name}",
            points=2,
        )
        cells += [markdown(prompt), solution(source, count=count, grade_id=name), test]
    return cells


def lab(solved, topic):
    """An exercise about the topic, or its solution."""
    given = f"total_{topic} = 0\n"
    sources = (
        f"# All about {topic}",
        f"{topic} = [float(line) for line in open('{topic}.txt')]",
        f"Add up all the {topic} into the total, without the built-in function.",
        given
        + (f"for one in {topic}:\n    total_{topic} += one" if solved else "# your code here"),
        f"How many {topic} are there? Count them in whatever way you like.",
        f"count_{topic} = len({topic})" if solved else "# your code here",
    )
    return [(markdown if number % 2 == 0 else code)(one) for number, one in enumerate(sources)]


def ordinary(topic):
    steps = ("load", "clean", "plot", "sell")
    for number, step in enumerate(steps):
        yield markdown(f"Then we {step} the {topic} that came in step {number}, one by one.")
        yield code(f"{topic}{number} = {step}({topic!r}, step={number})")


def notebook(repo, path, cells, commit=None, license="MIT"):
    content = json.dumps({"nbformat": 4, "metadata": {}, "cells": list(cells)})
    commit = commit or f"commit of {repo}"
    return {"repo": repo, "path": path, "content": content, "commit": commit, "license": license}


def world():
    """Of the six answers handed in four are right; of the two labs one is in three repositories."""
    yield notebook("school/course", "release/ps1.ipynb", assignment())
    yield notebook("ada/ps", "ps1.ipynb", assignment({"double": "x + x"}))
    yield notebook("bob/ps", "ps1.ipynb", assignment({"double": "x ** 2"}, wrong=["double"]))
    yield notebook("cy/ps", "ps1.ipynb", assignment({"triple": "x + 2"}, wrong=["triple"]))
    for repo in ("dan/labs", "eve/labs", "fay/labs"):
        yield notebook(repo, "lab/prices.ipynb", lab(False, "prices"))
        yield notebook(repo, "lab/prices_solution.ipynb", lab(True, "prices"))
    for repo in ("dan/labs", "eve/labs"):
        yield notebook(repo, "lab/weights.ipynb", lab(False, "weights"))
        yield notebook(repo, "lab/weights_solution.ipynb", lab(True, "weights"))
    for topic in ("apples", "pears"):
        yield notebook("gil/shop", f"{topic}.ipynb", ordinary(topic))


def extra_assignment():
    """Another one, so that dev and test have one each."""
    prompt, test = "Set `book` to what six times seven is.", "assert book == 42"
    cells = [markdown(prompt), solution("book = 6 * 7"), graded(test)]
    yield notebook("ada/ps", "ps2.ipynb", cells)


def write_dump(path, notebooks):
    path.write_text("".join(json.dumps(one) + "\n" for one in notebooks))
    return path


def build_world(folder, notebooks, rules=None, workers=1, **held_out):
    """Build from the notebooks, written beside the new folder."""
    dump = write_dump(folder.with_suffix(".jsonl"), notebooks)
    rules = rules or TargetRules(curated=True)
    return build([dump], folder, rules, HeldOut(**held_out), workers)
