"""What dev and test are made of where there is little, and what a build says of empty splits."""

import json

import pyarrow.parquet as pq
import pytest
from curated_world import build_world, lab, notebook, ordinary, world
from nbgrader_cells import code, markdown

import juice
from nl2code.errors import UserError

ONE_LAB = [
    notebook("dan/labs", "lab/prices.ipynb", lab(False, "prices")),
    notebook("dan/labs", "lab/prices_solution.ipynb", lab(True, "prices")),
]


def examples(built):
    return {name: split.examples for name, split in built.splits.items()}


def shops(count, of=1):
    """`count` notebooks in `of` repositories."""
    topics = ("apples", "figs", "pears", "plums")[:count]
    return [notebook(f"shop/{n % of}", f"{t}.ipynb", ordinary(t)) for n, t in enumerate(topics)]


def reduced(repo, nl, cell):
    return notebook(repo, "a.ipynb", [markdown(nl), code(cell)])


def apart(count):
    """Notebooks of one example each, nothing of which is alike."""
    nls = (
        "Then we load all the apples that came in, one by one.",
        "Draw what every house of the town has cost since.",
        "How long did each of those trains wait at night?",
    )
    cells = ("apples = load(1)", "draw(houses)", "waits.sum()")
    places = (f"shop/{number}" for number in range(count))
    return [reduced(*one) for one in zip(places, nls, cells, strict=False)]


def test_auto_holds_out_notebooks_where_there_are_fewer_than_three_repositories(tmp_path):
    built = build_world(
        tmp_path / "out", [one | {"path": one["repo"], "repo": "me"} for one in apart(3)]
    )
    assert examples(built) == {"train": 1, "dev": 1, "test": 1}
    assert built.options["dev_test"] == "notebooks"
    assert "so whole notebooks are held out." in built.note
    built = build_world(tmp_path / "three", apart(3))
    assert built.options["dev_test"] == "repositories"


def test_too_few_of_what_is_held_out_say_how_many_and_what_to_do(tmp_path):
    for unit, said in (
        (
            "repositories",
            r"--dev-test repositories: .* few repositories \(2\).*--dev-test notebooks",
        ),
        ("notebooks", r"--dev-test notebooks: .* few notebooks \(2\), .*; add some; dropped"),
        ("auto", r"--dev-test auto: .* few notebooks \(2\), .*; add some; dropped"),
    ):
        with pytest.raises(UserError, match=said):
            build_world(tmp_path / unit, shops(2, of=2), unit=unit)


@pytest.mark.parametrize("unit", ["auto", "curated"])
def test_exercises_that_nobody_confirms_say_which_option_would_keep_them(tmp_path, unit):
    with pytest.raises(UserError, match=rf"--dev-test {unit}: .*in_too_few_repositories 2") as said:
        build_world(tmp_path / "out", ONE_LAB, unit=unit)
    assert "a lower --min-repositories keeps exercises" in str(said.value)
    kept = build_world(tmp_path / "kept", ONE_LAB, unit=unit, min_repositories=0)
    assert kept.splits["test"].examples == 2


def test_the_funnel_keeps_why_there_is_no_problem_though_repositories_are_held_out(tmp_path):
    built = build_world(tmp_path / "out", [*ONE_LAB, *apart(3)])
    assert ("exercise", "in_too_few_repositories", 2) in built.funnel
    assert "a lower --min-repositories keeps exercises" in built.note


def test_a_course_alone_says_why_train_is_empty(tmp_path):
    course = [one for one in world() if not one["repo"].endswith("shop")]
    course = [one for one in course if "weights" not in one["path"]]
    built = build_world(tmp_path / "out", course)
    assert built.splits["train"].examples == 0
    (_, said) = built.note.split("\n")
    assert said.startswith("train is empty: most went as held_out_notebook (")
    assert said.endswith(
        "notebooks without these problems would help, or try --dev-test notebooks."
    )


def test_copies_alone_say_why_train_and_dev_are_empty(tmp_path):
    (one,) = apart(1)
    built = build_world(tmp_path / "out", [one | {"repo": repo} for repo in "abcd"])
    assert examples(built) == {"train": 0, "dev": 0, "test": 1}
    assert built.note.endswith(
        "train and dev are empty: most went as duplicate_notebook (3);"
        " notebooks that differ from these would help."
    )


def test_train_that_never_had_a_target_is_told_by_what_dropped_it(tmp_path):
    more = [code(f"step{number} = {number}") for number in range(20)]
    labs = [
        notebook("dan/labs", f"lab/{name}.ipynb", [*lab(solved, "prices"), *more])
        for name, solved in (("prices", False), ("prices_solution", True))
    ]
    built = build_world(tmp_path / "out", labs, min_repositories=0)
    assert ("target", "kept", 0) in built.funnel
    assert "train is empty: most went as too_much_code (2)" in built.note


def test_the_command_prints_one_line_for_each_empty_split(tmp_path, capsys):
    (one,) = apart(1)
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(one | {"repo": repo}) + "\n" for repo in "abcd"))
    out = tmp_path / "juice"
    juice.main(["build", str(dump), "--workers", "1", "--no-install", "--out", str(out)])
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if line.startswith("train and dev are empty: ")]
    assert "train and dev are empty: " in (out / "README.md").read_text()
    assert pq.read_table(next(out.glob("test-*"))).num_rows == 1
