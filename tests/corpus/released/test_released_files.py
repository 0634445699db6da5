"""Rows of the released files' shape, made by hand from what is known of it."""

import json
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shown import with_context

from nl2code.corpus.digests import digest
from nl2code.corpus.features import FEATURES
from nl2code.corpus.released.files import read_released
from nl2code.corpus.released.rows import row_of
from nl2code.corpus.schema import KEYS
from nl2code.corpus.targets import TargetRules, training_examples

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
    "comments": ["#", "all", "COMMENTSEP"],
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
        "boilerplate_path": "ps 1/open.ipynb",
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
            "comments": ["#", "all", "COMMENTSEP"],
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
                "submissions": None,
                "exercise_path": None,
                "repositories": None,
            },
        }
    ]


def test_a_parameter_of_the_given_function_is_not_from_above():
    train = TRAIN | {"nl_original": "Plot.", "nl": ["Plot", "."]}
    assert row_of(train)["uses_variables"] == ["prices"]
    given = {"boilerplate_code": "def plot(prices):\n    # YOUR CODE HERE\n    pass"}
    assert row_of(train | given)["uses_variables"] == []


def cell(kind, distance, nl_original=None, code=None):
    return {
        "cell_type": kind,
        "distance_target": distance,
        "nl_original": nl_original,
        "code": code,
    }


def test_a_row_that_our_own_builder_made_comes_back_the_same(notebook):
    made = notebook(
        "# Load the prices of houses",
        "import pandas as pd\nprices = pd.read_csv('houses.csv')  # all",
        "print(prices)",
        "# Plot them",
        "%matplotlib inline\nprices.plot(x='city')",
    )
    ours = list(training_examples(made, TargetRules(), Counter()))
    place = {"repo": made.repo, "path": made.path, "commit": made.commit, "license": made.license}
    for row in (with_context(row, made) for row in ours):
        record = without(row, "id", "nl_original", "uses_variables", "uses_methods", "contextual")
        released = row_of(record | {"metadata": {**place, "cell_index": row["num_cells_above"]}})
        assert as_table([released]) == as_table([without(row, *KEYS)])
    assert [row["uses_variables"] for row in ours] == [[], ["prices"]]


def as_table(rows):
    return pa.Table.from_pylist(rows, schema=FEATURES.arrow_schema).to_pylist()


def test_what_a_record_lacks_comes_from_its_code_and_context():
    derived = ("code_tokens_clean", "comments", "api_sequence", "nl", "imports", "num_cells_above")
    bare = without(TRAIN, *derived) | {"context": [without(above, "nl") for above in ABOVE]}
    assert row_of(bare) == row_of(TRAIN)
    assert row_of(bare | dict.fromkeys(derived)) == row_of(TRAIN)
    assert row_of(bare | dict.fromkeys(derived, float("nan"))) == row_of(TRAIN)


@pytest.mark.parametrize(
    "changed",
    [
        {"nl": "Plot the prices ."},
        {"nl": [["Plot", None], "the", ["prices", "."], ""]},
        {"code": ["plt.plot(prices)", "  # all"], "code_tokens_clean": "plt . plot ( prices )"},
        {"imports": "numpy np", "comments": "# all COMMENTSEP", "api_sequence": "plot"},
        {"num_cells_above": "3", "metadata": TRAIN["metadata"] | {"cell_index": 3.0}},
        {"metadata": TRAIN["metadata"] | {"repo": ["ada/houses"], "license": None, "commit": ""}},
        {"context": [without(cell, "distance_target") for cell in ABOVE]},
        {"context": ABOVE[::-1]},
        {"context": [cell | {"distance_target": str(cell["distance_target"])} for cell in ABOVE]},
        {"context": [ABOVE[0] | {"nl_original": ["## Plot the *prices*."]}, *ABOVE[1:]]},
    ],
    ids=lambda changed: "-".join(changed),
)
def test_one_value_has_one_type_however_it_is_written(changed):
    if "code" in changed:
        changed = changed | {"code": [changed["code"][0] + changed["code"][1]]}
    assert row_of(TRAIN | changed) == row_of(TRAIN)


def test_no_type_depends_on_the_order_of_rows(tmp_path):
    odd = dict.fromkeys(TRAIN) | {"code": "x = 1"}
    texts = TRAIN | {"nl": "a b", "context": {"cell_type": "code", "code": None}, "metadata": "?"}
    lines = [odd, NBGRADER, texts, TRAIN, EXERCISE]
    rows, drops = read(tmp_path / "train.jsonl", *lines)
    back, _ = read(tmp_path / "train.jsonl", *lines[::-1])
    assert as_table(rows) == as_table(back)[::-1]
    assert not drops
    assert [row["id"] for row in rows] == [row["id"] for row in back[::-1]]
    kinds = [row["metadata"]["source"] for row in rows]
    assert kinds == ["train", "nbgrader", "train", "train", "exercise"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (dump(TRAIN)[:-20], "broken_json"),
        (b"[1, 2]", "not_an_object"),
        (b'"code"', "not_an_object"),
        (b'{"code": "\xff"}', "not_text"),
        (b"\0\0", "broken_json"),
        (dump(without(TRAIN, "code", "code_tokens_clean")), "no_target"),
        (dump(TRAIN | {"code": "x =", "code_tokens_clean": None}), "no_target"),
        (dump(TRAIN | {"code": "", "code_tokens_clean": []}), "no_target"),
    ],
)
def test_a_bad_line_is_a_counted_reason(tmp_path, line, reason):
    rows, drops = read(tmp_path / "train.jsonl", TRAIN, b"", line, b" \r", EXERCISE, line)
    assert drops == {reason: 2}
    assert [row["metadata"]["source"] for row in rows] == ["train", "exercise"]


