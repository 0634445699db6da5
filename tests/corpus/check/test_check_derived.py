"""Columns that the code, the NL and the context of a row decide."""

import pytest
from sound_folder import CURATED, OPTIONS, as_built, broken, cell, sound_rows, with_code, write

from nl2code.corpus.check import derived

NL, COMMENTS = "nl is the words of nl_original", "comments are those of code"
IMPORTS = "imports are those of the cells above and of code"
USES = "uses_*, multi_cell are what code takes from above"
COMPLETE = "every column has a value; metadata says source, repo and path"
ANSWER = "no curated row shows its own target above or in given code (50 characters or more)"
GIVEN = "boilerplate_code stands in the context, directly above"


@pytest.fixture
def rows():
    return sound_rows()


def context(*cells):
    """The columns of a context, nearest first; each cell is a text, markdown in a tuple."""
    kinds = ["markdown" if isinstance(one, tuple) else "code" for one in cells]
    texts = [one[0] if isinstance(one, tuple) else one for one in cells]
    numbered = enumerate(zip(texts, kinds, strict=True), 1)
    found = [cell(distance, text, kind) for distance, (text, kind) in numbered]
    return {"context": found, "num_cells_above": len(found)}


@pytest.mark.parametrize(
    ("changes", "claim", "example"),
    [
        ({"nl": ["Other", "words"]}, NL, "item 1: Other, not Step"),
        ({"comments": ["#", "red", "COMMENTSEP"]}, COMMENTS, "item 1: #, not the end"),
        ({"imports": ["figs", "numpy"]}, IMPORTS, "item 2: numpy, not the end"),
        ({"imports": []}, IMPORTS, "item 1: the end, not figs"),
        ({"uses_variables": ["figs"]}, USES, "uses_variables: item 1: figs, not fig"),
        ({"uses_methods": ["call1"]}, USES, "uses_methods: item 1: call1, not the end"),
        ({"multi_cell": True}, USES, "multi_cell: True, not False"),
    ],
)
def test_a_column_that_the_row_does_not_give_is_named(tmp_path, rows, changes, claim, example):
    rows["test"][0] |= changes
    (finding,) = broken(write(tmp_path, rows)).values()
    assert (finding.invariant, finding.violations) == (claim, 1)
    assert finding.example == f"test-0: {example}"


def test_names_of_two_cells_are_multi_cell_and_the_last_definition_counts(tmp_path, rows):
    row = rows["test"][0]
    above = context((row["nl_original"],), "def figure(): pass", "fig = 2", "fig = figure = 1")
    row = with_code(row | above, "fig1 = figure(fig)")
    names = {"uses_variables": ["fig"], "uses_methods": ["figure"], "multi_cell": True}
    rows["test"][0] = row | names | {"imports": []}
    assert not broken(write(tmp_path, rows))
    rows["test"][0]["multi_cell"] = False
    assert broken(write(tmp_path, rows))[USES].example == "test-0: multi_cell: False, not True"


def test_a_parameter_of_the_given_function_is_not_from_above(tmp_path, rows):
    given = "def f(fig):\n    # YOUR CODE HERE\n    return fig"
    row = with_code(rows["test"][0], "fig = fig + 1")
    row |= context(given, "fig = 1", (row["nl_original"],)) | {"imports": [], "num_cells_above": 2}
    rows["test"][0] = row | {"boilerplate_code": given, "uses_variables": [], "contextual": False}
    assert USES not in broken(write(tmp_path, rows))
    rows["test"][0] |= {"uses_variables": ["fig"], "contextual": True}
    assert broken(write(tmp_path, rows))[USES].example == (
        "test-0: uses_variables: item 1: fig, not the end"
    )


@pytest.mark.parametrize("uses", [["fig"], []])
def test_what_only_python_2_reads_may_have_run_or_not(tmp_path, rows, uses):
    row = rows["test"][0]
    row |= context((row["nl_original"],), "print 'figs'; fig = 1")
    row |= {"uses_variables": uses, "contextual": bool(uses), "imports": []}
    assert not broken(write(tmp_path, rows))


