"""Which answers count as right when others failed, or wrote their own tests."""

from collections import Counter
from dataclasses import replace

from nbgrader_cells import (
    ERROR,
    PROMPT,
    RIGHT,
    TEST,
    cells_of,
    checksum,
    course,
    graded,
    grouped,
    markdown,
    solution,
    submitted,
)

from nl2code.corpus.nbgrader.groups import EDITED_PROMPT
from nl2code.corpus.nbgrader.submissions import problems, right_answers

HIDDEN = f"{TEST}\n### BEGIN HIDDEN TESTS\nassert double(0) == 0\n### END HIDDEN TESTS"


def right(*notebooks):
    """The repositories of the answers that are right, or the reason why there are none."""
    answers = right_answers(grouped(*notebooks))
    return answers if isinstance(answers, str) else sorted(cell.repo for cell in answers)


def test_hidden_tests_that_passed_outweigh_the_same_answer_that_failed_elsewhere():
    passed, failed = submitted(repo="ada", test=HIDDEN), submitted(RIGHT, ERROR, repo="bob")
    failed_hidden = submitted(RIGHT, ERROR, repo="bob", test=HIDDEN)
    assert right(passed, failed_hidden) == ["ada"]
    assert right(submitted(repo="ada"), failed_hidden) == "failed_elsewhere"
    assert right(submitted(repo="ada"), failed) == "failed_elsewhere"
    assert right(submitted("def double(x):\n    return x + x", repo="ada"), failed) == ["ada"]


def test_tests_of_two_repositories_are_trusted_before_those_that_one_has_most_often():
    own = "assert double(2) > 0"
    many = [submitted(f"def double(x):\n    return {n}", repo="cy", test=own) for n in range(1, 4)]
    everyone = [submitted(repo="ada"), submitted(repo="bob"), *many]
    with_ids = [replace_ids(one) for one in everyone]
    assert right(*with_ids) == ["ada", "bob"]
    assert right(*map(replace_ids, many)) == ["cy"] * 3


def replace_ids(notebook):
    """The same id for each test, so that the answers are of one problem."""
    notebook.cells[-1].metadata["nbgrader"]["grade_id"] = "test_double"
    return notebook


def test_of_edited_prompts_each_cell_is_counted():
    cells = cells_of(submitted(repo="ada"), submitted(repo="bob"))
    drops = Counter()
    edited = [replace(cell, problem_key=EDITED_PROMPT) for cell in cells]
    assert list(problems(edited, 0, drops)) == []
    assert drops == {"edited_prompt": 2}


def test_tests_that_ran_before_the_answer_or_without_it_say_nothing():
    def ran(answer, test):
        cells = markdown(PROMPT), solution(count=answer), graded(count=test)
        return right(course(*cells))

    assert ran(2, 3) == ["ada"]
    assert ran(9, 3) == ran(None, 3) == "tests_never_ran"


def test_where_checksums_alone_vouch_a_deleted_test_is_missed():
    def handed_in(repo, *tests):
        locked = [
            graded(
                test,
                grade_id=name,
                checksum=checksum(test, name, grade=True),
                points=1,
                locked=True,
            )
            for name, test in tests
        ]
        return course(markdown(PROMPT), solution(), *locked, repo=repo)

    one, two = ("t1", TEST), ("t2", "assert double(3) == 6")
    assert right(handed_in("ada", one, two), handed_in("bob", one)) == ["ada"]
