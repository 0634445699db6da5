import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.held_out import SPLITS, HeldOut, halves, split_by_name
from nl2code.corpus.near_duplicates import cell_key
from nl2code.corpus.schema import CANDIDATE_SCHEMA
from nl2code.corpus.splits import _drop_from_two_splits, choose

# A seed that puts `held` into test, `other` into dev and `train` into train.
THREE = {"seed": 7}


def candidate(repo, path, cell=1, target="t", nl="n", notebook=None, commit=None, **columns):
    metadata = {"repo": repo, "path": path, "cell_index": cell, "commit": commit}
    return {
        "id": f"{repo}/{path}/{cell}/{target}",
        "metadata": metadata,
        "notebook_key": notebook or f"{repo}/{path}",
        "target_key": target,
        "nl_key": nl,
        **columns,
    }


def chosen(tmp_path, rows, unit="repositories", answers=(), **held_out):
    """The ids left in each split, and the drops."""
    pq.write_table(pa.Table.from_pylist(rows, schema=CANDIDATE_SCHEMA), tmp_path / "0.parquet")
    with duckdb.connect() as connection:
        if answers:
            connection.register("found", pa.Table.from_pylist(answers))
            connection.execute("CREATE TABLE answers AS FROM found")
        drops = choose(connection, tmp_path, HeldOut(unit, **held_out))
        kept = connection.sql("SELECT split, id FROM ranked ORDER BY ALL").fetchall()
    return kept, drops


def repositories(count):
    return [f"r{number}" for number in range(count)]


def test_every_split_gets_a_repository_and_the_seed_decides_which():
    splits = split_by_name(repositories(20), HeldOut("repositories", seed=3))
    assert sorted(splits.values()) == ["dev"] * 2 + ["test"] * 2 + ["train"] * 16
    assert splits == split_by_name(repositories(20)[::-1], HeldOut("repositories", seed=3))
    assert splits != split_by_name(repositories(20), HeldOut("repositories", seed=4))
    many = list(split_by_name(repositories(100), HeldOut("repositories")).values())
    assert [many.count(split) for split in ("train", "dev", "test")] == [80, 10, 10]
    assert sorted(split_by_name(repositories(3), HeldOut("repositories")).values()) == [
        "dev",
        "test",
        "train",
    ]


def test_a_target_or_nl_survives_in_one_split_only_test_first(tmp_path):
    names = repositories(12)
    splits = split_by_name(names, HeldOut("repositories"))
    rows = [candidate(name, "a.ipynb", target="same", nl=name) for name in names]
    rows += [candidate(name, "b.ipynb", target=name, nl="same") for name in names]
    kept, drops = chosen(tmp_path, rows)
    best = min(name for name in names if splits[name] == "test")
    assert ("test", f"{best}/a.ipynb/1/same") in kept
    assert [split for split, key in kept if key.endswith("same")] == ["test"]
    assert +drops == {"duplicate_target": 11, "duplicate_nl": 11}


def test_a_copied_notebook_gives_examples_once(tmp_path):
    rows = [
        candidate(name, f"{name}.ipynb", cell, f"t{cell}", f"n{cell}", notebook="copy")
        for name in repositories(5)
        for cell in (1, 3)
    ]
    kept, drops = chosen(tmp_path, rows)
    (test,) = (
        name
        for name, split in split_by_name(repositories(5), HeldOut("repositories")).items()
        if split == "test"
    )
    assert kept == [("test", f"{test}/{test}.ipynb/{cell}/t{cell}") for cell in (1, 3)]
    assert drops["duplicate_notebook"] == 8


def test_of_two_versions_of_a_notebook_one_counts_whole(tmp_path):
    rows = [
        candidate(
            name, "a", cell, f"{name}{cell}", f"{commit}{name}{cell}", f"{commit}{name}", commit
        )
        for name in repositories(4)
        for commit, cells in (("c2", (1, 3)), ("c1", (1, 5)))
        for cell in cells
    ]
    kept, drops = chosen(tmp_path, rows)
    assert sorted(key for _, key in kept) == [
        f"{name}/a/{cell}/{name}{cell}" for name in repositories(4) for cell in (1, 5)
    ]
    assert (kept, drops) == chosen(tmp_path, rows[::-1])
    assert drops["other_version"] == 8


