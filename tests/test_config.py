from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nl2code.config import ENDLESS, config_beside, read_config, save_config
from nl2code.errors import UserError


@dataclass(frozen=True)
class Optim:
    """The optimizer."""

    lr: float = 1e-3
    """Learning rate."""
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = field(default=5.0, metadata=ENDLESS)


@dataclass(frozen=True)
class Run:
    """A run."""

    out: Path = Path("runs/x")
    """Where to write."""
    examples: int | None = None
    overwrite: bool = False
    optim: Optim = field(default_factory=Optim)


def config_file(tmp_path, text):
    path = tmp_path / "run.yaml"
    path.write_text(text)
    return f"--config={path}"


def test_overrides_win_over_the_file_and_the_file_over_the_defaults(tmp_path):
    option = config_file(tmp_path, "examples: 5\noptim:\n  lr: 0.1\n")
    run = read_config(Run, [option, "--optim.lr", "2e-3", "--out", "a b"])
    assert run == Run(Path("a b"), 5, False, Optim(2e-3, (0.9, 0.98)))


def test_a_config_that_is_no_text_is_one_sentence(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_bytes(b"PAR1\xff\xfe")
    with pytest.raises(UserError, match=r"--config .*run.yaml: not a text in UTF-8"):
        read_config(Run, ["--config", str(path)])


def test_a_saved_config_reads_back_the_same(tmp_path):
    run = Run(Path("ä b"), None, True, Optim(0.5, (0.1, 0.2)))
    save_config(run, tmp_path / "saved.yaml")
    assert read_config(Run, ["--config", str(tmp_path / "saved.yaml")]) == run


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("optim:\n  rate: 1\n", "rate"),
        ("exampels: 1\n", "exampels"),
        ("examples: many\n", '"examples": the value many'),
        ("optim:\n  lr: fast\n", "lr"),
        ("optim: 3\n", "optim"),
        ("- 1\n", "1"),
        ("a: [\n", "parsing"),
    ],
)
def test_a_mistake_in_the_file_names_the_file_and_the_key(tmp_path, text, named):
    with pytest.raises(UserError) as caught:
        read_config(Run, [config_file(tmp_path, text)])
    assert named in str(caught.value)
    assert "run.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_the_users_mistake(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        read_config(Run, ["--config", str(tmp_path / "gone.yaml")])
    with pytest.raises(UserError, match="a folder"):
        read_config(Run, [f"--config={tmp_path}"])


def test_an_unknown_option_is_named():
    with pytest.raises(UserError, match="--learning"):
        read_config(Run, ["--learning", "1"])


@pytest.mark.parametrize("option", ["--examples=many", "--optim.lr=fast", "--learning=1"])
def test_a_mistake_on_the_command_line_is_not_blamed_on_the_file(tmp_path, option):
    with pytest.raises(UserError) as caught:
        read_config(Run, [config_file(tmp_path, "examples: 5\n"), option])
    assert option.partition("=")[0].removeprefix("--") in str(caught.value)
    assert "run.yaml" not in str(caught.value)


@dataclass(frozen=True)
class Needy:
    """A program with options that must be given."""

    data: str
    out: str


def test_what_must_be_given_may_stand_in_either_place(tmp_path):
    option = config_file(tmp_path, "data: juice\n")
    assert read_config(Needy, [option, "--out=x"]) == Needy("juice", "x")
    with pytest.raises(UserError, match="out"):
        read_config(Needy, [option])


@pytest.mark.parametrize("words", [["--overwrite"], ["--overwrite", "true"], ["--overwrite=true"]])
def test_a_flag_needs_no_value(words):
    assert read_config(Run, [*words, "--examples", "5"]) == Run(overwrite=True, examples=5)
    assert not read_config(Run, ["--overwrite", "false"]).overwrite


def test_the_config_beside_a_result_never_replaces_the_users_own(tmp_path):
    out = tmp_path / "dev.jsonl"
    mine = config_beside(out, Run(), [])
    assert mine.name == "dev.jsonl.config.yaml"  # dev.json, scores of these, has another
    save_config(Run(examples=5), mine)
    assert config_beside(out, Run(examples=5), ["--config", str(mine)]) == mine
    with pytest.raises(UserError, match=r"--config .*dev.jsonl.config.yaml: .* would replace"):
        config_beside(out, Run(examples=6), ["--config", str(mine)])
    assert config_beside(out, Run(examples=6), []) == mine


def test_the_help_has_the_description_in_its_own_lines_and_the_defaults(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    description = "Words.\n\n    python recipes/run.py \\\n        --out x\n"
    with pytest.raises(SystemExit):
        read_config(Run, ["--help"], description)
    output = capsys.readouterr().out
    assert description in output
    assert "default: 0.001" in output


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--optim.lr=.nan", "optim.lr: nan is"),
        ("--optim.lr=-.inf", "optim.lr: -inf is"),
        ("--optim.lr=1e999", "optim.lr: inf is"),
        ("--optim.betas=[0.9,.nan]", "optim.betas: nan is"),
        ("--optim.clip=.nan", "optim.clip: nan is"),
    ],
)
def test_what_is_no_number_is_refused(option, said):
    with pytest.raises(UserError, match=f"^{said} no number"):
        read_config(Run, [option])


def test_what_is_no_number_in_a_file_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"^optim\.betas: inf is no number"):
        read_config(Run, [config_file(tmp_path, "optim:\n  betas: [0.9, .inf]\n")])


def test_only_what_says_so_may_be_infinite():
    assert read_config(Run, ["--optim.clip=.inf"]).optim.clip == float("inf")
