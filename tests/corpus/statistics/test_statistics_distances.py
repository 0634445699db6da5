"""How far above the nearest definition stands, on contexts in sight."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.features import FEATURES
from nl2code.corpus.statistics.distances import definition_distances


def row(key, uses, *cells, methods=()):
    context = [{"cell_type": "code", "distance_target": d, "code": code} for d, code in cells]
    return dict.fromkeys(FEATURES) | {
        "id": key,
        "uses_variables": list(uses),
        "uses_methods": list(methods),
        "context": context,
    }


def distances(tmp_path, *rows, **options):
    path = tmp_path / "train-0.parquet"
    pq.write_table(pa.Table.from_pylist(list(rows), FEATURES.arrow_schema), path)
    return definition_distances([path], len(rows), **options)


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ([(2, "x = 1"), (4, "x = 0")], {2: 1}),
        ([(4, "x = 0"), (2, "x = 1")], {2: 1}),  # in whatever order they are stored
        ([(2, "print(x)"), (5, "x = 0")], {5: 1}),
        ([(2, "xs = 1"), (3, "for x in y: 0")], {3: 1}),
        ([(2, "x = = 1"), (3, "x = 3")], {3: 1}),
        ([(3, "import x"), (6, "x, y = 1, 2")], {6: 1}),
        ([(2, "ﬁ = 1")], {}),
        ([(2, None), (3, "def f(x): return x")], {}),
    ],
)
def test_the_nearest_cell_that_defines_the_name_counts(tmp_path, cells, found):
    counted = distances(tmp_path, row("1", ["x"], *cells))
    assert counted.counts == found
    assert counted.missing == 1 - len(found)


def test_each_name_counts_once_variables_and_methods_alike(tmp_path):
    cells = [(2, "def f(): 0\na = 1"), (3, "b = 2")]
    counted = distances(tmp_path, row("1", ["a", "b"], *cells, methods=["f"]))
    assert counted.counts == {2: 2, 3: 1}


def test_a_name_in_another_spelling_is_found(tmp_path):
    assert distances(tmp_path, row("1", ["fi"], (2, "\N{LATIN SMALL LIGATURE FI} = 1"))).counts == {
        2: 1
    }


def test_a_sample_is_about_as_large_as_asked_and_hangs_on_ids_only(tmp_path):
    rows = [row(f"id {number}", ["x"], (number + 1, "x = 1")) for number in range(400)]
    sample = distances(tmp_path, *rows, sample=100)
    assert sample.share == 0.25
    assert 70 <= sum(sample.counts.values()) <= 130
    assert distances(tmp_path, *reversed(rows), sample=100) == sample


def test_no_example_has_no_distance(tmp_path):
    assert distances(tmp_path).counts == {}
    assert definition_distances([], 0).share == 1
