from collections import Counter

import pytest
from nbgrader_cells import (
    ERROR,
    PROMPT,
    RIGHT,
    STUB,
    TEST,
    WARNING,
    cells_of,
    checksum,
    code,
    course,
    graded,
    markdown,
    solution,
)


def only(*cells, **metadata):
    (cell,) = cells_of(course(*cells, **metadata))
    return cell


def drops_of(*cells, **metadata):
    drops = Counter()
    assert cells_of(course(*cells, **metadata), drops=drops) == []
    return drops


def test_a_solution_without_tests_has_no_points():
    assert only(markdown(PROMPT), solution(points=2)).points is None


def test_a_solution_has_its_prompt_its_tests_and_its_points():
    cell = only(
        markdown("# Title"),
        markdown(PROMPT),
        code("import math"),
        solution(grade_id="double"),
        code("double(1)"),
        markdown("Now check it."),
        graded(TEST, grade_id="test_double", points="1.5"),
        graded("assert double(0) == 0", points=2),
    )
    assert (cell.prompt, cell.prompt_index, cell.cell_index) == (PROMPT, 1, 3)
    assert cell.tests == (TEST, "assert double(0) == 0")
    assert (cell.grade_id, cell.test_ids, cell.points) == ("double", ("test_double",), 3.5)


@pytest.mark.parametrize(
    ("nbgrader", "reason"),
    [
        ({"schema_version": 10}, "schema_too_new"),
        ({"grade": True}, "manually_graded"),
    ],
)
def test_a_solution_is_dropped_for_a_reason(nbgrader, reason):
    assert drops_of(markdown(PROMPT), solution(**nbgrader), graded()) == {reason: 1}


@pytest.mark.parametrize("version", [None, 0, 1, 2, 3])
def test_schema_versions_up_to_3_are_read(version):
    assert only(markdown(PROMPT), solution(schema_version=version), graded()).passed


def test_a_notebook_in_another_language_is_counted():
    metadata = {"kernelspec": {"name": "ir"}, "language_info": {"name": "R"}}
    assert drops_of(markdown(PROMPT), solution(), solution(), **metadata) == {"not_python": 2}


@pytest.mark.parametrize("nbgrader", [{}, [], None, "yes", {"solution": "true"}, {"grade": True}])
def test_odd_metadata_mark_no_solution(nbgrader):
    cell = code(RIGHT) | {"metadata": {"nbgrader": nbgrader}}
    assert drops_of(markdown(PROMPT), cell) == {}


@pytest.mark.parametrize(
    "above", [[], [markdown(" \n")], [markdown("![](a.png)")], [code("x = 1")]]
)
def test_a_solution_without_words_above_has_no_prompt(above):
    assert drops_of(*above, solution(), graded()) == {"no_prompt": 1}


def test_the_prompt_is_the_nearest_text_that_no_student_was_asked_for():
    mine = markdown("My integral is $x^2$.", solution=True, grade=True)
    assert (
        only(markdown(PROMPT), mine, markdown("![](a.png)"), solution(), graded()).prompt == PROMPT
    )


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        (graded(count=3), (True, False)),
        (graded(count=None), (False, False)),
        (graded(count=None, outputs=[WARNING]), (True, False)),
        (graded(outputs=[WARNING, ERROR]), (False, True)),
        (graded(outputs=[{"output_type": "pyerr"}]), (False, True)),
    ],
)
def test_passed_needs_a_sign_of_a_run_and_no_error(test, verdict):
    cell = only(markdown(PROMPT), solution(), test)
    assert (cell.passed, cell.failed) == verdict


def test_one_failing_test_of_several_fails_the_solution():
    assert not only(markdown(PROMPT), solution(), graded(), graded(outputs=[ERROR])).passed


def test_a_solution_that_raises_itself_has_not_passed():
    assert not only(markdown(PROMPT), solution(outputs=[ERROR]), graded()).passed


