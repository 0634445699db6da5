"""stats, check, push and released, run as their command lines say."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from curated_world import world, write_dump

import juice
import nl2bash
from nl2code.corpus.check.report import check
from nl2code.corpus.juice import Juice
from nl2code.errors import run_program

RELEASED = {"code": "x = f(1)", "nl": ["Take", "one"], "metadata": {"repo": "a", "path": "b"}}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = tmp_path_factory.mktemp("built")
    dump = write_dump(place / "dump.jsonl", world())
    run("build", dump, "--workers", 1, "--no-install", "--out", place / "juice")
    return place / "juice"


@pytest.fixture(autouse=True)
def _offline(tmp_path, monkeypatch):
    for module in ("datasets.config", "huggingface_hub.constants"):
        monkeypatch.setattr(f"{module}.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setenv("COLUMNS", "120")


def run(*arguments):
    juice.main([str(argument) for argument in arguments])


def fails(capsys, *arguments):
    """What the command says when it ends, which must be one sentence, and its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: run(*arguments))
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: ")
    assert output.err.count("\n") == 1
    assert stopped.value.code == 2
    return output.err


def test_stats_print_the_figures_beside_the_paper_s(built, capsys):
    run("stats", built)
    output = capsys.readouterr().out
    for words in ("1,518,049", "nbgrader", "in_too_few_repositories"):
        assert words in output


def test_stats_write_a_page_and_say_where(built, tmp_path, monkeypatch, capsys):
    def write_page(figures, path):
        path.write_text(f"{sum(figures.sources['nbgrader'].values())} answers")

    monkeypatch.setattr(juice, "write_page", write_page)
    run("stats", built, "--page", tmp_path / "stats.html")
    written = (tmp_path / "stats.html").read_text(encoding="utf-8")
    assert written == "2 answers"
    assert str(tmp_path / "stats.html") in capsys.readouterr().out.replace("\n", "")


def test_check_of_a_sound_folder_prints_each_invariant_and_ends_well(built, capsys):
    run("check", built)
    assert "ids are unique" in capsys.readouterr().out


def test_check_of_a_broken_folder_names_what_is_broken_and_exits_with_1(built, tmp_path, capsys):
    broken = shutil.copytree(built, tmp_path / "juice")
    for split in ("dev", "train"):
        shutil.copy(
            broken / "test-00000-of-00001.parquet", broken / f"{split}-00000-of-00001.parquet"
        )
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: run("check", broken))
    assert stopped.value.code == 1
    output = capsys.readouterr()
    assert "no target stands in two splits" in output.out
    assert output.err == ""


class Hub:
    """Stands in for `HfApi`; says what it was given."""

    uploaded = ()

    def create_repo(self, repo_id, **options):
        Hub.uploaded += ((repo_id, options["private"]),)

    def upload_folder(self, folder_path, **options):
        Hub.uploaded += (sorted(path.name for path in Path(folder_path).iterdir()),)
        return SimpleNamespace(commit_url="https://hub/commit/1")


@pytest.fixture
def hub(monkeypatch):
    monkeypatch.setattr(Hub, "uploaded", ())
    monkeypatch.setattr("nl2code.hub.dataset.HfApi", Hub)
    return Hub


def test_a_dry_run_lists_the_files_and_uploads_nothing(built, hub, capsys):
    run("push", built, "ada/juice", "--dry-run")
    output = capsys.readouterr().out
    for file in built.iterdir():
        assert file.name in output
    assert "nothing was uploaded" in output
    assert hub.uploaded == ()


@pytest.mark.parametrize("program", [juice, nl2bash])
def test_options_stand_anywhere(program, monkeypatch):
    called = []
    monkeypatch.setattr(program, "run_push", called.append)
    for words in (
        "F --dry-run a/b",
        "--dry-run F a/b",
        "F a/b --dry-run",
        "F --dry-run a/b --private",
    ):
        program.main(["push", *words.split()])
    program.main(["push", "--dry-run", "a/b"])
    *whole, short = called
    assert {(str(one.folder), one.repository, one.dry_run) for one in whole} == {("F", "a/b", True)}
    assert (short.folder.name, short.repository) in (("juice", "a/b"), ("nl2bash", "a/b"))
    assert [one.private for one in called] == [False, False, False, True, False]


def test_sources_stand_on_both_sides_of_an_option(monkeypatch):
    called = []
    monkeypatch.setattr(juice, "run_build", called.append)
    juice.main(["build", "a", "--seed", "3", "b", "--overwrite"])
    (found,) = called
    assert ([str(one) for one in found.sources], found.seed) == (["a", "b"], 3)
    assert found.overwrite
    assert found.out == Path("juice")


def test_a_push_uploads_the_folder_and_says_where(built, hub, capsys, monkeypatch):
    monkeypatch.chdir(built.parent)
    run("push", "ada/juice", "--private")  # ./juice
    files = sorted(path.name for path in built.iterdir())
    assert hub.uploaded == (("ada/juice", True), files)
    assert "https://hub/commit/1" in capsys.readouterr().out


