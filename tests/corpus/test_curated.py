"""The whole way from notebooks to curated dev and test, on notebooks in sight."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from curated_world import (
    GIVEN,
    TASKS,
    answer,
    assignment,
    build_world,
    extra_assignment,
    lab,
    notebook,
    ordinary,
    stub,
    world,
    write_dump,
)
from nbgrader_cells import code, graded, markdown, solution

import juice
from nl2code.corpus.check.report import check
from nl2code.errors import UserError

ROOT = Path(__file__).parents[2]


def rows(folder, *splits):
    files = sorted(file for split in splits for file in folder.glob(f"{split}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def parquet(folder):
    return {file.name: file.read_bytes() for file in folder.glob("*.parquet")}


def counts(built, stage):
    return {reason: count for at, reason, count in built.funnel if at == stage}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The world, built by the command."""
    place = tmp_path_factory.mktemp("curated")
    dump = str(write_dump(place / "dump.jsonl", world()))
    options = ("--workers", "1", "--no-install", "--out", str(place / "juice"))
    juice.main(["build", dump, *options])
    return place / "juice"


@pytest.fixture
def problems(folder):
    """The rows of dev and test, by a word of their prompt."""
    found = rows(folder, "dev", "test")
    words = ("double", "triple", "Add up", "How many")
    return {word: row for word in words for row in found if word in row["nl_original"]}


def test_exactly_the_right_answers_are_in_dev_and_test(folder, problems):
    assert len(rows(folder, "dev", "test")) == len(problems) == 4
    assert problems["double"]["code"] in ("return x + x", "return 2 * x")
    assert problems["triple"]["code"] == "return 3 * x"
    assert problems["Add up"]["code"] == "for one in prices:\n    total_prices += one"
    assert problems["How many"]["code"] == "count_prices = len(prices)"


def test_an_assignment_is_in_one_split_and_a_lab_in_the_other(folder):
    sources = [
        {row["metadata"]["source"] for row in rows(folder, name)} for name in ("dev", "test")
    ]
    assert sorted(map(sorted, sources)) == [["exercise"], ["nbgrader"]]
    assert {row["metadata"]["source"] for row in rows(folder, "train")} == {"train"}


@pytest.mark.parametrize("name", TASKS)
def test_given_code_stands_directly_above_the_target_and_below_the_prompt(problems, name):
    row, prompt = problems[name], TASKS[name][0]
    assert row["nl_original"] == prompt
    assert row["boilerplate_code"] == stub(name)
    above = [(cell["cell_type"], cell["code"] or cell["nl_original"]) for cell in row["context"]]
    assert above[:2] == [("code", stub(name)), ("markdown", prompt)]
    assert ("code", GIVEN) in above
    distances = [cell["distance_target"] for cell in row["context"]]
    assert distances == list(range(1, len(distances) + 1))
    assert row["num_cells_above"] == row["metadata"]["cell_index"] == len(distances) - 1


@pytest.mark.parametrize("name", TASKS)
def test_a_row_says_which_tests_and_points_it_had_and_how_many_answered(problems, name):
    assert problems[name]["tests"] == [f"assert {name}(2) == {TASKS[name][2]}"]
    metadata = problems[name]["metadata"]
    expected = {"grade_id": name, "points": 2.0, "submissions": 3, "license": "MIT"}
    assert metadata.items() >= expected.items()
    assert metadata["commit"] == f"commit of {metadata['repo']}"


def test_given_lines_of_an_exercise_are_no_target_and_stand_above_it(problems):
    row = problems["Add up"]
    assert row["boilerplate_code"].startswith("total_prices = 0")
    assert row["context"][0]["code"] == row["boilerplate_code"]
    assert row["context"][1]["nl_original"] == row["nl_original"]
    whole = problems["How many"]
    assert whole["boilerplate_code"] is None
    assert whole["context"][0]["nl_original"] == whole["nl_original"]
    # Of the solution itself, which the second answer follows, nothing is hidden.
    assert row["code"] in whole["context"][1]["code"]


def test_an_exercise_says_where_it_is_open_and_how_many_repositories_have_it(problems):
    for word in ("Add up", "How many"):
        metadata = problems[word]["metadata"]
        place = {"repo": "dan/labs", "path": "lab/prices_solution.ipynb"}
        expected = {"exercise_path": "lab/prices.ipynb", "repositories": 3} | place
        assert metadata.items() >= expected.items()


