import os
import subprocess
import sys

import pytest

from nl2code.errors import UserError
from nl2code.jsonl import _HOST as HOST
from nl2code.jsonl import read_json, read_jsonl, write_json, write_jsonl, writing


def test_rows_come_back_as_they_went(tmp_path):
    rows = [{"id": "a", "text": "ü\n"}, {"id": "b", "n": [1, None]}]
    write_jsonl(tmp_path / "deep" / "rows.jsonl", rows)
    assert list(read_jsonl(tmp_path / "deep" / "rows.jsonl")) == rows


@pytest.mark.parametrize("line", ["{", "[1]", "3"])
def test_a_bad_line_is_named(tmp_path, line):
    (tmp_path / "rows.jsonl").write_text(f'{{"a": 1}}\n\n{line}\n')
    with pytest.raises(UserError, match=r"rows\.jsonl, line 3"):
        list(read_jsonl(tmp_path / "rows.jsonl"))


def test_a_missing_file_is_named(tmp_path):
    for read in (read_json, lambda path: list(read_jsonl(path))):
        with pytest.raises(UserError, match="gone"):
            read(tmp_path / "gone")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    write_json(tmp_path / "a.json", 1)

    def rows():
        yield {"a": 1}
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_jsonl(tmp_path / "a.json", rows())
    assert (tmp_path / "a.json").read_text() == "1\n"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_folder_is_replaced_whole(tmp_path):
    for number in (1, 2):
        with writing(tmp_path / "out") as aside:
            aside.mkdir()
            (aside / str(number)).touch()
    assert os.listdir(tmp_path / "out") == ["2"]
    assert os.listdir(tmp_path) == ["out"]


def finished_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_run_left_is_removed_and_a_living_one_is_left_alone(tmp_path):
    (tmp_path / f".out.{HOST}.{finished_process()}.part").mkdir()
    alive = tmp_path / f".out.{HOST}.{os.getppid()}.part"
    alive.mkdir()
    with writing(tmp_path / "out") as aside:
        aside.touch()
    assert sorted(os.listdir(tmp_path)) == [alive.name, "out"]


def test_what_a_run_with_our_own_number_left_is_removed(tmp_path):
    """In a container each start has the number of the one before."""
    (tmp_path / f".out.{HOST}.{os.getpid()}.part").mkdir()
    write_json(tmp_path / "out", 1)
    assert os.listdir(tmp_path) == ["out"]


def test_a_folder_killed_between_the_two_renames_comes_back(tmp_path):
    (tmp_path / f".out.{HOST}.{finished_process()}.old").mkdir()
    context = writing(tmp_path / "out")
    context.__enter__()
    assert (tmp_path / "out").is_dir()


def test_another_hosts_work_is_left_alone(tmp_path):
    other = tmp_path / f".out.elsewhere.{finished_process()}.part"
    other.touch()
    write_json(tmp_path / "out", 1)
    assert other.exists()


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "disk" / "out").mkdir(parents=True)
    (tmp_path / "out").symlink_to(tmp_path / "disk" / "out")
    with writing(tmp_path / "out") as aside:
        aside.mkdir()
        (aside / "new").touch()
    assert (tmp_path / "out").is_symlink()
    assert os.listdir(tmp_path / "disk" / "out") == ["new"]
    assert os.listdir(tmp_path / "disk") == ["out"]


def test_an_error_that_is_no_number_of_the_systems_keeps_its_words(tmp_path):
    with pytest.raises(OSError, match=r"^tokenizer: full$"), writing(tmp_path / "out"):
        raise OSError("tokenizer: full")
