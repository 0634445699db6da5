from collections import Counter

import pytest

from nl2code.corpus.targets import TargetRules, training_examples
from nl2code.markdown import nl_tokens
from nl2code.records import Cell, Notebook


def examples(notebook, **rules):
    drops = Counter()
    return list(training_examples(notebook, TargetRules(**rules), drops)), drops


def test_a_target_is_a_code_cell_directly_below_markdown(notebook):
    rows, drops = examples(
        notebook("import os", "# one", "x = 1", "y = 2", "# two", "# three", "z = 3")
    )
    assert [(row["code"], row["nl_original"]) for row in rows] == [
        ("x = 1", "# one"),
        ("z = 3", "# three"),
    ]
    assert not drops


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x =", "syntax_error"),
        ("!ls", "shell_command"),
        ("%%bash\nls", "cell_magic"),
        ("class A: pass", "class"),
        ("def f(): pass\ndef g(): pass", "several_functions"),
        ("# a comment alone", "no_statement"),
        ("; ".join(f"f{i}()" for i in range(16)), "many_api_calls"),
        ("x = -1\n" * 2 + "x = 1\n" * 28, "long_code"),  # 121 tokens
        ("x = '\0'", "null_byte"),
    ],
)
def test_a_target_is_dropped_for_a_reason(notebook, source, reason):
    nl = Cell("markdown", "# do it")
    rows, drops = examples(Notebook("ada", "a.ipynb", (nl, Cell("code", source))))
    assert (rows, drops) == ([], {reason: 1})


@pytest.mark.parametrize(
    "source",
    [
        "def f(): pass",
        "; ".join(f"f{i}()" for i in range(15)),
        "x = -1\n" + "x = 1\n" * 29,  # 120 tokens
        "%matplotlib inline\nx = 1",
        "%%time\nx = 1",
    ],
)
def test_what_just_passes_is_kept(notebook, source):
    assert len(examples(notebook("# do it", source))[0]) == 1


def test_long_targets_are_truncated_on_request(notebook):
    source = f"x = [{', '.join('1' * 100)}]"
    (row,), _ = examples(notebook("# do it", source), long_targets="truncate")
    assert len(row["code_tokens_clean"]) == 120
    assert row["code"] == source


def test_a_target_whose_nl_is_only_an_image_is_dropped(notebook):
    rows, drops = examples(notebook("# ![](a.png)", "x = 1"))
    assert nl_tokens("# ![](a.png)") == []
    assert (rows, drops) == ([], {"empty_nl": 1})


def test_imports_are_those_of_all_cells_above_and_of_the_target(notebook):
    (row,), drops = examples(
        notebook("import a", "# one", "import b\n!ls", "# two", "import c\nc.d()", "import e")
    )
    assert drops == {"shell_command": 1}
    assert row["imports"] == ["a", "b", "c"]


def test_the_id_depends_on_place_and_code_only(notebook):
    cells = ("# do it", "x = 1")
    ((first,), _), ((second,), _) = examples(notebook(*cells)), examples(notebook(*cells))
    ((other,), _) = examples(notebook(*cells, path="b.ipynb"))
    assert first["id"] == second["id"] != other["id"]


def test_names_from_above_make_an_example_contextual(notebook):
    (row,), _ = examples(
        notebook(
            "df = 1\nother = 2", "def clean(x): return x", "import os", "# plot it", "clean(df, os)"
        )
    )
    assert (row["uses_variables"], row["uses_methods"]) == (["df"], ["clean"])
    assert (row["contextual"], row["multi_cell"]) == (True, True)


def test_names_that_the_nl_mentions_do_not_count(notebook):
    (row,), _ = examples(notebook("df = 1\na = 2", "# plot `df`", "plot(df, a)"))
    assert (row["uses_variables"], row["contextual"], row["multi_cell"]) == (["a"], True, False)


def test_names_of_an_earlier_target_count_as_well(notebook):
    _, row = examples(notebook("# load it", "df = 1", "# show it", "show(df)"))[0]
    assert row["uses_variables"] == ["df"]


def test_names_from_below_do_not_count(notebook):
    (row,), _ = examples(notebook("# show it", "show(df)", "df = 1"))
    assert (row["uses_variables"], row["contextual"]) == ([], False)