def test_nothing_of_an_assignment_or_a_lab_in_dev_or_test_is_in_train(folder):
    train = rows(folder, "train")
    assert {row["metadata"]["repo"] for row in train} == {"dan/labs", "gil/shop"}
    said = json.dumps(train)
    assert "weights" in said  # the lab of two repositories only, which is no problem
    assert not [word for word in ("double", "triple", "unit", "prices") if word in said]


def test_the_folder_passes_the_check_of_its_invariants(folder):
    assert not [one.invariant for one in check(folder) if one.violations]


def test_a_lab_in_two_repositories_counts_where_one_other_is_enough(tmp_path):
    built = build_world(tmp_path / "one", world(), min_repositories=1)
    assert counts(built, "exercise") == {"kept": 4}
    more = [*world(), *extra_assignment()]
    built = build_world(tmp_path / "three", more, min_repositories=3)
    assert counts(built, "exercise") == {"in_too_few_repositories": 4, "kept": 0}


def test_the_seed_draws_the_answers_and_the_splits(tmp_path):
    splits, answers = set(), set()
    for seed in (0, 2, 5):
        built = build_world(tmp_path / str(seed), world(), seed=seed)
        assert built.options["seed"] == seed
        for split in ("dev", "test"):
            for row in rows(tmp_path / str(seed), split):
                splits.add((split, row["metadata"]["source"]))
                answers |= {row["code"]} if "double" in row["nl_original"] else set()
    assert len(splits) == 4
    assert answers == {"return x + x", "return 2 * x"}


