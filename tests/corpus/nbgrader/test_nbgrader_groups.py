import random

import pytest
from nbgrader_cells import (
    PROMPT,
    STUB,
    TEST,
    cells_of,
    course,
    graded,
    markdown,
    problems_of,
    solution,
    submitted,
)

from nl2code.corpus.nbgrader.groups import EDITED_PROMPT, problem_groups, problem_key

LONG = "Write a function `keep` that returns the rows of a table whose first column is not missing."
NEAR = LONG.replace("returns the rows", "gives back the rows")


def groups(*notebooks):
    """For each solution cell in order, the number of its group."""
    cells = cells_of(*notebooks)
    found = problem_groups(map(problem_key, cells))
    names = [found[cell.problem_key] for cell in cells]
    return [name and names.index(name) for name in names]


def test_one_prompt_is_one_group_in_all_repositories():
    assert groups(submitted(repo="ada"), submitted("x", repo="bob")) == [0, 0]


def test_ids_on_the_test_cell_alone_group_what_years_changed():
    one = submitted(test="assert keep([1])", prompt=LONG, repo="ada", grade_id="keep_a", points=5)
    other = submitted(test="assert keep([2])", prompt=NEAR, repo="bob", grade_id="keep_a", points=7)
    assert groups(one, other) == [0, 0]


def test_one_id_for_many_prompts_groups_nothing():
    prompts = (
        LONG,
        "Plot the temperatures of each month as bars, with labels on both axes.",
        PROMPT,
    )
    notebooks = [
        submitted(prompt=prompt, test=f"assert f({n})", repo=f"r{n}", grade_id="p1_answer")
        for n, prompt in enumerate(prompts)
    ]
    assert groups(*notebooks) == [0, 1, 2]


def test_one_id_for_two_prompts_without_names_or_numbers_groups_nothing():
    plot = submitted(prompt="Plot the temperatures of each month.", test="assert ax", grade_id="a")
    load = submitted(
        prompt="Load the table of all bicycles.", test="assert df", repo="bob", grade_id="a"
    )
    assert groups(plot, load) == [0, 1]


def test_an_edited_prompt_stays_in_the_group_of_its_tests():
    edited = f"{PROMPT} Done, thanks!"
    assert groups(submitted(repo="ada"), submitted(prompt=edited, repo="bob")) == [0, 0]


def test_edited_tests_do_not_split_the_group():
    ids = {"checksum": "c"}
    changed = submitted(test=f"x = 1\n{TEST}", repo="bob", **ids)
    assert groups(submitted(repo="ada", **ids), changed) == [0, 0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Print the first 5 rows of the whole table.",
            "Print the first 9 rows of the whole table.",
        ),
        (
            "Drop the rows of the table without `wind`.",
            "Drop the rows of the table without `rain`.",
        ),
    ],
)
def test_another_number_or_column_is_another_problem(one, other):
    ids = {"grade_id": "rows", "checksum": "c"}
    first, second = (
        submitted(prompt=one, repo="r1", **ids),
        submitted(prompt=other, repo="r2", **ids),
    )
    assert groups(first, second) == [0, 1]


def test_a_renumbered_heading_is_the_same_problem_when_the_tests_agree():
    one, other = f"## Problem 2. {LONG}", f"## Problem 13.2. {LONG}"
    assert groups(submitted(prompt=one), submitted(prompt=other, repo="bob")) == [0, 0]
    other_test = submitted(prompt=other, test="assert keep(1)", repo="bob", grade_id="a")
    assert groups(submitted(prompt=one, grade_id="a"), other_test) == [0, 1]


def test_a_link_to_another_year_is_the_same_problem():
    one, other = (f"{LONG} See [the notes](http://x.org/fa{year}/n.html)." for year in (15, 16))
    assert groups(submitted(prompt=one), submitted(prompt=other, repo="bob")) == [0, 0]


def test_two_exercises_of_one_notebook_never_meet():
    twins = [
        cell
        for text in (LONG, NEAR)
        for cell in (markdown(text), solution(), graded(checksum="c", grade_id="keep"))
    ]
    assert groups(course(*twins), course(*twins, repo="bob")) == [0, 1, 0, 1]


@pytest.mark.parametrize("verb", ["gives", "hands out", "yields", "makes", "has", "prints"])
def test_a_chain_of_near_prompts_does_not_join_what_one_notebook_separates(verb):
    test = "assert keep(1)"
    between = submitted(prompt=LONG.replace("returns", verb), repo="bob", test=test)
    both = course(
        *(markdown(LONG), solution(), graded(test)),
        *(markdown(NEAR), solution(), graded(test)),
    )
    assert groups(both, between)[:2] == [0, 1]


def test_several_solutions_under_one_prompt_are_several_problems():
    cells = (solution(), graded(), solution("half = 1"), graded("assert half == 1"))
    assert groups(course(markdown(PROMPT), *cells)) == [0, 1]


def test_a_cell_copied_with_its_metadata_is_another_try_at_one_problem():
    copied = solution(grade_id="double", checksum="c"), graded(grade_id="t", checksum="d")
    assert groups(course(markdown(PROMPT), *copied, *copied)) == [0, 0]


def test_one_checksum_on_several_solutions_groups_nothing():
    cells = [
        cell
        for text, test in ((LONG, "assert keep(1)"), (PROMPT, TEST))
        for cell in (markdown(text), solution(checksum="same"), graded(test))
    ]
    assert groups(course(*cells)) == [0, 1]


def test_a_students_words_over_a_known_prompt_make_no_problem():
    mine = submitted(prompt="I found `double` on a forum, see the link.", repo="cleo")
    for known in ([submitted(repo="ada"), submitted(repo="bob")], [submitted(STUB)]):
        assert groups(*known, mine)[-1] == EDITED_PROMPT
        assert problems_of(*known, mine)[1]["edited_prompt"] == 1


def test_equal_answers_without_tests_are_told_apart_by_their_files():
    def untested(path):
        return course(markdown("Write the answer to this question here."), solution(), path=path)

    assert groups(untested("ps1.ipynb"), untested("ps2.ipynb")) == [0, 1]
    assert groups(untested("a/ps1.ipynb"), untested("b/ps1.ipynb")) == [0, 0]


def test_the_order_of_notebooks_changes_nothing():
    notebooks = [
        submitted(repo=f"r{n}", prompt=f"{prompt}{' ok' * (n % 3)}", test=f"{TEST} or {n % 2}")
        for n, prompt in enumerate([LONG, NEAR, PROMPT] * 3)
    ]
    found = problem_groups(map(problem_key, cells_of(*notebooks)))
    random.Random(0).shuffle(notebooks)
    assert problem_groups(map(problem_key, cells_of(*notebooks))) == found
    assert len(set(found.values())) < len(found)
