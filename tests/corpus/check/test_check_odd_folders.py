"""Folders of any kind: a finding, or one sentence, and never a traceback."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sound_folder import CURATED, as_built, broken, restate, sound_rows, write

import juice
from nl2code.corpus.check.report import check
from nl2code.corpus.check.statement import read_report
from nl2code.corpus.features import FEATURES
from nl2code.corpus.schema import SCHEMA
from nl2code.errors import UserError, run_program

CELL, METADATA = SCHEMA.field("context").type.value_type, SCHEMA.field("metadata").type


@pytest.fixture
def rows():
    return sound_rows()


def answer(folder):
    """The broken invariants, or the one sentence."""
    try:
        said = ", ".join(broken(folder))
    except UserError as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < 1_500
    return said


@pytest.mark.parametrize("name", [name for name in FEATURES if name != "boilerplate_code"])
def test_a_null_in_any_column_is_found(tmp_path, rows, name):
    rows["test"][0][name] = None
    assert "every column has a value" in answer(write(tmp_path, rows)) or name == "context"
    assert answer(tmp_path)


@pytest.mark.parametrize("name", ["nl", "imports", "tests", "context", "uses_methods"])
def test_a_null_in_any_list_is_found(tmp_path, rows, name):
    rows["test"][0][name] = [*rows["test"][0][name], None]
    assert answer(write(tmp_path, rows))


@pytest.mark.parametrize("name", [field.name for field in CELL])
def test_a_null_in_any_field_of_a_cell_is_found(tmp_path, rows, name):
    rows["test"][0]["context"][2 if name == "code" else 0][name] = None
    assert answer(write(tmp_path, rows))


def replaced(name, values):
    """The dev rows with a column of other values; without it, if there are none."""
    table = pa.Table.from_pylist(sound_rows()["dev"], schema=SCHEMA)
    place = table.schema.get_field_index(name)
    if values is None:
        return table.remove_column(place)
    return table.set_column(place, name, pa.array(values))


SLOW = pytest.mark.slow


@pytest.mark.parametrize("name", list(FEATURES))
@pytest.mark.parametrize(
    "values",
    [
        None,
        *(
            pytest.param(values, marks=SLOW)
            for values in ([1, 2], ["a", "b"], [[1], [2]], [["a"], []], [{"a": 1}, None])
        ),
    ],
)
def test_a_column_that_is_gone_or_of_another_type_is_named(tmp_path, rows, name, values):
    table = replaced(name, values)
    pq.write_table(table, write(tmp_path, rows) / "dev-0.parquet")
    said = answer(tmp_path)
    of_this_type = table.schema.equals(SCHEMA)
    assert said or of_this_type
    if values is None:
        (finding,) = check(tmp_path)
        assert finding.example == f"dev-0.parquet: {name} is missing"


@pytest.mark.parametrize(
    ("column", "field"),
    [
        *(("metadata", field.name) for field in METADATA),
        *(("context", field.name) for field in CELL),
    ],
)
@pytest.mark.parametrize(
    "kind", [None, *(pytest.param(kind, marks=SLOW) for kind in (pa.binary(), pa.list_(pa.int8())))]
)
def test_a_field_that_is_gone_or_of_another_type_is_no_traceback(
    tmp_path, rows, column, field, kind
):
    struct = METADATA if column == "metadata" else CELL
    kinds = {one.name: one.type for one in struct if kind or one.name != field}
    if kind:
        kinds[field] = kind
    inner = pa.struct(list(kinds.items()))
    place = SCHEMA.get_field_index(column)
    kind = inner if column == "metadata" else pa.list_(inner)
    for row in rows["dev"]:
        for one in [row["metadata"]] if column == "metadata" else row["context"]:
            one[field] = None
    table = pa.Table.from_pylist(rows["dev"], schema=SCHEMA.set(place, pa.field(column, kind)))
    pq.write_table(table, write(tmp_path, sound_rows()) / "dev-0.parquet")
    said = answer(tmp_path)
    assert "the columns are the dataset's" in said or "dev-0.parquet: some rows" in said


def test_bytes_that_are_no_text_are_one_sentence(tmp_path, rows):
    table = pa.Table.from_pylist(rows["dev"], schema=SCHEMA)
    bad = pa.array([b"\xff\xfe", b"x"]).view(pa.string())
    place = table.schema.get_field_index("nl_original")
    table = table.set_column(place, "nl_original", bad)
    pq.write_table(table, write(tmp_path, rows) / "dev-0.parquet")
    assert "dev-0.parquet: some rows cannot be read: " in answer(tmp_path)


ODD = (None, [], {}, "text", 7, -1.5, True, [None], {"a": None}, [[]], {"dev": []})
FIELDS = ("digest", "funnel", "licenses", "note", "options", "redacted", "splits")


def refusal(folder):
    """Why the folder's build.json cannot be read, if so."""
    try:
        read_report(folder)
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [*FIELDS, "bytes_per_example"])
def test_a_field_of_build_json_that_is_gone_or_odd_is_named(tmp_path, rows, name):
    path = as_built(tmp_path, rows) / "build.json"
    report = json.loads(path.read_text())
    for value in ODD:
        path.write_text(json.dumps(report | {name: value}))
        if f"build.json: {name}: " not in refusal(tmp_path):
            assert type(value) is type(report[name])
            assert answer(tmp_path) or name in ("note", "redacted", "bytes_per_example", "funnel")
    del report[name]
    path.write_text(json.dumps(report))
    assert broken(tmp_path)["build.json says what was built"].example == f"{name} is missing"