def released(folder, **splits):
    folder.mkdir()
    for split, records in splits.items():
        lines = (json.dumps(RELEASED | {"code": f"x = {split}({n})"}) for n in range(records))
        (folder / f"{split}.jsonl").write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_released_files_become_a_folder_that_loads_by_its_config(tmp_path, capsys, workers):
    source, out = released(tmp_path / "in", train=3, dev=1, test=2), tmp_path / "out"
    run("released", source, "--out", out, "--workers", workers)
    said = capsys.readouterr().out.replace("\n", "")
    assert 'load_dataset("juice", "released")' in said
    assert Juice.of(out).as_dataset("test")[1]["code"] == "x = test(1)"
    assert pq.read_table(out / "train-00000-of-00001.parquet").num_rows == 3
    with pytest.raises(SystemExit):
        run_program(lambda: run("released", source, "--out", out, "--workers", 1))
    assert "exists; --overwrite" in capsys.readouterr().err
    run("released", source, "--out", out, "--workers", 1, "--overwrite", "--no-install")


def test_the_counts_of_a_released_folder_are_right(tmp_path):
    source, out = released(tmp_path / "in", train=3, dev=1, test=2), tmp_path / "out"
    run("released", source, "--out", out, "--workers", 1, "--no-install")

    def wrong() -> int:
        found = {finding.invariant: finding.violations for finding in check(out)}
        return found["the stated counts are right"]

    assert wrong() == 0
    report = json.loads((out / "build.json").read_text())
    report["funnel"][0][-1] += 1
    (out / "build.json").write_text(json.dumps(report))
    assert wrong() == 1


def pairs(folder):
    """A folder that nl2bash.py built, of one pair."""
    folder.mkdir()
    (folder / "all.nl").write_text("List the files")
    (folder / "all.cm").write_text("ls")
    arguments = ["build", folder, "--config", "rebuilt", "--no-install", "--out", folder / "bash"]
    nl2bash.main(list(map(str, arguments)))
    return folder / "bash"


def test_a_user_s_mistake_is_one_sentence_that_names_it(built, tmp_path, capsys, hub):
    (tmp_path / "empty").mkdir()
    bash = pairs(tmp_path / "pairs")
    capsys.readouterr()
    for arguments, said in (
        (("stats", tmp_path / "gone"), "gone: no such folder"),
        (("stats", tmp_path / "empty"), "empty: not a built dataset"),
        (("check", tmp_path / "gone"), "gone: no such folder"),
        (("check", tmp_path / "empty"), "empty: "),
        (("push", built, "juice"), "REPOSITORY juice: name the owner too"),
        (("push", built, "a b/juice"), "REPOSITORY a b/juice: "),
        (("push", tmp_path / "empty", "ada/juice"), "not a folder that juice.py made"),
        (("stats", bash), "bash: nl2bash.py made it and reads it, not juice.py"),
        (("check", bash), "bash: nl2bash.py made it and reads it, not juice.py"),
        (("push", bash, "ada/juice"), "bash: not a folder that juice.py made"),
        (("build", "x", "--out", bash, "--overwrite"), "is not a folder that juice.py made"),
        (("released", tmp_path / "empty", "--out", tmp_path / "out"), "empty: holds none of train"),
        (("released", tmp_path / "empty", "--out", tmp_path / "pairs"), "exists and is not"),
    ):
        assert said in fails(capsys, *arguments)
    assert hub.uploaded == ()
    assert not (tmp_path / "out").exists()


def test_a_page_that_cannot_be_written_is_one_sentence(built, tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        run_program(lambda: run("stats", built, "--page", tmp_path))
    assert stopped.value.code == 2
    assert f"--page {tmp_path}: is a folder" in capsys.readouterr().err


def closed(*_, **__):
    raise SystemExit(1)  # as Rich does when nobody reads any more


def test_a_reader_who_has_had_enough_costs_no_page(built, tmp_path, monkeypatch):
    monkeypatch.setattr(juice, "write_page", lambda figures, path: path.touch())
    monkeypatch.setattr(juice, "print_statistics", closed)
    with pytest.raises(SystemExit):
        run("stats", built, "--page", tmp_path / "stats.html")
    assert (tmp_path / "stats.html").exists()


def test_a_reader_who_has_had_enough_costs_no_install(tmp_path, monkeypatch):
    source, out = released(tmp_path / "in", train=1), tmp_path / "out"
    installed = []
    monkeypatch.setattr(juice, "install", installed.append)
    monkeypatch.setattr(juice, "print_report", closed)
    with pytest.raises(SystemExit):
        run("released", source, "--out", out, "--workers", 1)
    assert installed == [out]


@pytest.mark.parametrize(
    "arguments", [(), ("bild",), ("stats", "--pages", "x"), ("push",), ("released",)]
)
def test_a_command_line_that_is_none_exits_with_2_and_says_how(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        run(*arguments)
    assert stopped.value.code == 2
    assert "usage: juice.py" in capsys.readouterr().err


def test_the_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as stopped:
        run("--help")
    assert not stopped.value.code
    output = capsys.readouterr().out
    for command in ("build", "released", "stats", "check", "push"):
        assert f"    {command} " in output


@pytest.mark.parametrize("program", [juice, nl2bash])
def test_the_help_has_the_docstring_in_its_own_lines(program, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(program, "__doc__", "Words.\n\n    python program.py \\\n        --out x\n")
    with pytest.raises(SystemExit):
        program.main(["--help"])
    assert program.__doc__ in capsys.readouterr().out


def test_the_help_gives_the_defaults_that_are_there(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        run("push", "--help")
    output = capsys.readouterr().out
    assert "the built folder (default: juice)" in output
    assert "usage: juice.py push [-h] [--private] [--dry-run] [folder] REPOSITORY" in output
    assert "print what would be uploaded\n" in output
