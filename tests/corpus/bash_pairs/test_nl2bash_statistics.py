"""Figures of a small folder of NL2Bash, worked by hand, beside the paper's."""

import json
from io import StringIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import nl2bash
from nl2code.corpus.nl2bash.check import check_pairs
from nl2code.corpus.nl2bash.schema import SCHEMA
from nl2code.corpus.nl2bash.statistics import Utility, measure
from nl2code.corpus.nl2bash.tables import tables
from nl2code.corpus.statistics.table import print_tables
from nl2code.errors import UserError
from nl2code.jsonl import write_json

ROWS = {
    "train": [
        ("Count the lines", "cat a | wc -l", "cat File | wc -l", ["cat", "wc"], ["-l"], ["|"]),
        ("Count the lines", "wc -l a", "wc -l File", ["wc"], ["-l"], []),
        ("Count lines (all)", "wc -l a", "wc -l File", ["wc"], ["-l"], []),
    ],
    "dev": [("Sing", "sing", None, None, None, None)],
}
NAMES = ("nl", "command", "template", "utilities", "flags", "reserved")


@pytest.fixture
def folder(tmp_path):
    for split, rows in ROWS.items():
        write(tmp_path, split, rows)
    return tmp_path


def write(folder, split, rows):
    named = [dict(zip(NAMES, row, strict=True)) for row in rows]
    for row in named:
        row["command_tokens"] = row["command"].split() if row["template"] else None
    table = pa.Table.from_pylist(named, schema=SCHEMA)
    pq.write_table(table, folder / f"{split}-00000-of-00001.parquet")


@pytest.mark.parametrize(
    ("name", "ours", "published"),
    [
        ("sentences", 3, 8_559),
        ("words", 4, 7_790),  # Count lines all Sing
        ("words a sentence, mean", 2.0, 11.7),
        ("sentences a word, median", 2, 1),
        ("commands", 3, 7_587),
        ("templates", 2, 4_602),
        ("tokens", 5, 6_234),
        ("tokens a command, mean", 11 / 3, 7.7),
        ("commands a token, mean", 11 / 5, 11.5),
        ("utilities", 2, 102),
        ("flags", 1, 206),
        ("reserved words", 1, 15),
        ("commands a utility, mean", 2, 155.0),
        ("commands a flag, median", 3, 7.5),
        ("commands a sentence, most", 2, 9),
        ("sentences a command, mean", 4 / 3, 1.23),
    ],
)
def test_a_figure_stands_beside_the_papers(folder, name, ours, published):
    (figure,) = [figure for figure in measure(folder).figures if figure.name == name]
    assert figure.published == published
    assert figure.ours == pytest.approx(ours)


def test_the_histogram_has_the_most_frequent_first_and_the_place_in_the_paper(folder):
    stats = measure(folder)
    assert stats.histogram == [Utility("wc", 3, 1, 10), Utility("cat", 1, 2, 9)]
    assert len(stats.missing) == 100
    assert stats.missing[0] == "find"
    assert (stats.splits, stats.unparsed) == ({"train": 3, "dev": 1, "test": 0}, 1)


def test_every_figure_is_printed(folder):
    printed = StringIO()
    stats = measure(folder)
    print_tables(tables(stats), Console(file=printed, width=200))
    text = printed.getvalue()
    assert all(figure.name in text for figure in stats.figures)
    assert "7,790" in text
    assert "1 commands do not parse" in text


def test_the_figures_are_written_as_json(folder, tmp_path, capsys):
    nl2bash.main(["stats", str(folder), "--json", str(tmp_path / "figures.json")])
    written = json.loads((tmp_path / "figures.json").read_text())
    assert {"name": "utilities", "table": "Table 4", "ours": 2, "published": 102} in written[
        "figures"
    ]
    assert "Table 5" in capsys.readouterr().out


def test_a_pair_that_is_repeated_is_one_command_for_its_sentence(folder):
    write(folder, "train", ROWS["train"][:1] * 5)
    found = {figure.name: figure.ours for figure in measure(folder).figures}
    assert found["commands a sentence, most"] == found["sentences a command, most"] == 1


def test_a_folder_without_a_command_that_parses_has_no_mean(folder):
    (folder / "train-00000-of-00001.parquet").unlink()
    found = {figure.name: figure.ours for figure in measure(folder).figures}
    assert (found["tokens a command, mean"], found["flags"]) == (None, 0)


def test_what_is_no_folder_of_nl2bash_is_one_sentence(tmp_path, folder):
    with pytest.raises(UserError, match="gone: no such folder"):
        measure(tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="holds no Parquet files"):
        measure(tmp_path / "empty")
    pq.write_table(pa.table({"id": ["a"]}), folder / "test-00000-of-00001.parquet")
    with pytest.raises(
        UserError, match=r"test-.*: not a split of NL2Bash: the column nl is missing$"
    ):
        measure(folder)
    (folder / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"test-.*parquet: not a split of NL2Bash"):
        measure(folder)


@pytest.mark.parametrize("read", [measure, check_pairs])
def test_a_folder_of_juice_is_one_sentence(folder, read):
    train = {"files": ["train-00000-of-00001.parquet"], "repositories": 1, "notebooks": 1}
    write_json(folder / "build.json", {"splits": {"train": train}})
    with pytest.raises(UserError, match=r": juice\.py made it and reads it, not nl2bash\.py"):
        read(folder)
