import json

import pytest
from small_bash import pair, write_bash
from small_juice import cache_in, fails, recipe, row, run, write_juice

TRAIN = [
    row("t1", "load the data", "df = read ( )", api=["read"]),
    row("t2", "plot the data", "plt . plot ( df )", api=["plot"]),
    row("t3", "fit the model", "m . fit ( df )", api=["fit"]),
]
ABOVE = [
    ("code", "m.score(x)"),
    ("markdown", "score the model"),
    ("code", "n=1"),
    ("markdown", "plot data"),
]
DEV = [
    row("d1", "plot data", "plt . show ( )", above=ABOVE),
    row("d2", "model", "m = M ( )", above=ABOVE),
    row("d3", "fit the model", "secret ( )"),
]


@pytest.fixture(scope="module")
def retrieve():
    return recipe("retrieve")


@pytest.fixture
def juice(tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    (tmp_path / "juice").mkdir()
    return write_juice(tmp_path / "juice", {"train": TRAIN, "dev": DEV})


def predictions(path):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["id"]: row["prediction"] for row in rows}


def test_ret_train_answers_with_the_code_under_the_nearest_nl(retrieve, juice, monkeypatch):
    out = juice.parent / "out.jsonl"
    run(retrieve, monkeypatch, method="ret-train", data=juice, out=out)
    assert predictions(out) == {
        "d1": "plt . plot ( df )",
        "d2": "m . fit ( df )",
        "d3": "m . fit ( df )",
    }
    again = {"task": "api", "overwrite": "true"}
    run(retrieve, monkeypatch, method="ret-train", data=juice, out=out, **again)
    assert predictions(out) == {"d1": "plot", "d2": "fit", "d3": "fit"}


def test_ret_context_answers_from_the_same_notebook_only(retrieve, juice, monkeypatch):
    out = juice.parent / "out.jsonl"
    run(retrieve, monkeypatch, method="ret-context", data=juice, out=out)
    assert predictions(out) == {"d1": "n = 1", "d2": "m . score ( x )", "d3": ""}
    again = {"context_cells": 3, "overwrite": "true"}
    run(retrieve, monkeypatch, method="ret-context", data=juice, out=out, **again)
    assert predictions(out) == {"d1": "m . score ( x )", "d2": "m . score ( x )", "d3": ""}


def test_ret_context_takes_the_inside_of_a_function_that_is_to_be_filled_in(
    retrieve, juice, monkeypatch, capsys
):
    above = [("code", "def g(y):\n    x = y\n    return x"), ("markdown", "plot")]
    stub = {"boilerplate_code": "def f(z):\n    # YOUR CODE HERE\n    return x"}
    empty = {"boilerplate_code": "def g(z):\n    return None\n\ng(1)"}
    rows = [
        row(name, "plot", "x = z", above=above) | given
        for name, given in (("d1", {}), ("d2", stub), ("d3", empty))
    ]
    splits = {"train": TRAIN, "dev": rows}
    nothing = {"boilerplate_code": None}
    write_juice(juice, {name: [nothing | one for one in rows] for name, rows in splits.items()})
    out = juice.parent / "out.jsonl"
    run(retrieve, monkeypatch, method="ret-context", data=juice, out=out, fill_in="true")
    whole = "def g ( y ) : NEWLINE INDENT x = y NEWLINE return x"
    assert predictions(out) == {"d1": whole, "d2": "x = y", "d3": "x = y NEWLINE return x"}
    assert "\n2 of them are for a function that is given" in capsys.readouterr().out


def test_the_config_beside_the_result_makes_it_again(retrieve, juice, monkeypatch):
    out = juice.parent / "out.jsonl"
    run(retrieve, monkeypatch, method="ret-train", train_examples=1, data=juice, out=out)
    first = out.read_bytes()
    assert len(set(predictions(out).values())) == 1
    out.unlink()
    run(retrieve, monkeypatch, config=f"{out}.config.yaml")
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"split": "validation"}, "the split 'validation' cannot be read"),
        ({"context_cells": 0}, "--context_cells 0: at least 1"),
        ({"train_examples": -1}, "--train_examples -1: at least 1"),
        ({"method": "ret-web"}, "method"),
        ({"fill_in": "true"}, "--fill_in: only for --method ret-context"),
        ({"out": "."}, "--out .: a folder"),
    ],
)
def test_what_cannot_be_is_said(retrieve, juice, monkeypatch, capsys, options, sentence):
    options = {"method": "ret-train", "data": juice, "out": juice.parent / "o.jsonl"} | options
    assert sentence in fails(retrieve, monkeypatch, capsys, **options)
    assert not (juice.parent / "o.jsonl").exists()


def test_a_dataset_without_the_columns_is_named(retrieve, juice, monkeypatch, capsys):
    train = [{name: cell for name, cell in one.items() if name != "context"} for one in TRAIN]
    write_juice(juice, {"train": train, "dev": train})
    options = {"method": "ret-context", "data": juice, "out": juice.parent / "o.jsonl"}
    assert "no column 'context'" in fails(retrieve, monkeypatch, capsys, **options)


def test_a_damaged_folder_is_named(retrieve, juice, monkeypatch, capsys):
    (juice / "train.parquet").write_bytes(b"PAR1 and no more")
    options = {"method": "ret-train", "data": juice, "out": juice.parent / "o.jsonl"}
    assert f"{juice}: the split" in fails(retrieve, monkeypatch, capsys, **options)


def test_predictions_that_exist_are_kept(retrieve, juice, monkeypatch, capsys):
    (juice.parent / "o.jsonl").write_text("precious")
    options = {"method": "ret-train", "data": juice, "out": juice.parent / "o.jsonl"}
    assert "o.jsonl: exists; --overwrite replaces" in fails(
        retrieve, monkeypatch, capsys, **options
    )
    assert (juice.parent / "o.jsonl").read_text() == "precious"


@pytest.fixture
def nl2bash(tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    train = [pair("1", "count lines", "wc -l  'a  b'"), pair("2", "list files", "ls -a")]
    test = [pair("5", "list all files", "ls -A"), pair("4", "count the lines", "wc")]
    return write_bash(tmp_path / "nl2bash", {"train": train, "test": test})


def test_a_command_of_train_answers_as_it_is_written(retrieve, nl2bash, tmp_path, monkeypatch):
    out = tmp_path / "p.jsonl"
    options = {"task": "bash", "split": "test", "data": nl2bash, "out": out}
    run(retrieve, monkeypatch, method="ret-train", **options)
    assert predictions(out) == {"5": "ls -a", "4": "wc -l  'a  b'"}


def test_bash_has_no_cells_above(retrieve, nl2bash, tmp_path, monkeypatch, capsys):
    options = {"task": "bash", "split": "test", "data": nl2bash, "out": tmp_path / "p.jsonl"}
    error = fails(retrieve, monkeypatch, capsys, method="ret-context", **options)
    assert "--method ret-context: no cells stand above" in error
