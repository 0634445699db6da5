from nl2code.corpus.exercises.alignment import Gaps, align


def test_cells_are_aligned_in_order_and_blank_ones_are_not(notebook):
    exercise = notebook("# A", "", "x = 1", "# B")
    solution = notebook("# A", "", "new()", "x = 1", "", "# B")
    assert align(exercise.cells, solution.cells) == {0: 0, 3: 2, 5: 3}


def test_other_text_in_the_same_place_is_not_the_same(notebook):
    exercise = notebook("x = 1", "# Add one and two to it")
    assert align(exercise.cells, notebook("x = 1", "# A word on floats").cells) == {0: 0}


def test_edited_text_is_not_found_above_the_cell_before_it(notebook):
    exercise = notebook("# Add one and two", "x = 1", "# The end")
    assert align(exercise.cells, notebook("x = 1", "# Add one and two now").cells) == {0: 1}


def test_code_is_not_taken_for_edited_text(notebook):
    assert align(notebook("print it now").cells, notebook("# print it").cells) == {}


def test_a_gap_is_what_lies_between_the_aligned_cells_around(notebook):
    gaps = Gaps({1: 2, 4: 6}, 8)
    assert [list(gaps.at(index)) for index in (0, 2, 3, 5)] == [[0, 1], [3, 4, 5], [3, 4, 5], [7]]
