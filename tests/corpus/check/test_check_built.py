"""What `juice.py build` promises of rows besides what any folder's must keep to."""

import pytest
from sound_folder import CURATED, as_built, broken, cell, sound_rows, with_code, write

from nl2code.corpus.check.report import check

SOURCE = "metadata.source is what the split holds, with its own fields and tests"
AGREE = "rows of one notebook show the same cells of it"
VERSION = "train rows of one notebook have one commit and licence"
ORDER = "rows stand by repository, notebook and cell"
GIVEN = "boilerplate_code stands in the context, directly above"
ABOVE = "num_cells_above agrees with the context"
REDACTED = "nothing is left to redact in NL, code, tests and context"
GRADED = {"source": "nbgrader", "grade_id": "q1", "points": 2.0, "submissions": 1}
PAIRED = {
    "source": "exercise",
    "path": "lab_solution.ipynb",
    "exercise_path": "lab.ipynb",
    "repositories": 3,
}


@pytest.fixture
def rows():
    return sound_rows()


def curated_rows():
    """Two problems of each source, in dev and test."""
    rows = sound_rows()
    for split, metadata in (("dev", PAIRED), ("test", GRADED)):
        for number, row in enumerate(rows[split]):
            row["metadata"] = row["metadata"] | metadata
            if split == "dev":
                row["metadata"]["path"] = f"{number}_solution.ipynb"
            else:
                row["tests"] = [f"assert fig{number} is not None"]
    return rows


def build(folder, rows):
    return as_built(folder, rows, options=CURATED)


def test_curated_rows_with_what_their_source_has_keep_all_promises(tmp_path):
    findings = check(build(tmp_path, curated_rows()))
    assert not [finding for finding in findings if finding.violations]
    assert {f.checked for f in findings if f.invariant in (SOURCE, REDACTED, ORDER)} == {6}


@pytest.mark.parametrize(
    ("split", "changes", "said"),
    [
        ("dev", {"source": "train"}, "train in dev"),
        ("dev", {"source": "nbgrader"}, "nbgrader with exercise_path"),
        ("test", {"source": "exercise"}, "exercise with grade_id"),
        ("train", {"source": "nbgrader"}, "nbgrader in train"),
        ("train", {"grade_id": "q1"}, "train with grade_id"),
        ("train", {"repositories": 2}, "train with repositories"),
        ("train", {"tests": ["assert plum"]}, "train with tests"),
        ("train", {"boilerplate_code": "x"}, "train with boilerplate_code 'x'"),
        ("dev", {"tests": ["assert pear"]}, "exercise with tests"),
        ("dev", {"points": 1.0}, "exercise with points"),
        ("dev", {"exercise_path": None}, "exercise_path: "),
        ("dev", {"exercise_path": "0_solution.ipynb"}, "exercise_path: 0_solution.ipynb"),
        ("dev", {"exercise_path": "lab.py"}, "exercise_path: lab.py"),
        ("dev", {"path": "0.ipynb"}, "path: 0.ipynb, which says no solution"),
        ("dev", {"repositories": 2}, "repositories: 2, fewer than 3"),
        ("test", {"submissions": 0}, "submissions: 0"),
        ("test", {"submissions": None}, "submissions: None"),
        ("test", {"grade_id": ""}, "grade_id is empty"),
        ("test", {"points": float("nan")}, "points: nan, of 1 tests"),
        ("test", {"points": float("inf")}, "points: inf, of 1 tests"),
        ("test", {"tests": []}, "points: 2.0, of 0 tests"),
        ("test", {"tests": ["assert fig", " "]}, "a test is blank or the target"),
        ("test", {"boilerplate_code": " "}, "nbgrader with boilerplate_code ' '"),
    ],
)
def test_what_a_source_does_not_have_is_named(tmp_path, split, changes, said):
    rows = curated_rows()
    row = rows[split][0]
    for name, value in changes.items():
        (row if name in row else row["metadata"])[name] = value
    assert broken(build(tmp_path, rows))[SOURCE].example == f"{row['id']}: {said}"


def test_a_test_that_is_the_target_is_named(tmp_path):
    rows = curated_rows()
    rows["test"][0]["tests"] = [rows["test"][0]["code"] + "\n"]
    assert broken(build(tmp_path, rows))[SOURCE].example.endswith("a test is blank or the target")


def test_an_instructor_s_answer_without_tests_is_in_order(tmp_path):
    rows = curated_rows()
    rows["test"][0]["tests"] = []
    rows["test"][0]["metadata"]["points"] = None
    assert not broken(build(tmp_path, rows))


def test_curated_rows_where_whole_notebooks_are_held_out_are_named(tmp_path):
    assert broken(as_built(tmp_path, curated_rows()))[SOURCE].violations == 4


LESSON = ("seeds = 1  # to begin with", "figs = 2  # as many as there are", "leaves = 3")


def one_notebook(rows):
    """The test rows as targets of one notebook, at 4 and 6, with given code at the second."""
    first, second = rows["test"]
    for row, place in ((first, 4), (second, 6)):
        row["metadata"] = row["metadata"] | {"path": "0.ipynb", "cell_index": place}
        row["num_cells_above"] = place
    nl = first["nl_original"]
    above = [*LESSON, nl]
    first["context"] = as_context(above)
    given = "figure = None"
    second["context"] = as_context([*above, first["code"], second["nl_original"], given])
    second["boilerplate_code"] = given
    return rows


