"""Figures of small folders, worked by hand."""

import json
from itertools import count

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus.features import FEATURES
from nl2code.corpus.statistics.figures import statistics
from nl2code.errors import UserError

NUMBERS = count()


def above(*sources):
    """Context, nearest first: a source that starts with `#` and a blank is markdown."""
    return [
        {
            "cell_type": "markdown" if source.startswith("# ") else "code",
            "distance_target": distance,
            "nl_original": source if source.startswith("# ") else None,
            "code": None if source.startswith("# ") else source,
        }
        for distance, source in enumerate(sources, 1)
    ]


def example(code="x", context=(), **columns):
    row = dict.fromkeys(FEATURES) | {
        "id": str(next(NUMBERS)),
        "code": code,
        "nl": ["a"],
        "code_tokens_clean": code.split(),
        "api_sequence": [],
        "context": above(*context),
        "contextual": False,
        "multi_cell": False,
        "metadata": {"source": "train", "license": "MIT"},
    }
    return row | columns


def write(folder, report=None, **splits):
    for name, rows in splits.items():
        table = pa.Table.from_pylist(rows, FEATURES.arrow_schema)
        pq.write_table(table, folder / f"{name}-00000-of-00001.parquet")
    if report is not None:
        (folder / "build.json").write_text(json.dumps(report))
    return folder


def distribution(stats, name):
    return next(found for found in stats.distributions if found.name == name)


def test_table_2_is_what_a_reader_counts(tmp_path):
    rows = [
        example(
            "a = b",
            ["# t", "b = 1"],
            nl=["x", "y"],
            uses_variables=["b"],
            contextual=True,
        ),
        example(
            "f ( b , c )",
            ["# t", "b = c = 1", "def f(): 0"],
            nl=["y"],
            uses_variables=["b"],
            uses_methods=["f"],
            contextual=True,
            multi_cell=True,
        ),
        example("a", ["# t"], nl=["y", "z", "z"]),
        example("a", nl=["y", "y"]),
    ]
    table = statistics(write(tmp_path, train=rows)).table2["train"]
    assert table.examples == (4,)
    assert table.context_cells == 1.5
    assert (table.nl_tokens, table.unique_nl_tokens) == (2, 3)
    assert (table.code_tokens, table.unique_code_tokens) == (2.75, 8)
    assert (table.uses_variables, table.uses_methods) == (0.5, 0.25)
    assert (table.contextual, table.multi_cell) == (0.5, 0.25)


def test_dev_and_test_are_one_column_with_their_tokens_counted_once(tmp_path):
    dev, test = [example("a b"), example("a")], [example("b c c")]
    table = statistics(write(tmp_path, train=[], dev=dev, test=test)).table2["dev/test"]
    assert table.examples == (2, 1)
    assert (table.code_tokens, table.unique_code_tokens) == (2, 3)


def test_an_empty_or_absent_split_has_no_averages(tmp_path):
    stats = statistics(write(tmp_path, train=[], dev=[example()]))
    assert stats.table2["train"].examples == (0,)
    assert stats.table2["train"].nl_tokens is None
    assert stats.table2["train"].contextual is None
    assert stats.table2["dev/test"].examples == (1, 0)


@pytest.mark.parametrize(
    ("code", "packages"),
    [
        ("import numpy as np", {"numpy"}),
        ("from sklearn.linear_model import Lasso", {"sklearn"}),
        ("import os, sys as s, a.b", {"os", "sys", "a"}),
        ("x = 1; import os; import sys  # both", {"os", "sys"}),
        ("try:\n\timport json\r\nexcept ImportError: 0", {"json"}),
        ("from numpy import (a,\n b)", {"numpy"}),
        ("from . import here", set()),
        ("'''\nimport the data\n'''", set()),
        ("# import os", set()),
        ("important = 1", set()),
    ],
)
def test_packages_are_those_that_the_target_imports(tmp_path, code, packages):
    assert statistics(write(tmp_path, train=[example(code)])).packages.keys() == packages


def test_a_package_counts_once_an_example_wherever_it_is_imported(tmp_path):
    rows = [
        example("import zlib", ["import zlib\nimport os", "# import sys"]),
        example("x", ["# t", "from zlib import crc32"]),
        example("x"),
        example("x"),
    ]
    stats = statistics(write(tmp_path, train=rows, dev=[example("import zlib")]))
    assert list(stats.packages.items()) == [
        ("zlib", {"train": 0.5, "dev/test": 1.0}),
        ("os", {"train": 0.25, "dev/test": 0.0}),
    ]


def test_a_group_without_examples_has_no_share_of_a_package(tmp_path):
    stats = statistics(write(tmp_path, train=[example("import os")], dev=[]))
    assert stats.packages == {"os": {"train": 1.0}}


def test_the_api_sequence_of_no_calls_has_length_0(tmp_path):
    rows = [
        example(api_sequence=calls) for calls in ([], ["NO_API_SEQUENCE"], ["fit", "fit"], None)
    ]
    found = distribution(statistics(write(tmp_path, train=rows)), "API calls")
    assert found.counts["train"] == {0: 3, 2: 1}


