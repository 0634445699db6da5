"""No program writes over what it reads, or over what it did not make."""

from pathlib import Path

import pytest

from nl2code.errors import UserError
from nl2code.jsonl import write_json
from nl2code.outputs import check_apart, check_file, check_folder


def test_a_file_is_never_written_over_a_folder(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="a folder, not a file"):
        check_file(tmp_path / "run", overwrite=True)
    with pytest.raises(IsADirectoryError):
        write_json(tmp_path / "run", {})
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert (tmp_path / "run" / "notes.txt").read_text() == "mine"


def test_a_file_is_replaced_only_when_asked_and_never_when_it_is_read(tmp_path: Path) -> None:
    file, link = tmp_path / "p.jsonl", tmp_path / "same.jsonl"
    check_file(file, overwrite=False)
    file.write_text("{}")
    link.symlink_to(file)
    with pytest.raises(UserError, match="exists; --overwrite replaces it"):
        check_file(file, overwrite=False)
    check_file(file, overwrite=True)
    with pytest.raises(UserError, match="is the file that --predictions reads"):
        check_file(link, overwrite=True, predictions=file)


def test_a_folder_with_anything_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    def check(overwrite: bool = True) -> None:
        check_folder(tmp_path, overwrite, "build.json", ("build.json", "*.parquet"), "a build")

    check(overwrite=False)  # empty
    (tmp_path / "train-00000.parquet").touch()
    with pytest.raises(UserError, match="exists and is not a build"):
        check()
    (tmp_path / "build.json").touch()
    check()
    with pytest.raises(UserError, match="--overwrite replaces it"):
        check(overwrite=False)
    (tmp_path / "raw").mkdir()
    with pytest.raises(UserError, match="holds raw, which would be lost"):
        check()


def test_a_full_disk_is_said_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_json(tmp_path / "scores.json", {})
    assert caught.value.filename == str(tmp_path / "scores.json")


def test_two_folders_that_are_written_lie_apart(tmp_path: Path) -> None:
    out, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to(out)
    check_apart(out, work=tmp_path / "outer")
    for work in (out, out / "work", tmp_path, tmp_path / "x" / ".." / "out", link / "work"):
        with pytest.raises(UserError, match=f"--work {work}: must lie apart from --out"):
            check_apart(out, work=work)
    with pytest.raises(UserError, match="must lie apart from --out"):
        check_apart(link, work=out / "work")
