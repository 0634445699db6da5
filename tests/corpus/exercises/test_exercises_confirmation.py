from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from nl2code.corpus.exercises.cells import exercise_cells
from nl2code.corpus.exercises.confirmation import confirmed, forks_as_one
from nl2code.corpus.exercises.pairing import cell_keys, pairs
from nl2code.sources import find_notebooks


def candidate(repo, commit, key="k", path="soln.ipynb", cell_index=1, boilerplate_code=""):
    return {
        "confirmation_key": key,
        "repo": repo,
        "commit": commit,
        "path": path,
        "cell_index": cell_index,
        "boilerplate_code": boilerplate_code,
    }


def chosen(rows, min_repositories):
    with duckdb.connect() as connection:
        connection.register("candidates", pa.Table.from_pylist(rows))
        return confirmed(connection, "candidates", min_repositories).to_arrow_table().to_pylist()


def keys(rows, min_repositories):
    return [row["confirmation_key"] for row in chosen(rows, min_repositories)]


def test_a_problem_must_stand_in_other_repositories():
    rows = [candidate("ada", "c1"), candidate("bob", "c2"), candidate("cy", "c3", key="alone")]
    assert keys(rows, 0) == ["k", "alone"]
    assert keys(rows, 1) == ["k"]
    assert keys(rows, 2) == []


def test_copies_within_one_repository_confirm_nothing():
    copies = [candidate("ada", f"c{number}", path=f"{number}.ipynb") for number in range(3)]
    assert keys(copies, 1) == []


def test_forks_at_the_same_commit_count_once():
    forks = [candidate("ada", "c1"), candidate("bob", "c1"), candidate("cy", "c1")]
    assert keys(forks, 1) == []
    assert keys([*forks, candidate("di", "c2")], 1) == ["k"]
    assert keys([*forks, candidate("di", "c2")], 2) == []


def test_repositories_without_a_commit_count_each():
    assert keys([candidate("ada", None), candidate("bob", None)], 1) == ["k"]


def test_forks_are_found_through_other_forks_in_any_order():
    places = [("cy", "c2"), ("bob", "c2"), ("bob", "c1"), ("ada", "c1")]
    assert (
        forks_as_one(places)
        == forks_as_one(places[::-1])
        == dict.fromkeys(("ada", "bob", "cy"), "ada")
    )


def test_of_a_problems_copies_the_one_that_nobody_solved_in_place_is_taken():
    solved = [candidate(repo, repo, boilerplate_code="x = f(1)\nx") for repo in ("ada", "bob")]
    (row,) = chosen([*solved, candidate("cy", "c3", boilerplate_code="x")], 1)
    assert (row["repo"], row["boilerplate_code"], row["other_repositories"]) == ("cy", "x", 2)


def test_the_order_of_rows_does_not_matter():
    rows = [candidate(repo, repo, key=key) for repo in "abc" for key in "kl"]
    assert chosen(rows, 1) == chosen(rows[::-1], 1)
    assert [(row["confirmation_key"], row["repo"]) for row in chosen(rows, 1)] == [
        ("k", "a"),
        ("l", "a"),
    ]


EXAMPLES = Path(__file__).parents[3] / "examples/notebooks"
FOLDERS = ("bootcamp-2020", "lenas-fork", "python-evening-class", "study-group-2021")


@pytest.fixture(scope="module")
def embedded():
    """The candidates of the embedded exercises, each repository at a commit of its own."""
    places = {}
    for raw in find_notebooks([EXAMPLES]):
        if raw.repo in FOLDERS:
            places.setdefault(raw.repo, {})[raw.path] = replace(raw.read(), commit=raw.repo)
    rows = []
    for notebooks in places.values():
        for exercise, solution in pairs([*map(cell_keys, notebooks.values())], Counter()):
            whole = notebooks[exercise.path], notebooks[solution.path]
            rows += map(asdict, exercise_cells(*whole, Counter()))
    return rows


def test_the_embedded_exercises_are_found_in_the_folders_that_copied_them(embedded):
    assert Counter(row["repo"] for row in embedded) == dict(
        zip(FOLDERS, (28, 28, 22, 22), strict=True)
    )
    problems = chosen(embedded, 2)
    assert len(problems) == 22
    assert {row["exercise_path"].rpartition("/")[2] for row in problems} == {
        "exercises.ipynb",
        "lab2_pandas.ipynb",
        "numpy_practice.ipynb",
    }
    assert len(chosen(embedded, 1)) == 28


def test_given_code_of_the_embedded_exercises_is_boilerplate(embedded):
    given = {row["source"].partition("\n")[0]: row["boilerplate_code"] for row in embedded}
    assert given["def long_words(text, n):"] == "def long_words(text, n):"
    assert given["import string"] == "import string"
    assert given["print(len(fruits))"] == ""