def test_the_nl_stands_at_the_nearest_markdown(tmp_path):
    rows = [example("x", ["y", "# t", "# s"]), example("x", ["# t"]), example("x", ["y"])]
    found = distribution(statistics(write(tmp_path, train=rows)), "NL distance")
    assert found.counts["train"] == {1: 1, 2: 1}
    assert found.missing["train"] == 1


def test_licences_and_sources_are_counted_by_split(tmp_path):
    def of(source, license):
        return example(metadata={"source": source, "license": license})

    stats = statistics(
        write(
            tmp_path,
            train=[of("train", "MIT"), of("train", None)],
            dev=[of("nbgrader", "MIT")],
            test=[of("exercise", "CC0-1.0")],
        )
    )
    assert stats.licenses["MIT"] == {"train": 1, "dev": 1, "test": 0}
    assert stats.licenses["unknown"] == {"train": 1, "dev": 0, "test": 0}
    assert stats.sources["exercise"] == {"train": 0, "dev": 0, "test": 1}
    assert list(stats.licenses) == ["MIT", "CC0-1.0", "unknown"]


def test_the_funnel_is_the_builds(tmp_path):
    report = {"funnel": [["read", "kept", 3]], "digest": "d1"}
    stats = statistics(write(tmp_path, report, train=[example()]))
    assert (stats.funnel, stats.digest) == ((("read", "kept", 3),), "d1")


def test_a_folder_without_build_json_has_no_funnel(tmp_path):
    stats = statistics(write(tmp_path, train=[example()]))
    assert (stats.funnel, stats.digest) == ((), "")


def test_the_same_figures_come_out_of_any_order_and_number_of_files(tmp_path):
    rows = [
        example(f"import p{n} {'x ' * n}", ["# t", "a = 1"], uses_variables=["a"]) for n in range(9)
    ]
    one, many = tmp_path / "juice", tmp_path / "m" / "juice"
    one.mkdir()
    many.mkdir(parents=True)
    write(one, train=rows)
    for number, row in enumerate(reversed(rows)):
        table = pa.Table.from_pylist([row], FEATURES.arrow_schema)
        pq.write_table(table, many / f"train-{number:05d}-of-00009.parquet")
    first, second = statistics(one, sample=4), statistics(many, sample=4)
    for name in ("table2", "distributions", "packages", "licenses"):
        assert repr(getattr(first, name)) == repr(getattr(second, name))


@pytest.mark.parametrize("name", ["a?", "[b]", "c *'"])
def test_a_folder_whose_name_is_a_pattern_is_read_alone(tmp_path, name):
    for other in ("ab", "b", "cd '"):
        (tmp_path / other).mkdir()
        write(tmp_path / other, train=[example(), example()])
    (tmp_path / name).mkdir()
    stats = statistics(write(tmp_path / name, train=[example()]))
    assert stats.table2["train"].examples == (1,)
    assert stats.table2["train"].code_tokens == 1


def test_no_folder_and_no_dataset_are_named(tmp_path):
    with pytest.raises(UserError, match="nowhere: no such folder"):
        statistics(tmp_path / "nowhere")
    with pytest.raises(UserError, match="not a built dataset"):
        statistics(tmp_path)


def test_a_file_of_other_columns_is_named(tmp_path):
    path = tmp_path / "train-0.parquet"
    pq.write_table(pa.table({"id": ["1"]}), path)
    with pytest.raises(UserError, match=r"train-0\.parquet: the column nl is missing"):
        statistics(tmp_path)
    pq.write_table(pa.Table.from_pylist([dict.fromkeys(FEATURES) | {"nl": "a b"}]), path)
    with pytest.raises(UserError, match=r"train-0\.parquet: nl: .*list.* is expected, not string"):
        statistics(tmp_path)


def test_a_file_that_is_no_parquet_is_named(tmp_path):
    (tmp_path / "train-0.parquet").write_text("PAR?")
    with pytest.raises(UserError, match=r"train-0\.parquet: cannot be read as Parquet"):
        statistics(tmp_path)


def test_a_corrupt_row_group_is_the_users_to_mend(tmp_path):
    path = write(tmp_path, train=[example("x " * 500)]) / "train-00000-of-00001.parquet"
    content = bytearray(path.read_bytes())
    content[4:1000] = b"\xff" * 996
    path.write_bytes(content)
    with pytest.raises(UserError, match="cannot be read"):
        statistics(tmp_path)


@pytest.mark.parametrize("report", [{"funnel": [["read", "kept"]]}, {"funnel": 3}])
def test_a_funnel_of_another_shape_is_named(tmp_path, report):
    with pytest.raises(UserError, match=r"build\.json: funnel"):
        statistics(write(tmp_path, report, train=[example()]))


def test_a_file_that_is_gone_is_named_and_not_counted_as_none(tmp_path):
    files = {"train": ["train-00000-of-00001.parquet"], "test": ["test-00000-of-00001.parquet"]}
    counts = {"repositories": 1, "notebooks": 1}
    report = {"splits": {split: counts | {"files": names} for split, names in files.items()}}
    with pytest.raises(
        UserError, match=r"lacks test-00000-of-00001\.parquet, which the build made"
    ):
        statistics(write(tmp_path, report, train=[example()]))
