"""The builder of NL2Bash, run as a user would, on pairs in sight; and on the published ones."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset
from simple_bash import read_simple

import nl2bash
from nl2code import bash_code
from nl2code.corpus.nl2bash.build import build_pairs
from nl2code.corpus.nl2bash.check import check_pairs
from nl2code.corpus.nl2bash.schema import FEATURES
from nl2code.errors import run_program

ROOT = Path(__file__).parents[3]
DATA = ROOT.parent / "shared" / "data" / "nl2bash"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the pairs of {DATA}")


@pytest.fixture(autouse=True)
def _alone(monkeypatch, tmp_path):
    """No network, a cache of its own, and a reader that needs no grammar."""
    for module in ("datasets.config", "huggingface_hub.constants"):
        monkeypatch.setattr(f"{module}.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(nl2bash, "build_pairs", partial(build_pairs, read=read_simple))
    monkeypatch.setattr(nl2bash, "check_pairs", partial(check_pairs, read=read_simple))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)


def write_pairs(folder, count=60):
    """Pairs of distinct sentences; the last is dropped."""
    folder.mkdir(parents=True, exist_ok=True)
    nl = [f"List the files of folder{number} (all)" for number in range(count)]
    commands = [f"ls -l folder{number}" for number in range(count)]
    (folder / "all.nl").write_text("\n".join([*nl, "Dance a dance"]))
    (folder / "all.cm").write_text("\n".join([*commands, "dance"]))
    return folder


def build(*arguments):
    nl2bash.main(["build", *map(str, arguments)])


def test_rebuilt_pairs_load_from_the_parent_folder_and_from_anywhere(tmp_path, monkeypatch):
    build(write_pairs(tmp_path / "pairs"), "--config", "rebuilt")
    (tmp_path / "elsewhere").mkdir()
    for place, names in (
        (".", ["nl2bash"]),
        (".", ["nl2bash", "rebuilt"]),
        ("elsewhere", ["nl2bash", "rebuilt"]),
    ):
        monkeypatch.chdir(tmp_path / place)
        splits = load_dataset(*names)
        assert sum(map(len, splits.values())) == 60
        assert splits["train"].features == FEATURES


def test_a_row_has_both_levels_of_tokens_and_what_the_command_holds(tmp_path):
    build(write_pairs(tmp_path / "pairs"), "--config", "rebuilt", "--no-install")
    rows = [row for rows in load_dataset("nl2bash").values() for row in rows]
    (row,) = [row for row in rows if row["line"] == 8]
    assert row == {
        "id": "8",
        "line": 8,
        "nl": "List the files of folder7 (all)",
        "command": "ls -l folder7",
        "template": "ls -l File",
        "utilities": ["ls"],
        "flags": ["-l"],
        "reserved": [],
        "nl_tokens": ["list", "file", "of", "folder7"],
        "nl_sub_tokens": ["list", "file", "of", "folder", "7"],
        "command_tokens": ["ls", "-l", "folder7"],
        "command_sub_tokens": list("ls-lfolder7"),
        "cluster": "list file of folder7",
        "leaks": False,
    }


def test_reasons_are_printed_saved_and_on_the_card(tmp_path, capsys):
    build(write_pairs(tmp_path / "pairs"), "--config", "rebuilt", "--no-install")
    output = capsys.readouterr().out
    assert "no_grammar" in output
    report = json.loads(Path("nl2bash/build.json").read_text())
    assert report["funnel"] == [
        ["sentence", "kept", 61],
        ["command", "no_grammar", 1],
        ["command", "kept", 60],
        ["utility", "kept", 60],
    ]
    card = Path("nl2bash/README.md").read_text()
    assert "| command | no_grammar | 1 |" in card
    assert "$" not in card
    assert "license: other" in card
    assert card.count("config_name: rebuilt\n") == 2  # of the columns, and of the files
    assert sum(split["examples"] for split in report["splits"].values()) == 60


def test_whatever_stands_in_a_line_costs_only_its_pair(tmp_path, monkeypatch):
    monkeypatch.setattr(nl2bash, "build_pairs", build_pairs)  # with our own parser
    pairs = write_pairs(tmp_path / "pairs")
    odd = {
        "ls 'a": "unparsed",
        "cat <<EOF": "unparsed",
        "ls " + "a" * 10_000: "too_long",
        "echo " + "$(" * 200 + "ls" + ")" * 200: "too_deep",
        "ls --nope": "unknown_flag",
        "foobar -x": "no_grammar",
        " \t": "empty_command",
        "ls \x00": "null_byte",
        "ls 'a\x00'": "null_byte",
        "ls “a b” \u2013l": "kept",
    }
    for name, lines in (("all.nl", [f"List {n}" for n in range(len(odd))]), ("all.cm", odd)):
        text = (pairs / name).read_text()
        (pairs / name).write_text("\n".join([text, *lines]))
    build(pairs, "--config", "rebuilt", "--no-install")
    funnel = json.loads(Path("nl2bash/build.json").read_text())["funnel"]
    dropped = Counter(odd.values()) + Counter(["no_grammar"]) - Counter(["kept"])
    assert {reason: count for _, reason, count in funnel if reason != "kept"} == dropped
    assert funnel[-1] == ["utility", "kept", 61]


def test_of_few_pairs_the_build_says_which_split_is_empty_and_what_helps(tmp_path, capsys):
    options = ("--config", "rebuilt", "--no-install", "--overwrite")
    build(write_pairs(tmp_path / "pairs", 3), *options)
    made = {path.name.partition("-")[0] for path in Path("nl2bash").glob("*.parquet")}
    empty = " and ".join(split for split in ("train", "dev", "test") if split not in made)
    assert empty
    assert f"No pair is in {empty}: the rule draws" in capsys.readouterr().out
    build(write_pairs(tmp_path / "pairs", 60), *options)
    assert "No pair is in" not in capsys.readouterr().out


def test_the_same_pairs_give_the_same_bytes(tmp_path):
    for out in ("one", "two"):
        build(write_pairs(tmp_path / out / "in"), "--config", "rebuilt", "--out", f"{out}/nl2bash")
    one, two = (Path(out, "nl2bash") for out in ("one", "two"))
    assert {path.name: path.read_bytes() for path in one.iterdir()} == {
        path.name: path.read_bytes() for path in two.iterdir()
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone",), "gone: no such folder; SOURCE is a folder of all.nl and all.cm"),
        (("pairs/all.nl",), "pairs/all.nl: a file; SOURCE is a folder of all.nl and all.cm"),
        (("full",), "full/all.nl: no such file"),
        (("pairs",), "pairs/all.nl: not the published file"),
        (("strange", "--config", "rebuilt"), "no pair of 1 is kept; dropped: no_grammar 1"),
        (("pairs", "--config", "rebuilt", "--out", "full"), "full: exists and is not a folder"),
        (("pairs", "--config", "other"), "invalid choice: 'other'"),
    ],
)
def test_a_mistake_is_one_sentence_and_nothing_is_written(tmp_path, capsys, arguments, said):
    write_pairs(tmp_path / "pairs")
    write_pairs(tmp_path / "strange", 0)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: build(*arguments, "--no-install"))
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == before


def test_an_older_build_stays_when_the_new_one_fails(tmp_path):
    options = ("--config", "rebuilt", "--no-install", "--overwrite")
    build(write_pairs(tmp_path / "pairs"), *options)
    before = {path.name: path.read_bytes() for path in Path("nl2bash").iterdir()}
    (tmp_path / "pairs" / "all.nl").write_text("one line\n")
    with pytest.raises(SystemExit):
        run_program(lambda: build("pairs", *options))
    assert {path.name: path.read_bytes() for path in Path("nl2bash").iterdir()} == before


def test_check_prints_each_invariant_and_exits_with_1_when_one_is_broken(tmp_path, capsys):
    build(write_pairs(tmp_path / "pairs"), "--config", "rebuilt", "--no-install")
    nl2bash.main(["check"])
    assert "line numbers are unique" in capsys.readouterr().out
    shutil.copy(*(f"nl2bash/{split}-00000-of-00001.parquet" for split in ("dev", "test")))
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: nl2bash.main(["check", "nl2bash"]))
    assert stopped.value.code == 1
    output = capsys.readouterr()
    assert "no cluster of dev stands in test" in output.out
    assert output.err == ""


def test_a_push_sends_the_folder_and_a_dry_run_sends_nothing(tmp_path, capsys, monkeypatch):
    calls = []

    class Hub:
        def create_repo(self, repo_id, **options):
            calls.append((repo_id, options["private"]))

        def upload_folder(self, folder_path, **options):
            calls.append(sorted(path.name for path in folder_path.iterdir()))
            return SimpleNamespace(commit_url="https://hub/commit/1")

    monkeypatch.setattr("nl2code.hub.dataset.HfApi", Hub)
    build(write_pairs(tmp_path / "pairs"), "--config", "rebuilt", "--no-install")
    made = sorted(os.listdir("nl2bash"))
    nl2bash.main(["push", "nl2bash", "ada/nl2bash", "--dry-run"])
    output = capsys.readouterr().out
    assert all(name in output for name in made)
    assert "nothing was uploaded" in output
    assert calls == []
    nl2bash.main(["push", "ada/nl2bash", "--private"])  # ./nl2bash
    assert calls == [("ada/nl2bash", True), made]
    assert "https://hub/commit/1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "gone"), "gone: no such folder"),
        (("check", "pairs"), "pairs: load_dataset finds no splits"),
        (("push", "pairs", "ada/nl2bash"), "pairs: not a folder that nl2bash.py made"),
        (("push", "pairs", "nl2bash"), "REPOSITORY nl2bash: name the owner too"),
        (("push",), "required: REPOSITORY"),
    ],
)
def test_what_cannot_be_checked_or_pushed_is_one_sentence(tmp_path, capsys, arguments, said):
    (tmp_path / "pairs").mkdir()
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: nl2bash.main(list(arguments)))
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_the_program_runs_and_says_what_it_takes():
    run = subprocess.run(
        [sys.executable, ROOT / "nl2bash.py", "build", "gone"], capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == ("error: gone: no such folder; SOURCE is a folder of all.nl and all.cm\n")


@needs_data
def test_the_published_split_has_8090_609_and_606_pairs(tmp_path, capsys):
    build(DATA)
    splits = load_dataset("nl2bash")
    sizes = {name: len(rows) for name, rows in splits.items()}
    assert sizes == {"train": 8_090, "dev": 609, "test": 606}
    assert splits["train"][0]["line"] == 1_681
    card = Path("nl2bash/README.md").read_text()
    assert "license: mit" in card
    assert "Copyright (c) 2020 NL2Bash dataset" in card
    leaks = {name: sum(rows["leaks"]) for name, rows in splits.items()}
    assert leaks == {"train": 0, "dev": 14, "test": 23}
    assert len({nl for rows in splits.values() for nl in rows["nl"]}) == 8_559
    assert "Kept as published" in capsys.readouterr().out  # the simple reader knows five utilities


@needs_data
@pytest.mark.slow
def test_rebuilding_the_published_pairs_says_what_differs(tmp_path):
    note = build_pairs(str(DATA), tmp_path / "nl2bash", "rebuilt", read_simple).note
    assert re.match(r"Of the 9,305 published pairs \d+.\d% are kept \(dropped: no_grammar", note)


@needs_data
@pytest.mark.slow
def test_the_published_pairs_have_102_utilities(tmp_path):
    lines = (DATA / "all.cm").read_text(encoding="utf-8").split("\n")
    build_pairs(str(DATA), tmp_path / "nl2bash", "published")
    rows = pq.read_table(tmp_path / "nl2bash", columns=["line", "utilities"]).to_pylist()
    assert len({utility for row in rows for utility in row["utilities"]}) == 102
    assert bash_code.utilities(lines[rows[0]["line"] - 1]) == rows[0]["utilities"]