@pytest.mark.parametrize("name", ["examples", "repositories", "notebooks", "files"])
@pytest.mark.parametrize("value", ["gone", "text", 9])
def test_what_build_json_says_of_a_split_is_counted_or_named(tmp_path, rows, name, value):
    as_built(tmp_path, rows)
    report = json.loads((tmp_path / "build.json").read_text())
    report["splits"]["dev"][name] = value
    if value == "gone":
        del report["splits"]["dev"][name]
    (tmp_path / "build.json").write_text(json.dumps(report))
    assert answer(tmp_path)


@pytest.mark.parametrize("name", list(CURATED))
@pytest.mark.parametrize("value", ["gone", "text", 1.5])
def test_an_option_that_check_reads_is_there_and_what_it_must_be(tmp_path, rows, name, value):
    options = CURATED | {name: value}
    if value == "gone":
        del options[name]
    as_built(tmp_path, rows, options=CURATED)
    restate(tmp_path, lambda report: report.update(options=options))
    assert f"options.{name}" in said_of_options(tmp_path)


def said_of_options(folder):
    try:
        return broken(folder)["build.json says what was built"].example
    except UserError as error:
        return str(error)


@pytest.mark.parametrize("text", ["", "[]", "{", "7", "\xff", '{"splits": {"dev": {"files": 1}}}'])
def test_a_build_json_that_is_no_such_object_is_no_traceback(tmp_path, rows, text):
    as_built(tmp_path, rows)
    (tmp_path / "build.json").write_text(text, encoding="latin-1")
    assert "build.json" in answer(tmp_path)


@pytest.mark.parametrize(
    "head",
    [
        "configs: [",
        "configs: 7",
        "configs: [{config_name: default, data_files: gone-*.parquet}]",
        "configs: [{config_name: default, data_files: 7}]",
        "dataset_info: 7",
        "dataset_info: {splits: [{name: dev, num_examples: many}]}",
        "dataset_info: {features: [{name: id, dtype: nothing}]}",
        "configs:\n- config_name: default\n  data_files: [{split: dev, path: gone.parquet}]",
    ],
)
def test_an_odd_card_is_no_traceback(tmp_path, rows, head):
    (write(tmp_path, rows) / "README.md").write_text(f"---\n{head}\n---\n| train | , |\n")
    assert answer(tmp_path) or head == "dataset_info: 7"  # which `datasets` overlooks


def test_files_of_other_folders_are_refused_as_stats_refuses_them(tmp_path, rows, capsys):
    write(tmp_path / "deeper", rows)
    for command in ("check", "stats"):
        with pytest.raises(SystemExit) as stopped:
            run_program(lambda command=command: juice.main([command, str(tmp_path)]))
        assert stopped.value.code == 2
        assert capsys.readouterr().err.startswith(f"error: {tmp_path}")


def test_a_split_under_two_names_is_read_whole(tmp_path, rows):
    rows["validation"] = [rows["dev"].pop()]
    rows["validation"][0]["contextual"] = False
    rows["dev"][0]["contextual"] = False
    found = broken(write(tmp_path, rows))
    assert found["contextual says whether uses_* name something"].violations == 2