def test_what_survives_does_not_depend_on_the_order(tmp_path):
    rows = [
        candidate(name, path, cell, target=f"t{cell}", nl=f"{name}{cell}")
        for name in repositories(7)
        for path in ("a", "b")
        for cell in (1, 2)
    ]
    assert chosen(tmp_path, rows) == chosen(tmp_path, rows[::-1])


def test_notebooks_can_be_held_out_instead(tmp_path):
    rows = [candidate("one", f"{n}", target=f"t{n}", nl=f"n{n}") for n in range(10)]
    kept, _ = chosen(tmp_path, rows, unit="notebooks")
    assert sorted(split for split, _ in kept) == ["dev", "test"] + ["train"] * 8


def problem(repo, path, cell, assignment, **columns):
    name = f"{assignment}{cell}"
    return candidate(repo, path, cell, name, name, assignment=assignment, **columns)


def test_a_curated_train_is_what_no_assignment_has_and_each_assignment_is_in_one_split(tmp_path):
    rows = [problem("ada", name, cell, name) for name in "abcd" for cell in (1, 3)]
    rows += [candidate(name, "x", target=name, nl=name) for name in repositories(5)]
    kept, _ = chosen(tmp_path, rows, unit="curated")
    assert {key[:1] for split, key in kept if split == "train"} == {"r"}
    halves = [{key.split("/")[1] for split, key in kept if split == half} for half in SPLITS[1:]]
    assert sorted(map(len, halves)) == [2, 2]
    assert not halves[0] & halves[1]
    assert len(kept) == len(rows)


def test_one_assignment_is_test(tmp_path):
    rows = [problem("ada", "a", cell, "a") for cell in (1, 3)]
    kept, _ = chosen(tmp_path, rows, unit="curated")
    assert [split for split, _ in kept] == ["test", "test"]


@pytest.mark.parametrize("seed", range(9))
def test_dev_and_test_differ_by_no_more_problems_than_the_largest_assignment_has(seed):
    sizes = {"a": 10, "b": 10, "c": 1, "d": 1, "e": 1}
    splits = halves(sizes, seed)
    dev, test = (sum(sizes[name] for name in sizes if splits[name] == s) for s in ("dev", "test"))
    assert abs(dev - test) <= 10
    assert splits == halves(dict(reversed(sizes.items())), seed)


def copies(kind):
    """Two problems of an assignment in copies of a notebook, or versions, with its other rows."""
    same = {"notebook": "copy"} if kind == "copy" else {}
    places = [(f"r{n}", "a") for n in range(2)] if kind == "copy" else [("r", "a")] * 2
    for number, place in enumerate(places):
        version = {"commit": f"c{number}"} if kind == "version" else same
        yield problem(*place, 2 * number + 1, "one", **version)
        yield candidate(*place, 9, f"t{number}", f"n{number}", **version)
    yield candidate("r9" if kind == "copy" else "r", "a", 9, "t", "n", **same)
    yield problem("ada", "b", 1, "two")


@pytest.mark.parametrize("kind", ["copy", "version"])
def test_problems_from_copies_and_versions_of_a_notebook_stay_and_the_rest_leaves(tmp_path, kind):
    kept, drops = chosen(tmp_path, list(copies(kind)), unit="curated")
    assert sorted(key.rsplit("/")[-1] for _, key in kept) == ["one1", "one3", "two1"]
    assert len({split for split, key in kept if "one" in key}) == 1
    assert drops.total() == 3


@pytest.mark.parametrize("seed", range(4))
def test_a_problem_of_another_split_leaves_with_its_copy_of_the_notebook(tmp_path, seed):
    rows = [problem(repo, "a", 1, repo, notebook="copy") for repo in repositories(4)]
    kept, drops = chosen(tmp_path, rows, unit="curated", seed=seed)
    assert [split for split, _ in kept] == ["test", "test"]
    assert +drops == {"duplicate_notebook": 2}


