"""Rows of the released files' shape, made by hand from what is known of it."""

import json
from collections import Counter

import pyarrow as pa

from nl2code.corpus.released import read_released
from nl2code.corpus.released_rows import row_of
from nl2code.corpus.schema import FEATURES
from nl2code.corpus.targets import digest

ABOVE = [
    {
        "cell_type": "markdown",
        "distance_target": 1,
        "nl": ["Plot", "the", "prices", "."],
        "nl_original": "## Plot the *prices*.",
    },
    {"cell_type": "code", "distance_target": 2, "code": "prices = load()", "code_tokens": None},
    {"cell_type": "code", "distance_target": 3, "code": "import numpy as np\ndef load(): pass"},
]
TRAIN = {
    "code": "plt.plot(prices)  # all",
    "code_tokens": ["plt", ".", "plot", "(", "prices", ")", "# all"],
    "code_tokens_clean": ["plt", ".", "plot", "(", "prices", ")"],
    "comments": ["all"],
    "docstring": None,
    "api_sequence": ["plot"],
    "nl": ["Plot", "the", "prices", "."],
    "imports": ["numpy", "np"],
    "num_cells_above": 3,
    "cell_type": "code",
    "execution_count": 0,
    "context": ABOVE,
    "metadata": {"repo": "ada/houses", "path": "a.ipynb", "nb_index": 7, "cell_index": 3},
}
NBGRADER = TRAIN | {
    "grade_id": "plot",
    "points": "2.5",
    "solution": True,
    "grade": False,
    "boilerplate_code": "# YOUR CODE HERE\n",
    "boilerplate_code_tokens": ["# YOUR CODE HERE"],
    "metadata": TRAIN["metadata"] | {"test_below_passed": True, "from_output_nb": False},
}
EXERCISE = TRAIN | {
    "boilerplate_code": ["fig = plt.figure()\n", "# plot here"],
    "metadata": {
        "cell_index": 3,
        "boilerplate": "",
        "submission_url": f"https://github.com/bob/ps/blob/{'0a' * 20}/ps%201/b.ipynb",
    },
}


def without(record, *names):
    return {name: value for name, value in record.items() if name not in names}


def read(path, *lines):
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else dump(line) for line in lines))
    drops = Counter()
    return list(read_released(path, drops)), drops


def dump(record):
    return json.dumps(record).encode()


def test_a_train_row_has_the_columns_of_the_dataset():
    row = row_of(TRAIN)
    assert pa.Table.from_pylist([row], schema=FEATURES.arrow_schema).to_pylist() == [
        {
            "id": digest(["ada/houses", "a.ipynb", "3", TRAIN["code"]]),
            "nl_original": "## Plot the *prices*.",
            "nl": ["Plot", "the", "prices", "."],
            "code": "plt.plot(prices)  # all",
            "code_tokens_clean": ["plt", ".", "plot", "(", "prices", ")"],
            "api_sequence": ["plot"],
            "imports": ["numpy", "np"],
            "comments": ["all"],
            "boilerplate_code": None,
            "context": [
                cell("markdown", 1, nl_original="## Plot the *prices*."),
                cell("code", 2, code="prices = load()"),
                cell("code", 3, code="import numpy as np\ndef load(): pass"),
            ],
            "num_cells_above": 3,
            "uses_variables": [],
            "uses_methods": [],
            "contextual": False,
            "multi_cell": False,
            "tests": [],
            "metadata": {
                "source": "train",
                "repo": "ada/houses",
                "path": "a.ipynb",
                "commit": None,
                "license": None,
                "cell_index": 3,
                "grade_id": None,
                "points": None,
            },
        }
    ]


def cell(kind, distance, nl_original=None, code=None):
    return {
        "cell_type": kind,
        "distance_target": distance,
        "nl_original": nl_original,
        "code": code,
    }
