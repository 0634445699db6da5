"""The README's commands are real, and its main one does what it says."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands():
    """The programs of the project in the README's shell blocks, with their options."""
    for block in re.findall(r"```bash\n(.*?)```", README, re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and words[0] in ("python", "accelerate", "launch"):
                words = words[1:]
            if words and words[0].endswith(".py"):
                yield words


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_a_command_of_the_readme_names_a_program_and_options_that_exist(words):
    source = (ROOT / words[0]).read_text(encoding="utf-8")
    for module in re.findall(r"from (nl2code[\w.]+) import", source):
        file = ROOT / f"{module.replace('.', '/')}.py"
        source += file.read_text(encoding="utf-8") if file.is_file() else ""
    for option in (word.removeprefix("--") for word in words if word.startswith("--")):
        option = option.removeprefix("format.")
        assert option == "config" or f'"--{option}"' in source or f"    {option}: " in source, (
            option
        )


def test_what_the_commands_of_the_readme_write_is_no_change_to_the_repository(tmp_path):
    written = [
        value
        for words in commands()
        for option, value in pairwise(words)
        if option in ("--out", "--page", "--work") and not value.startswith("/")
    ]
    assert len(written) > 10
    # What the programs write where no option says so.
    written += ["juice-released", "sheet.csv", "sheet.csv.key.json", "judged", "submission"]
    written += ["scores.json", "scores.json.config.yaml"]
    shutil.copy(ROOT / ".gitignore", tmp_path)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    files = "\n".join(name if Path(name).suffix else f"{name}/file" for name in written)
    run = subprocess.run(
        ["git", "check-ignore", "--stdin", "--verbose", "--non-matching"],
        cwd=tmp_path,
        input=files,
        capture_output=True,
        text=True,
    )
    assert not [line for line in run.stdout.splitlines() if line.startswith("::")]


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_every_config_of_the_readme_exists():
    names = re.findall(r"`((?:lstm|transformer)-[a-z0-9-]+|smoke|demo)`", README)
    assert names
    for name in names:
        assert (ROOT / "recipes" / "configs" / f"{name}.yaml").is_file(), name


@pytest.mark.slow
def test_the_demo_runs_from_a_fresh_copy(tmp_path):
    made = shutil.ignore_patterns(
        ".venv", ".git", "juice", "runs", "demo", "*.egg-info", ".*_cache"
    )
    copy = shutil.copytree(ROOT, tmp_path / "a copy", ignore=made)
    run = subprocess.run(
        [sys.executable, "examples/demo.py", "--minutes", "0.1"],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy), "HF_DATASETS_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    for place in ("juice/README.md", "runs/demo/best/config.json", "runs/demo/lstm.scores.json"):
        assert (copy / place).is_file(), place
    assert (copy / "runs/demo/submission/.eval_results/juice.yaml").is_file()
    assert "ret-context" in run.stdout