def test_what_a_cut_context_no_longer_shows_is_believed_and_what_it_shows_is_not(tmp_path, rows):
    row = cut(rows)
    assert not broken(write(tmp_path, rows))
    row["uses_variables"] = ["seeds"]
    row["imports"] = ["figs", "numpy"]
    assert broken(write(tmp_path, rows)).keys() == {USES, IMPORTS}


def cut(rows):
    """A row that shows three of nine cells, and uses names of others."""
    row = with_code(rows["test"][0], "eaten = fig.eat(seeds, fig1, wash(fig))")
    row |= {"num_cells_above": 9, "imports": ["numpy", "figs"], "multi_cell": True}
    rows["test"][0] = row | {"uses_variables": ["fig", "seeds"], "uses_methods": ["wash"]}
    return rows["test"][0]


@pytest.mark.parametrize(
    ("changes", "claim", "example"),
    [
        ({"uses_variables": ["fig", "plate", "seeds"]}, USES, "item 2: plate, not seeds"),
        ({"uses_variables": ["fig", "fig1", "seeds"]}, USES, "item 2: fig1, not seeds"),
        ({"uses_variables": ["seeds", "fig"]}, USES, "item 1: seeds, not fig"),
        ({"uses_variables": ["fig", "seeds", "seeds"]}, USES, "item 3: seeds, not the end"),
        ({"uses_methods": ["seeds", "wash"]}, USES, "a variable and a method: seeds"),
        ({"imports": ["numpy 2", "figs"]}, IMPORTS, "item 1: numpy 2, not numpy"),
        ({"imports": ["as", "figs"]}, IMPORTS, "item 1: as, not figs"),
        ({"uses_variables": ["fig"], "uses_methods": []}, USES, "multi_cell: True, not False"),
    ],
)
def test_of_a_cut_context_only_what_the_code_may_use_is_believed(
    tmp_path, rows, changes, claim, example
):
    row = cut(rows)
    row |= changes
    (finding,) = broken(write(tmp_path, rows)).values()
    assert (finding.invariant, finding.violations) == (claim, 1)
    assert finding.example.endswith(example)


def test_rows_of_a_notebook_agree_on_what_is_imported_where_none_shows_it(tmp_path, rows):
    first, second = rows["test"]
    second["metadata"] = first["metadata"] | {"cell_index": 9}
    for row, place in ((first, 5), (second, 9)):
        row["metadata"] = row["metadata"] | {"cell_index": place}
        row |= {"num_cells_above": place, "imports": ["numpy", "torch", "figs"]}
    second["imports"] = ["numpy", "torch", "figs", "math", "figs"]
    as_built(tmp_path, rows, options=OPTIONS | {"max_context_cells": 3})
    assert IMPORTS not in broken(tmp_path)
    first["imports"] = ["numpy", "jax", "figs"]
    write(tmp_path, rows)
    assert broken(tmp_path)[IMPORTS].example.endswith("item 2: torch, not jax")


def test_of_a_notebook_s_rows_each_reads_only_what_is_new_above(tmp_path, rows, monkeypatch):
    read = []
    count = 20
    cells = [f"fig{n} = {n}" for n in range(count)]
    nl = rows["test"][0]["nl_original"]
    found = []
    for n in range(count):
        above = context((nl,), *cells[n::-1])
        row = with_code(rows["test"][0] | above, f"figs.figure({n}, fig0)")
        names = {"uses_variables": ["fig0"], "imports": []}
        found.append(row | names | {"id": str(n), "nl_original": nl})
    monkeypatch.setattr(derived, "imports", lambda source: read.append(source) or [])
    rows["test"] = found
    nl_without_names = "Take it."
    for row in found:
        row |= {"nl_original": nl_without_names, "nl": ["Take", "it", "."]}
        row["context"][0]["nl_original"] = nl_without_names
    uses = broken(write(tmp_path, rows)).get(USES)
    assert uses is None
    assert sum(source in cells for source in read) == count


