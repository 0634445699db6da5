import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.schema import CANDIDATE_SCHEMA
from nl2code.corpus.splits import HeldOut, choose, split_by_name
from nl2code.errors import UserError


def candidate(repo, path, cell=1, target="t", nl="n", notebook=None, commit=None):
    metadata = {"repo": repo, "path": path, "cell_index": cell, "commit": commit}
    return {
        "id": f"{repo}/{path}/{cell}/{target}",
        "metadata": metadata,
        "notebook_key": notebook or f"{repo}/{path}",
        "target_key": target,
        "nl_key": nl,
    }


def chosen(tmp_path, rows, **held_out):
    """The ids left in each split, and the drops."""
    pq.write_table(pa.Table.from_pylist(rows, schema=CANDIDATE_SCHEMA), tmp_path / "0.parquet")
    with duckdb.connect() as connection:
        drops = choose(connection, tmp_path, HeldOut(**held_out))
        kept = connection.sql("SELECT split, id FROM ranked ORDER BY ALL").fetchall()
    return kept, drops


def repositories(count):
    return [f"r{number}" for number in range(count)]


def test_every_split_gets_a_repository_and_the_seed_decides_which():
    splits = split_by_name(repositories(20), HeldOut(seed=3))
    assert sorted(splits.values()) == ["dev"] * 2 + ["test"] * 2 + ["train"] * 16
    assert splits == split_by_name(repositories(20)[::-1], HeldOut(seed=3))
    assert splits != split_by_name(repositories(20), HeldOut(seed=4))
    many = list(split_by_name(repositories(100), HeldOut()).values())
    assert [many.count(split) for split in ("train", "dev", "test")] == [80, 10, 10]
    assert sorted(split_by_name(repositories(3), HeldOut()).values()) == ["dev", "test", "train"]


def test_too_few_repositories_say_what_to_do():
    with pytest.raises(UserError, match="--dev-test notebooks"):
        split_by_name(["one", "two"], HeldOut())


def test_a_target_or_nl_survives_in_one_split_only_test_first(tmp_path):
    names = repositories(12)
    splits = split_by_name(names, HeldOut())
    rows = [candidate(name, "a.ipynb", target="same", nl=name) for name in names]
    rows += [candidate(name, "b.ipynb", target=name, nl="same") for name in names]
    kept, drops = chosen(tmp_path, rows)
    best = min(name for name in names if splits[name] == "test")
    assert ("test", f"{best}/a.ipynb/1/same") in kept
    assert [split for split, key in kept if key.endswith("same")] == ["test"]
    counts = {"duplicate_target": 11, "duplicate_nl": 11}
    assert drops == {"other_version": 0, "duplicate_notebook": 0} | counts


def test_a_copied_notebook_gives_examples_once(tmp_path):
    rows = [
        candidate(name, f"{name}.ipynb", cell, f"t{cell}", f"n{cell}", notebook="copy")
        for name in repositories(5)
        for cell in (1, 3)
    ]
    kept, drops = chosen(tmp_path, rows)
    (test,) = (
        name for name, split in split_by_name(repositories(5), HeldOut()).items() if split == "test"
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
