"""Whose a built folder is, and what a build may replace."""

from pathlib import Path

import pytest

from nl2code.corpus.folders import JUICE, NL2BASH, building, refuse_others
from nl2code.errors import UserError
from nl2code.jsonl import write_json

COUNTS = {
    JUICE: ("examples", "repositories", "notebooks"),
    NL2BASH: ("examples", "clusters", "commands", "templates", "leaks"),
}


def make(folder, maker):
    """A folder as the program leaves it, but for what is in its files."""
    for name in ("README.md", "dev-0.parquet", *maker.beside):
        folder.mkdir(exist_ok=True)
        (folder / name).touch()
    dev = dict.fromkeys(COUNTS[maker], 1) | {"files": ["dev-0.parquet"]}
    write_json(folder / "build.json", {"splits": {"dev": dev}})
    return folder


def rebuild(out, maker, overwrite=True):
    with building(out, overwrite, maker) as aside:
        aside.mkdir()
        (aside / "new").touch()


@pytest.mark.parametrize(("maker", "other"), [(JUICE, NL2BASH), (NL2BASH, JUICE)])
def test_a_build_replaces_only_what_the_same_program_made(tmp_path, maker, other):
    out = make(tmp_path / "out", maker)
    with pytest.raises(UserError, match=f"exists and is not a folder that {other.program} made"):
        rebuild(out, other)
    with pytest.raises(UserError, match="exists; --overwrite replaces it"):
        rebuild(out, maker, overwrite=False)
    assert (out / "dev-0.parquet").is_file()
    rebuild(out, maker)
    assert [path.name for path in out.iterdir()] == ["new"]


def test_an_empty_folder_is_filled(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    rebuild(out, JUICE, overwrite=False)
    assert [path.name for path in out.iterdir()] == ["new"]


@pytest.mark.parametrize("others", [[], ["mine.txt"]])
def test_a_failed_build_leaves_no_folder_that_was_made_for_it(tmp_path, others):
    (tmp_path / "old").mkdir()

    def fail():
        with building(tmp_path / "old" / "a" / "b" / "new", False, JUICE) as aside:
            aside.mkdir()
            for name in others:
                (tmp_path / "old" / "a" / name).touch()
            raise UserError("no example")

    with pytest.raises(UserError, match="no example"):
        fail()
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["old", *(["old/a", "old/a/mine.txt"] if others else [])]


def test_the_current_folder_is_not_replaced_under_the_shell(tmp_path, monkeypatch):
    out = make(tmp_path / "out", JUICE)
    monkeypatch.chdir(out)
    for name in (".", "../out"):
        with pytest.raises(UserError, match="is the current folder; name it from the one above"):
            rebuild(Path(name), JUICE)
    assert (out / "dev-0.parquet").exists()


@pytest.mark.parametrize("name", ["train-0.parquet", "notes.txt", ".git"])
def test_what_the_older_build_did_not_make_is_never_lost(tmp_path, name):
    out = make(tmp_path / "out", JUICE)
    (out / name).touch()
    with pytest.raises(UserError, match=f"holds {name}, which would be lost"):
        rebuild(out, JUICE)
    assert (out / name).exists()


@pytest.mark.parametrize(
    "report",
    [
        "{",
        "[]",
        "{}",
        '{"splits": []}',
        '{"splits": {}}',
        '{"splits": {"dev": null}}',
        '{"splits": {"dev": {"repositories": 1, "notebooks": 1}}}',
        '{"splits": {"dev": {"repositories": 1, "notebooks": 1, "files": 3}}}',
        '{"splits": {"dev": {"files": ["dev-0.parquet"]}}}',
    ],
)
def test_a_folder_whose_build_json_is_of_none_of_us_is_left_alone(tmp_path, report):
    out = make(tmp_path / "out", JUICE)
    (out / "build.json").write_text(report)
    with pytest.raises(UserError, match=r"exists and is not a folder that juice\.py made"):
        rebuild(out, JUICE)
    refuse_others(out, NL2BASH)  # anybody's: whoever reads it says what is wrong


def test_a_stated_name_is_no_pattern(tmp_path):
    out = make(tmp_path / "out", JUICE)
    dev = dict.fromkeys(COUNTS[JUICE], 1) | {"files": ["*"]}
    write_json(out / "build.json", {"splits": {"dev": dev}})
    with pytest.raises(UserError, match=r"holds dev-0\.parquet, which would be lost"):
        rebuild(out, JUICE)


def test_what_another_program_made_is_said_to_be_its_own(tmp_path):
    out = make(tmp_path / "out", NL2BASH)
    refuse_others(out, NL2BASH)
    with pytest.raises(UserError, match=r"out: nl2bash\.py made it and reads it, not juice\.py"):
        refuse_others(out, JUICE)
