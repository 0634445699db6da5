"""The ablation benchmark: its variants are configs that load, its table says what was scored."""

import argparse
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from nl2code.config import read_config
from nl2code.errors import UserError
from nl2code.training_config import TrainConfig, check_numbers

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def ablations() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "benchmarks"))  # what `python benchmarks/ablations.py` does
    yield importlib.import_module("ablations")
    sys.path.remove(str(ROOT / "benchmarks"))


def test_each_variant_changes_what_its_name_says_and_shares_the_budget(ablations) -> None:
    configs = {}
    for variant in ablations.VARIANTS:
        path = ROOT / "recipes/configs" / f"{variant.config or 'best-small'}.yaml"
        options = ["--config", str(path), "--out", "x", *variant.options.split()]
        configs[variant.name] = read_config(TrainConfig, options)
    ours = {one.name for one in ablations.VARIANTS if one.config is None}
    assert len({(configs[name].limits, configs[name].optim) for name in ours}) == 1
    assert {config.num_threads for config in configs.values()} == {1}
    fmt = {name: config.format for name, config in configs.items()}
    assert configs["without copying"].model.copy_heads == 0
    assert (fmt["best"].context_cells, fmt["best"].chosen_cells) == (3, 2)
    assert configs["copying without matches"].model.copy_matches == 0
    nearest = fmt["the 5 nearest cells, none chosen"]
    assert (nearest.context_cells, nearest.chosen_cells) == (5, 0)
    assert fmt["the 3 nearest cells, none chosen"].chosen_cells == 0
    assert configs["the paper's LSTM, small"].model.type == "lstm"


def write_result(predictions: Path, answers: list[str], bleu: float) -> None:
    predictions.parent.mkdir(exist_ok=True)
    lines = [json.dumps({"id": i, "prediction": answer}) for i, answer in enumerate(answers)]
    predictions.write_text("\n".join(lines))
    figures = {"bleu_nltk3": bleu, "exact_match": 0.1}
    values = {name: {"value": value, "signature": "sig"} for name, value in figures.items()}
    predictions.with_suffix(".scores.json").write_text(json.dumps({"scores": values}))


def test_the_table_gives_means_spread_and_the_share_that_does_not_parse(ablations, tmp_path):
    for variant in ablations.VARIANTS:
        for seed in (1, 2):
            run = ablations.place(tmp_path, variant, seed)
            answers = (
                ["f (", "x"] if variant.name == "free to repeat itself" else ["f ( x )", "f ( x )"]
            )
            for split in ("dev", "test"):
                out = ablations.answers(tmp_path, variant, seed, split)
                write_result(out, answers, seed / 10)
            rows = [{"step": 5, "dev_loss": 4.0}, {"step": 9, "dev_loss": 3.0}, {"step": 12}]
            (run / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
            limits = "limits: {max_minutes: 60}\ndata: {train_examples: null}\n"
            (run / "config.yaml").write_text(limits)
    for split in ("dev", "test"):
        for name, _ in ablations.BASELINES.values():
            write_result(tmp_path / f"{name}.{split}.jsonl", ["x"], 0.2)
    lines = ablations.report(tmp_path, ablations.VARIANTS, [1, 2], "--out runs").splitlines()
    assert "`python benchmarks/ablations.py --out runs`" in lines
    cells = {line.split(" | ")[0][2:]: line for line in lines if line.startswith("| ")}
    assert cells["best"] == (
        "| best | 15.00 ± 7.07 | 10.00 ± 0.00 | 15.00 ± 7.07 | 10.00 ± 0.00"
        " | 0.0 | 3.000 ± 0.000 | 9 ± 0 |"
    )
    assert " | 50.0 | " in cells["free to repeat itself"]
    assert cells["Ret-Context, 12 cells"].startswith("| Ret-Context, 12 cells | 20.00 | 10.00 |")


@pytest.mark.parametrize(
    ("minutes", "updates", "expected"), [(90, None, (0, None, 90)), (None, 920, (153, 920, None))]
)
def test_the_rate_cools_down_where_the_last_update_is_known(
    minutes, updates, expected, ablations, tmp_path, monkeypatch
) -> None:
    args = argparse.Namespace(
        out=tmp_path, data="mein juice", tokenizer="t", minutes=minutes, updates=updates,
        train_examples=None, config="best-small", precision="no",
    )  # fmt: skip
    commands: list[list[object]] = []
    monkeypatch.setattr(ablations, "start", lambda command, _: commands.append(command))
    for variant in (ablations.VARIANTS[0], ablations.VARIANTS[-1]):
        with pytest.raises(UserError, match="stopped before its end"):
            ablations.train(args, variant, 1)
    best, lstm = (
        read_config(TrainConfig, [str(word) for word in command[1:]]) for command in commands
    )
    check_numbers(best)
    check_numbers(lstm)
    limits = best.limits.max_steps, best.limits.max_minutes
    assert (best.optim.cooldown_steps, *limits) == expected
    assert best.data.path == "mein juice"
    assert lstm.optim.cooldown_steps == 0


def test_a_training_that_a_signal_stopped_is_not_over(ablations, tmp_path, monkeypatch) -> None:
    args = argparse.Namespace(
        out=tmp_path, data="juice", tokenizer="t", minutes=None, updates=5, train_examples=None,
        config="best-small", precision="no",
    )  # fmt: skip
    run = ablations.place(tmp_path, ablations.VARIANTS[0], 1)
    monkeypatch.setattr(ablations, "start", lambda *_: run.mkdir())
    with pytest.raises(UserError, match="stopped before its end"):
        ablations.train(args, ablations.VARIANTS[0], 1)
    (run / "report.md").touch()
    ablations.train(args, ablations.VARIANTS[0], 1)