def test_what_is_no_strict_json_is_read_all_the_same(tmp_path):
    odd = TRAIN | {"comments": ["\ud800"], "points": float("nan"), "execution_count": float("inf")}
    rows, drops = read(tmp_path / "train.jsonl", b"\xef\xbb\xbf" + dump(odd) + b"\r", TRAIN)
    assert not drops
    assert [row["comments"] for row in rows] == [["\ufffd"], TRAIN["comments"]]
    assert rows[0]["metadata"] == rows[1]["metadata"]


def test_nbgrader_rows_keep_grade_id_points_and_boilerplate():
    row = row_of(NBGRADER)
    metadata = row["metadata"]
    assert (metadata["source"], metadata["grade_id"], metadata["points"]) == (
        "nbgrader",
        "plot",
        2.5,
    )
    assert row["boilerplate_code"] == "# YOUR CODE HERE\n"
    in_metadata = TRAIN | {"metadata": TRAIN["metadata"] | {"grade_id": 7, "points": [0]}}
    row = row_of(NBGRADER | in_metadata | {"points": None, "grade_id": None})
    assert graded(row) == ("nbgrader", "7", 0.0)


def graded(row):
    return tuple(row["metadata"][name] for name in ("source", "grade_id", "points"))


def test_an_exercise_row_is_placed_by_its_address():
    row = row_of(EXERCISE)
    place = {"repo": "bob/ps", "path": "ps 1/b.ipynb", "commit": "0a" * 20}
    assert row["metadata"].items() >= ({"source": "exercise", "points": None} | place).items()
    assert row["boilerplate_code"] == "fig = plt.figure()\n# plot here"
    assert row["metadata"]["exercise_path"] == "ps 1/open.ipynb"
    moved = without(EXERCISE, "boilerplate_code")
    moved["metadata"] = EXERCISE["metadata"] | {"boilerplate": "fig = 1"}
    assert row_of(moved)["boilerplate_code"] == "fig = 1"


@pytest.mark.parametrize(
    ("extra", "source"),
    [
        ({"checksum": "0a"}, "nbgrader"),
        ({"solution": False}, "nbgrader"),
        ({"metadata": {"from_output_nb": False}}, "nbgrader"),
        ({"metadata": {"url": "https://example.org"}}, "exercise"),
        ({"boilerplate_code": ""}, "exercise"),
        ({"boilerplate_code": "", "locked": False}, "nbgrader"),
        ({"checksum": None, "boilerplate_code": None, "metadata": {"url": None}}, "train"),
    ],
)
def test_the_fields_that_say_something_tell_the_kind(extra, source):
    assert row_of(TRAIN | extra)["metadata"]["source"] == source


def test_rows_without_a_place_have_ids_of_their_own():
    def id_of(**changes):
        return row_of(TRAIN | {"metadata": {}} | changes)["id"]

    assert (
        len({id_of(), id_of(nl_original="Another"), id_of(code="x = 1"), row_of(TRAIN)["id"]}) == 4
    )
    assert id_of() == id_of()


def test_context_cells_may_be_of_any_type_and_hold_nothing():
    cells = [
        {"cell_type": "raw", "code": "text"},
        {"cell_type": "heading", "code": ["A\n", "B"], "distance_target": None},
        {"cell_type": "code", "code": None, "code_tokens": ["x"]},
        {"cell_type": "markdown", "nl": ["Say", "it"], "nl_original": None, "code": "x"},
        {"cell_type": 3, "nl": ["What"]},
        "no cell",
        {},
    ]
    row = row_of(TRAIN | {"context": cells, "nl": None})
    assert row["context"] == [
        cell("raw", 1, code="text"),
        cell("heading", 2, code="A\nB"),
        cell("code", 3),
        cell("markdown", 4, nl_original="Say it"),
        cell("markdown", 5, nl_original="What"),
        cell("raw", 7),
    ]
    assert (row["nl_original"], row["nl"]) == ("Say it", ["Say", "it"])


def test_names_come_from_the_nearest_cell_that_defines_them():
    context = [
        {"cell_type": "markdown", "nl_original": "Show the houses", "nl": ["Show"]},
        {"cell_type": "code", "code": "def load(): return 1"},
        {"cell_type": "code", "code": "load = 2\nhouses = 3\nprices = 4\nprint >> x"},
        {"cell_type": "code", "code": "prices = 5; houses = 6; load = 7"},
        {"cell_type": "raw", "code": "rooms = 7"},
    ]
    row = row_of(TRAIN | {"context": context, "code": "f(load(), prices, houses, rooms)"})
    assert (row["uses_variables"], row["uses_methods"]) == (["prices"], ["load"])
    assert row["contextual"]
    assert row["multi_cell"]
    one_cell = row_of(TRAIN | {"context": context, "code": "f(prices)"})
    assert (one_cell["contextual"], one_cell["multi_cell"]) == (True, False)


def test_python_2_keeps_its_tokens():
    row = row_of(
        TRAIN | {"code": "print prices", "code_tokens_clean": ["print", "(", "prices", ")"]}
    )
    assert row["code_tokens_clean"] == ["print", "(", "prices", ")"]
    assert (row["uses_variables"], row["contextual"]) == ([], False)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["repo", "code", "nl", "cell_type", "points"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=20, deadline=None)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(NBGRADER, ANYTHING)))
def test_no_value_of_any_field_stops_the_reader_or_breaks_the_columns(changes):
    assert len(as_table([row_of(TRAIN | without(changes, "code_tokens_clean"))])) == 1