CODE = "answer = figs.all_of_them(figs.every, figs.single, 'one by one')"


def curated(row):
    row["metadata"]["source"] = "nbgrader"
    row |= {"uses_variables": [], "contextual": False}
    return with_code(row, CODE)


@pytest.mark.parametrize(
    ("above", "where"),
    [
        (CODE, "in the context"),
        (f"# Solution\n{CODE.replace(' ', '   ')}\nprint(answer)", "in the context"),
        ((f"Try:\n{CODE}",), "in the context"),
        (CODE[:-1], None),
    ],
)
def test_a_curated_row_that_shows_its_target_above_is_named(tmp_path, rows, above, where):
    row = curated(rows["test"][0])
    row |= context((row["nl_original"],), above) | {"imports": []}
    rows["test"][0] = row
    found = broken(write(tmp_path, rows)).get(ANSWER)
    assert (found and found.example) == (where and f"test-0: {where}")


@pytest.mark.parametrize(("code", "shown"), [(CODE, True), ("a = figs.one()", False)])
def test_given_code_that_is_the_target_is_named_unless_it_is_short(tmp_path, rows, code, shown):
    row = with_code(curated(rows["dev"][0]), code)
    given = f"def f():\n    {code}"
    row |= context(given, (row["nl_original"],)) | {"imports": [], "num_cells_above": 1}
    rows["dev"][0] = row | {"boilerplate_code": given}
    found = broken(write(tmp_path, rows))
    assert (ANSWER in found) == shown
    if shown:
        assert found[ANSWER].example == "dev-0: in boilerplate_code"


def test_given_code_stands_directly_above_in_a_build(tmp_path, rows):
    row = curated(rows["dev"][0])
    row |= context((row["nl_original"],), "x = 1") | {"imports": []}
    rows["dev"][0] = row | {"boilerplate_code": "x = 1", "num_cells_above": 1}
    assert GIVEN not in broken(write(tmp_path, rows))
    row["metadata"]["cell_index"] = 1
    assert GIVEN in broken(as_built(tmp_path, rows, options=CURATED))


def test_the_prompt_of_a_curated_row_stands_anywhere_above(tmp_path, rows):
    row = curated(rows["dev"][0])
    nl = row["nl_original"]
    rows["dev"][0] = row | context("x = 1", ("My own words.",), (nl,)) | {"imports": []}
    assert not broken(write(tmp_path, rows))
    rows["dev"][0] |= context("x = 1", ("My own words.",))
    assert broken(write(tmp_path, rows)).keys() == {
        "nl_original of a curated row stands in its context"
    }


def change_the_path(row):
    row["metadata"]["path"] = "9.ipynb"


def change_the_place(row):
    row["metadata"]["cell_index"] = 2


@pytest.mark.parametrize("change", [change_the_path, change_the_place])
def test_an_id_is_that_of_its_place_where_we_built(tmp_path, rows, change):
    as_built(tmp_path, rows)
    change(rows["test"][0])
    write(tmp_path, rows)
    found = broken(tmp_path)
    assert found["id is the digest of repo, path, cell_index and code"].violations == 1


def test_licences_are_those_that_the_build_keeps_and_counts(tmp_path, rows):
    options = OPTIONS | {"licenses": ["MIT"]}
    rows["test"][0]["metadata"]["license"] = "GPL-3.0"
    found = broken(as_built(tmp_path, rows, options=options))
    assert found["metadata.license is one that the build keeps"].violations == 1
    counted = found["the stated licences are those of the rows"]
    assert counted.violations == 2
    assert counted.example == "build.json: 0 under GPL-3.0-only, not 1"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("source", None, "source is None"),
        ("source", "book", "source is book"),
        ("repo", None, "repo"),
        ("path", "", "path"),
    ],
)
def test_metadata_that_do_not_say_what_they_must_are_named(tmp_path, rows, name, value, said):
    rows["test"][0]["metadata"][name] = value
    assert broken(write(tmp_path, rows))[COMPLETE].example == f"test-0: {said}"