@pytest.mark.parametrize("source", ["assert True  # leave this", "# grade me", "print(double(2))"])
def test_a_grade_cell_that_checks_nothing_is_no_test(source):
    cell = only(markdown(PROMPT), solution(), graded(source))
    assert (cell.tests, cell.passed) == ((), False)


def test_tests_belong_to_the_nearest_solution_above():
    first, second = cells_of(
        course(markdown(PROMPT), solution(), graded(), solution("y = 1"), graded("assert y == 1"))
    )
    assert (first.tests, second.tests) == ((TEST,), ("assert y == 1",))


def test_a_helper_above_shares_the_tests_that_use_it():
    helper, unused, main = cells_of(
        course(
            markdown(PROMPT),
            solution("def half(x):\n    return x / 2"),
            solution("z = 0"),
            solution(),
            graded("assert double(half(2)) == 2"),
            graded(TEST),
        )
    )
    assert helper.tests == ("assert double(half(2)) == 2",)
    assert unused.tests == ()
    assert len(main.tests) == 2


def test_a_manually_graded_answer_is_no_test_of_the_one_above():
    drops = Counter()
    essay = solution("assert 1 == 1  # mine", grade=True)
    (cell,) = cells_of(course(markdown(PROMPT), solution(), essay, graded()), drops=drops)
    assert (cell.tests, drops) == ((TEST,), {"manually_graded": 1})


def test_a_graded_cell_that_is_not_locked_is_a_test_as_well():
    assert only(markdown(PROMPT), solution(), graded(locked=False)).tests == (TEST,)


@pytest.mark.parametrize(
    ("source", "role"),
    [
        (STUB, "release"),
        ("", "release"),
        ("# YOUR CODE HERE", "release"),
        ("%%writefile a.sql\n-- YOUR CODE HERE", "release"),
        ("import os\n# your code here\nraise NotImplementedError", "release"),
        ("# YOUR CODE HERE\nx = 1", "submission"),
        ("x = 1\nraise NotImplementedError()", "submission"),
        (RIGHT, "submission"),
        ("### BEGIN SOLUTION\nx = 1", "instructor"),
    ],
)
def test_roles(source, role):
    assert only(markdown(PROMPT), solution(source), graded()).role == role


def test_a_cell_as_it_was_released_is_a_release_although_it_has_code():
    source = "def double(x):\n    # YOUR CODE HERE\n    return result"
    ids = {"grade_id": "a", "locked": False, "checksum": checksum(source, "a", grade=False)}
    assert only(markdown(PROMPT), solution(source, **ids), graded()).role == "release"
    changed = source.replace("# YOUR", "result = 2 * x # YOUR")
    assert only(markdown(PROMPT), solution(changed, **ids), graded()).role == "submission"


@pytest.mark.parametrize(("written", "vetted"), [(TEST, True), (f"# {TEST}\nassert double", False)])
def test_a_checksum_tells_whether_a_student_edited_the_test(written, vetted):
    ids = {"grade_id": "t", "points": "1", "locked": True}
    ids["checksum"] = checksum(TEST, "t", grade=True)
    assert only(markdown(PROMPT), solution(), graded(written, **ids)).vetted is vetted


def test_tests_that_ran_before_the_answer_are_not_fresh():
    assert only(markdown(PROMPT), solution(count=5), graded(count=6)).fresh
    assert not only(markdown(PROMPT), solution(count=5), graded(count=4)).fresh


def test_cells_of_an_untouched_copy_have_equal_keys():
    one = only(markdown(PROMPT), solution(), graded())
    other = only(markdown(PROMPT.upper()), solution("x"), graded(f"{TEST}  # easy"), repo="bob")
    assert one.problem_key == other.problem_key


def test_short_prompts_are_told_apart_by_the_text_above():
    def key(above):
        return only(markdown(above), markdown("### Part 1"), solution(), graded()).problem_key

    assert key("Write a loop over all rows.") != key("Write a sort of all the rows.")