def as_context(cells):
    kinds = ("markdown" if text.startswith("##") else "code" for text in cells[::-1])
    pairs = enumerate(zip(cells[::-1], kinds, strict=True), 1)
    return [cell(distance, text, kind) for distance, (text, kind) in pairs]


def replace_the_farthest(context):
    context[-1]["code"] = "weeds = 1"


def swap_two(context):
    context[-1]["code"], context[-2]["code"] = context[-2]["code"], context[-1]["code"]


def comment(context):
    context[-2]["code"] += "  # more"


def retype(context):
    context[-3] |= {"cell_type": "raw"}


@pytest.mark.parametrize(
    ("change", "places"),
    [(replace_the_farthest, 1), (swap_two, 2), (comment, 1), (retype, 1)],
)
@pytest.mark.parametrize("number", [0, 1])
def test_a_cell_that_is_not_as_in_another_row_of_its_notebook_is_named(
    tmp_path, rows, change, places, number
):
    assert AGREE not in broken(as_built(tmp_path, one_notebook(rows)))
    change(rows["test"][number]["context"])
    found = broken(as_built(tmp_path, rows))[AGREE]
    assert found.violations == places
    assert all(row["id"] in found.example for row in rows["test"])


def test_a_cell_that_is_a_target_too_shows_its_code_with_magics(tmp_path, rows):
    first, second = one_notebook(rows)["test"]
    above = second["context"][2]
    assert above["code"] == first["code"]
    above["code"] = f"{first['code']}\n%matplotlib inline"
    assert AGREE not in broken(as_built(tmp_path, rows))
    above["code"] = f"{first['code']}  # more"
    assert broken(as_built(tmp_path, rows))[AGREE].violations == 1


@pytest.mark.parametrize("name", ["license", "commit"])
def test_train_rows_of_one_notebook_are_of_one_version(tmp_path, rows, name):
    for number, row in enumerate(rows["train"], 3):
        row["metadata"] |= {"path": "0.ipynb", "cell_index": number}
    assert VERSION not in broken(as_built(tmp_path, rows))
    rows["train"][1]["metadata"][name] = "ISC"
    assert broken(as_built(tmp_path, rows))[VERSION].example == "someone/plum/0.ipynb"


def test_notebooks_of_two_commits_need_not_agree(tmp_path, rows):
    one_notebook(rows)["test"][1]["metadata"]["commit"] = "another"
    comment(rows["test"][1]["context"])
    assert AGREE not in broken(as_built(tmp_path, rows))


@pytest.mark.parametrize(("commit", "agree"), [(None, True), ("c1", False)])
def test_problems_of_versions_that_no_commit_tells_apart_need_not_agree(
    tmp_path, rows, commit, agree
):
    for row in one_notebook(rows)["test"]:
        row["metadata"] |= GRADED | {"commit": commit, "points": None}
    comment(rows["test"][1]["context"])
    assert (AGREE not in broken(build(tmp_path, rows))) == agree


def test_the_farthest_cell_of_a_row_with_given_code_is_missed(tmp_path, rows):
    row = one_notebook(rows)["test"][1]
    assert ABOVE not in broken(as_built(tmp_path, rows))
    row["context"].pop()
    assert broken(as_built(tmp_path, rows))[ABOVE].example.endswith("6 above, 6 in the context")


def test_given_code_that_only_the_context_has_is_missed_by_its_name(tmp_path):
    rows = curated_rows()
    row = rows["test"][0]
    row["context"] = as_context([one["code"] or one["nl_original"] for one in row["context"]][::-1])
    row["num_cells_above"] = row["metadata"]["cell_index"] = 2
    found = broken(build(tmp_path, rows))
    assert found[GIVEN].example.endswith("none, but a cell more in the context")
    assert ABOVE not in found


@pytest.mark.parametrize("column", ["nl_original", "code", "tests", "context"])
def test_what_is_to_redact_is_named_where_it_stands(tmp_path, column):
    rows = curated_rows()
    row, secret = rows["test"][0], "fig = 'ada" + "@lovelace.org'"
    where = column
    if column == "code":
        rows["test"][0] = row = with_code(row, secret)
    elif column == "context":
        row["context"][1]["code"] += f"\n{secret}"
        where = "the context, at distance 2"
    else:
        row[column] = [secret] if column == "tests" else secret
    assert broken(build(tmp_path, rows))[REDACTED].example == f"{row['id']}: {where}"


def test_rows_in_another_order_are_named(tmp_path, rows):
    rows["train"].reverse()
    found = broken(as_built(tmp_path, rows))
    first, second = (row["id"] for row in rows["train"])
    assert found.keys() == {ORDER}
    assert found[ORDER].example == f"{second}: behind {first}"


def test_folders_that_we_did_not_build_may_have_any_order_and_fields(tmp_path, rows):
    rows["train"].reverse()
    rows["train"][0]["tests"] = ["assert True"]
    assert not broken(write(tmp_path, rows))