def test_a_train_notebook_with_another_answer_to_a_held_out_problem_leaves(tmp_path):
    rows = [problem("ada", name, 1, name) for name in ("one", "two")]
    rows += [candidate(repo, "one", target=repo, nl=repo) for repo in ("bob", "cy", "di")]
    rows.append(candidate("cy", "a copy", target="c", nl="c", notebook="cy/one"))
    place = {"path": "one", "cell_index": 1}
    answers = [
        {"problem": problem, "repo": repo, "notebook_key": f"{repo}/one"} | place
        for problem, repo in (("p", "ada"), ("p", "bob"), ("p", "cy"), ("q", "di"))
    ]
    kept, drops = chosen(tmp_path, rows, unit="curated", answers=answers)
    assert [key for split, key in kept if split == "train"] == ["di/one/1/di"]
    assert +drops == {"held_out_notebook": 3}


def in_each_split(**columns):
    """A row of train, of dev and of test: the `n`th of each column's values, the keys distinct."""
    return [
        candidate(repo, "a", target=repo, nl=repo)
        | {name: values[number] for name, values in columns.items()}
        for number, repo in enumerate(("train", "other", "held"))
    ]


def with_one_changed(tokens, place, token):
    return [*tokens[:place], token, *tokens[place + 1 :]]


TOKENS = [f"t{number}" for number in range(40)]


@pytest.mark.parametrize(
    ("column", "reason"),
    [("code_tokens_clean", "near_duplicate_target"), ("nl", "near_duplicate_nl")],
)
def test_what_is_near_dev_or_test_leaves_train_only(tmp_path, column, reason):
    texts = [with_one_changed(TOKENS, place, "new") for place in (0, 20, 39)]
    kept, drops = chosen(tmp_path, in_each_split(**{column: texts}), **THREE)
    assert [split for split, _ in kept] == ["dev", "test"]
    assert +drops == {reason: 1}


def test_a_short_target_leaves_only_when_it_is_the_same(tmp_path):
    texts = [with_one_changed(TOKENS[:6], 5, f"new{n}") for n in range(3)]
    kept, _ = chosen(tmp_path, in_each_split(code_tokens_clean=texts), **THREE)
    assert [split for split, _ in kept] == ["dev", "test", "train"]


def cells(*sources):
    return sorted(cell_key("code", source) for source in sources)


def test_a_train_notebook_leaves_whole_when_its_cells_are_mostly_a_held_out_one_s(tmp_path):
    common = [f"step_{n}(of_the_same_long_lesson)" for n in range(6)]
    keys = [cells(*common, "mine()"), cells("apart()"), cells(*common, "other()")]
    rows = in_each_split(cell_keys=keys)
    rows.append(
        candidate("train", "a", 2, target="more", nl="more", cell_keys=cells("apart_too()"))
    )
    kept, drops = chosen(tmp_path, rows, **THREE)
    assert [split for split, _ in kept] == ["dev", "test"]
    assert +drops == {"near_duplicate_notebook": 2}


def test_common_cells_do_not_make_notebooks_near(tmp_path):
    common = ["import numpy as np", "%matplotlib inline", "import pandas as pd"]
    keys = [
        cells(*common, *(f"{repo}_{n} = a_long_enough_call({n}, {repo!r})" for n in range(2)))
        for repo in ("train", "other", "held")
    ]
    kept, _ = chosen(tmp_path, in_each_split(cell_keys=keys), **THREE)
    assert [split for split, _ in kept] == ["dev", "test", "train"]


def test_a_notebook_in_two_splits_stays_in_the_first_and_its_exercise_goes_with_it():
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE ranked AS SELECT * FROM (VALUES
               ('r', 'solution', 1, 'exercise'), ('r', 'solution', 3, NULL),
               ('r', 'exercise', 3, NULL),
               ('r', 'other', 3, NULL), ('fork', 'exercise', 3, NULL)
               ) AS rows(repo, path, rank, exercise_path)"""
        )
        assert _drop_from_two_splits(connection) == 2
        left = connection.sql("SELECT repo, path, rank FROM ranked ORDER BY ALL").fetchall()
    assert left == [("fork", "exercise", 3), ("r", "other", 3), ("r", "solution", 1)]
