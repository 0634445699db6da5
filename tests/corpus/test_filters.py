import pytest

from nl2code.corpus.filters import is_english, is_python, why_no_training_notebook

ENGLISH = "# We load the data set and look at the first rows of the table."
FRENCH = "# Nous chargeons les données et regardons les premières lignes du tableau."


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        ((ENGLISH, "x = 1"), None),
        ((ENGLISH, "x = 1", "x = 2", "x = 3"), None),
        ((ENGLISH, "x = 1", "x = 2", "x = 3", "x = 4"), "too_much_code"),
        ((ENGLISH,), "no_code"),
        ((), "no_code"),
        (("x = 1",), "no_markdown"),
        ((FRENCH, "x = 1"), "not_english"),
        (("# 1 + 1 = 2", "x = 1"), "not_english"),
    ],
)
def test_a_notebook_is_dropped_for_a_reason(notebook, sources, reason):
    assert why_no_training_notebook(notebook(*sources)) == reason


@pytest.mark.parametrize(
    ("language", "kernel", "expected"),
    [
        ("python", "python3", True),
        ("", "", True),
        ("ipython", "x", True),
        ("pyspark", "pysparkkernel", True),
        ("", "conda_python3", True),
        ("", "Python [conda env:x]", True),
        ("", "my-env", True),
        ("R", "ir", False),
        ("", "ir", False),
        ("julia", "julia-1.0", False),
        ("qsharp", "iqsharp", False),
        ("", "julia-0.6", False),
        ("", "xcpp17", False),
        ("", "iris-project", True),
    ],
)
def test_kernels(notebook, language, kernel, expected):
    metadata = {"kernelspec": {"name": kernel}, "language_info": {"name": language}}
    assert is_python(notebook("x", **metadata)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My Notebook", True),
        ("Exercise 3", True),
        ("", False),
        ("1.2 + 3", False),
        ("数据加载与处理", False),
        ("Wir laden die Daten und zeichnen den Mittelwert jeder Gruppe.", False),
        ("The café's naïve plot: we draw the mean of each group below.", True),
    ],
)
def test_english(text, expected):
    assert is_english(text) is expected