def test_the_order_of_the_notebooks_changes_no_byte(folder, tmp_path):
    build_world(tmp_path / "reversed", list(world())[::-1])
    assert parquet(tmp_path / "reversed") == parquet(folder)


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_neither_workers_nor_hashes_change_a_byte(folder, tmp_path, workers):
    dump = write_dump(tmp_path / "again.jsonl", world())
    run = subprocess.run(
        [sys.executable, ROOT / "juice.py", "build", dump, "--workers", workers, "--no-install"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONHASHSEED": workers},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    for file in ("README.md", "build.json", "ATTRIBUTION.csv"):
        assert (tmp_path / "juice" / file).read_bytes() == (folder / file).read_bytes(), file
    assert parquet(tmp_path / "juice") == parquet(folder)


def test_forks_of_one_repository_confirm_an_exercise_once(tmp_path):
    forks = [
        one | {"commit": "shared"} if one["repo"] in ("eve/labs", "fay/labs") else one
        for one in world()
    ]
    built = build_world(tmp_path / "out", [*forks, *extra_assignment()])
    assert counts(built, "exercise") == {"in_too_few_repositories": 4, "kept": 0}


def test_graded_cells_that_are_no_problem_are_counted_by_reason(tmp_path):
    manual = solution("answer = 41", grade=True)
    long = "answer = [" + ", ".join(map(str, range(80))) + "]"
    cells = [markdown("Tell us what you think, in code."), manual]
    never_ran = graded("assert other", count=None)
    cells += [markdown("Set `other` to anything true."), solution("other = 1"), never_ran]
    cells += [markdown("List the numbers to eighty."), solution(long), graded("assert answer")]
    extra = notebook("ada/ps", "ps3.ipynb", cells)
    built = build_world(tmp_path / "out", [*world(), extra])
    expected = {"manually_graded": 1, "tests_never_ran": 1, "long_code": 1, "kept": 2}
    assert counts(built, "nbgrader") == expected


def test_without_a_course_or_a_solved_exercise_the_mistake_says_what_to_do(tmp_path):
    plain = [notebook("gil/shop", "a.ipynb", ordinary("apples"))]
    with pytest.raises(UserError, match=r"in 1 notebook gives a problem; --dev-test repositories"):
        build_world(tmp_path / "out", plain, unit="curated")


def test_without_a_course_whole_repositories_are_held_out_and_the_card_says_why(tmp_path):
    plain = [
        notebook(f"gil/{name}", "a.ipynb", ordinary(name)) for name in ("apples", "figs", "pears")
    ]
    built = build_world(tmp_path / "out", plain)
    assert built.options["dev_test"] == "repositories"
    assert "no nbgrader assignment and no exercise" in built.note
    assert {split: files.repositories for split, files in built.splits.items()} == {
        "train": 1,
        "dev": 1,
        "test": 1,
    }


def test_few_problems_are_dev_and_test_and_the_card_says_so(tmp_path):
    built = build_world(tmp_path / "out", world())
    assert built.options["dev_test"] == "curated"
    assert "--dev-test repositories makes a larger dev and test" in built.note


@pytest.mark.parametrize("unit", ["auto", "curated"])
def test_one_assignment_alone_is_test_and_the_card_says_so(tmp_path, unit):
    alone = [one for one in world() if not one["repo"].endswith("labs")]
    built = build_world(tmp_path / "out", alone, unit=unit)
    assert len(rows(tmp_path / "out", "test")) == 2
    assert {row["metadata"]["repo"] for row in rows(tmp_path / "out", "train")} == {"gil/shop"}
    assert built.splits["dev"].files == ()
    assert "dev is empty: all problems are of one assignment, and it is test" in built.note
    assert not [one.invariant for one in check(tmp_path / "out") if one.violations]


def test_one_problem_alone_is_spoken_of_in_the_singular(tmp_path):
    built = build_world(tmp_path / "out", [*extra_assignment()])
    assert built.note.startswith("Only 1 curated problem was found; ")


def test_of_a_notebook_in_two_commits_the_first_is_named(tmp_path):
    once = [*world(), *extra_assignment()]
    build_world(tmp_path / "out", [o | {"commit": c} for o in once for c in ("c2", "c1", "c3")])
    found = rows(tmp_path / "out", "dev", "test")
    assert len(found) == 3  # all repositories have a commit in common, so the labs are forks
    assert {row["metadata"]["commit"] for row in found} == {"c1"}


def test_a_solution_is_paired_with_an_exercise_of_its_own_repository_only(tmp_path):
    apart = [
        notebook(f"{when}{n}/labs", f"lab/{name}.ipynb", lab(solved, "prices"))
        for n in range(3)
        for when, name, solved in (("first", "prices", False), ("then", "solution", True))
    ]
    course = [one for one in world() if not one["repo"].endswith("labs")]
    built = build_world(tmp_path / "out", [*apart, *course, *extra_assignment()])
    assert counts(built, "exercise") == {"no_exercise": 3, "kept": 0}


def half_solved(one):
    """Two solution notebooks of the lab in place of one: each answers one of the prompts."""
    cells = json.loads(one["content"])["cells"]
    for path, left_open in (("a_solution.ipynb", 5), ("b_solution.ipynb", 3)):
        some = [*cells[:left_open], *lab(False, "prices")[left_open : left_open + 1]]
        yield notebook(one["repo"], f"lab/{path}", [*some, *cells[left_open + 1 :]])


@pytest.mark.parametrize("split", [False, True])
def test_a_lab_is_one_assignment_though_its_answers_are_in_two_notebooks(tmp_path, split):
    labs = [one for one in world() if one["repo"].endswith("labs")]
    if split:
        solved = [one for one in labs if "prices_solution" in one["path"]]
        labs = [one for one in labs if one not in solved]
        labs += [half for one in solved for half in half_solved(one)]
    built = build_world(tmp_path / "out", labs)
    assert built.splits["test"].examples == 2
    assert "all problems are of one assignment" in built.note


def test_a_dump_of_copies_gives_each_problem_once(tmp_path):
    two = [
        notebook(f"{name}/ps", path, cells, commit=f"{name}{path}")
        for name in ("ada", "bob", "cy", "dan")
        for path, cells in (("1.ipynb", assignment({})), ("2.ipynb", more_tasks()))
    ]
    built = build_world(tmp_path / "out", two)
    found = rows(tmp_path / "out", "dev", "test")
    functions = [f"def {name}(x):\n    return {TASKS[name][1]}" for name in TASKS]
    assert sorted(row["code"] for row in found) == ["book = 6 * 7", *functions]
    assert {row["metadata"]["submissions"] for row in found} == {1}
    assert built.splits["train"].examples == 0


def more_tasks():
    ((extra),) = extra_assignment()
    return json.loads(extra["content"])["cells"]


def test_what_stands_above_a_problem_of_python_2_is_read_as_python_2(tmp_path):
    old = notebook("ada/ps", "old.ipynb", [markdown("Halve it."), *old_cells()])
    old["content"] = old["content"].replace(
        '"metadata": {}, "cells"', '"metadata": {"kernelspec": {"name": "python2"}}, "cells"'
    )
    build_world(tmp_path / "out", [*world(), old])
    (row,) = [row for row in rows(tmp_path / "out", "dev", "test") if "Print" in row["nl_original"]]
    assert row["code"] == "print(half)"
    assert row["uses_variables"] == ["half"]


def old_cells():
    yield code("half = 1 / 2\nprint 'half', half")
    yield markdown("Print what you found, on one line.")
    yield solution("print half")
    yield graded("assert half == 0")


def test_a_lab_whose_notebooks_are_titled_anew_each_year_is_confirmed(tmp_path):
    def retitled(one):
        year = f"The course of {one['repo'][:3]}, first lab, as it was held"
        return one | {"content": one["content"].replace("# All about prices", year)}

    built = build_world(tmp_path / "out", [*map(retitled, world())])
    assert counts(built, "exercise")["kept"] == 2
    assert "prices" not in json.dumps(rows(tmp_path / "out", "train"))
    assert lab(True, "prices") != lab(False, "prices")


def test_nothing_of_a_notebook_that_holds_a_prompt_or_a_test_is_in_train(tmp_path):
    ordinary_end = [
        markdown("Then sell what is left of the fruit, one by one."),
        code("s = sell()"),
    ]
    prompt, value, expected = TASKS["triple"]
    retyped = [markdown(prompt), code(answer("triple", value)), *ordinary_end]
    edited = [
        markdown("My own words for what is asked here."),
        solution(answer("triple", value)),
        graded(f"assert triple(2) == {expected}  # {'for all that we know ' * 3}"),
        *ordinary_end,
    ]
    test = edited[2]["source"]
    plain = [markdown("Numbers."), code("k = f()"), code(test), *ordinary_end]
    more = [
        notebook("hal/ps", "retyped.ipynb", retyped),
        notebook("ian/ps", "edited.ipynb", edited),
        notebook("joe/ps", "plain.ipynb", plain),
    ]
    course = [
        {**one, "content": one["content"].replace(f"assert triple(2) == {expected}", test)}
        for one in world()
    ]
    build_world(tmp_path / "out", [*course, *more])
    repos = {row["metadata"]["repo"] for row in rows(tmp_path / "out", "train")}
    assert not repos & {"hal/ps", "ian/ps", "joe/ps"}
    assert "gil/shop" in repos


def test_cells_that_nobody_was_asked_to_write_yet_are_no_targets(tmp_path):
    stubs = [markdown("Write the function of the day, please, in your own way."), code(stub("day"))]
    built = build_world(tmp_path / "out", [*world(), notebook("kim/ps", "a.ipynb", stubs)])
    assert counts(built, "target")["unanswered"] >= 1
    assert "kim/ps" not in {row["metadata"]["repo"] for row in rows(tmp_path / "out", "train")}


def test_a_row_that_shows_a_cell_of_dev_or_test_is_not_in_train(tmp_path):
    tasks = {
        name: f"Then we take all the {name} that came in and look at each of them, one by one."
        for name in ("apples", "figs", "pears")
    }

    def shop(name, above):
        cells = [*map(markdown, above), markdown(tasks[name]), code(f"{name} = take({name!r})")]
        return notebook(f"shop/{name}", "a.ipynb", cells)

    apart = [shop(name, ["# All about it"]) for name in tasks]
    showing = [shop(name, [tasks[other] for other in tasks if other != name]) for name in tasks]
    within = [shop(name, ["\n".join(["#", *tasks.values(), name])]) for name in tasks]
    for notebooks, left in ((apart, 1), (showing, 0), (within, 0)):
        built = build_world(tmp_path / str(id(notebooks)), notebooks, unit="repositories")
        assert {name: split.examples for name, split in built.splits.items()} == {
            "train": left,
            "dev": 1,
            "test": 1,
        }
    assert counts(built, "duplicate")["shows_held_out"] == 1


def test_two_notebooks_of_one_place_and_cells_give_the_same_in_any_order(tmp_path):
    both = []
    for row in world():
        document = json.loads(row["content"])
        document["metadata"] = {"kernelspec": {"name": "python2", "language": "python"}}
        for cell in document["cells"]:
            graded = cell["metadata"].get("nbgrader", {}) if "metadata" in cell else {}
            if "points" in graded:
                graded["points"] += 1
        both += [row, row | {"content": json.dumps(document)}]
    built = []
    for number, dump in enumerate((both, both[::-1])):
        source = write_dump(tmp_path / f"{number}.jsonl", dump)
        out = tmp_path / str(number)
        juice.main(["build", str(source), "--no-install", "--workers", "1", "--out", str(out)])
        built.append(parquet(out))
    assert built[0] == built[1]
