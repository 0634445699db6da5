r"""People judge Bash commands (NL2Bash, section 6): a sheet to fill in, and what three of them say.

python recipes/judge.py sheet --predictions '[runs/one.jsonl, runs/other.jsonl]' --data nl2bash \
    --split dev --sentences 100 --out sheet.csv
python recipes/judge.py read --key sheet.csv.key.json --sheets '[ada.csv, bo.csv, cy.csv]' \
    --out judged
"""

from __future__ import annotations

import random
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.errors import UserError, run_program
from nl2code.instances import COLUMNS, instances
from nl2code.jsonl import write_json, writing
from nl2code.metrics.annotation.agreement import Agreement, agreements
from nl2code.metrics.annotation.key import Key, make_key, read_key, write_key
from nl2code.metrics.annotation.sheets import VERDICTS, read_sheet, write_sheet
from nl2code.metrics.annotation.verdicts import (
    ANNOTATORS,
    Sheets,
    answers,
    decide,
    judgements,
    write_judgements,
)
from nl2code.metrics.judgements import manual_accuracy
from nl2code.outputs import check_file, check_folder
from nl2code.predictions import answers_to, columns_of, digest_of, ranked_answers, references

KS = (1, 3)
MADE = ("scores.json", "manual.evaluations.*.csv")


@dataclass(frozen=True)
class SheetConfig:
    """Write a sheet for annotators."""

    predictions: list[Path]
    """The predictions of each system (JSON Lines, as recipes/score.py reads them)."""
    out: Path = Path("sheet.csv")
    """The sheet, to be copied for each annotator. Beside it go the resolved config and the key,
    OUT.key.json, which annotators must not see."""
    data: str = "nl2bash"
    """The built folder, or a dataset's name."""
    split: str = "test"
    """The split that the predictions answer."""
    k: int = 3
    """How many candidates of each system are judged."""
    sentences: int | None = None
    """Judge that many sentences, drawn by chance; null for all."""
    allow_missing: bool = False
    """Take ids without a prediction as empty ones, which are wrong, instead of refusing."""
    seed: int = 1
    """Decides which sentences are drawn, and the order of the sheet."""
    overwrite: bool = False
    """Replace the sheet when the file exists."""


@dataclass(frozen=True)
class ReadConfig:
    """Read three filled sheets."""

    key: Path
    """The key that was written beside the sheet."""
    sheets: list[Path]
    """The sheets of three annotators. The third may leave empty what the others agree on."""
    out: Path = Path("judged")
    """A folder: scores.json, and for each system its judgements, which recipes/score.py takes with
    --judgements. They hold predictions as they are, so do not open them in a spreadsheet."""
    overwrite: bool = False
    """Replace the folder when it exists."""


def main() -> None:
    """Run the command that the command line names."""
    commands = {"sheet": sheet, "read": read}
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("-h", "--help"):
        print(f"{__doc__}\n`sheet --help` and `read --help` list their options.")
        return
    if name not in commands:
        raise UserError(f"{name!r} is no command; take one of {', '.join(commands)}")
    commands[name](sys.argv[2:])


def sheet(arguments: list[str]) -> None:
    """Read predictions, shuffle, write the sheet and its key."""
    config = read_config(SheetConfig, arguments, description=__doc__)
    beside, key_file = check_sheet(config, arguments)
    rows = read_split(config.data, config.split)
    gold = references(rows, "bash", config.data, task_option=None)
    asked = instances(columns_of(rows, COLUMNS, config.data, task_option=None))
    ids = [one.id for one in asked]
    systems = {}
    for path in config.predictions:
        found, _ = answers_to(ids, path, allow_missing=config.allow_missing, known=gold)
        systems[path.stem] = [ranked_answers(one) for one in found]
    drawn = range(len(asked))
    if config.sentences is not None and config.sentences < len(asked):
        drawn = sorted(random.Random(config.seed).sample(drawn, config.sentences))
    key = make_key(
        {name: [lists[nth] for nth in drawn] for name, lists in systems.items()},
        [asked[nth].nl for nth in drawn],
        k=config.k,
        seed=config.seed,
        place=f"split:{config.split}|rows:{len(drawn)}|data:{digest_of(config.data, gold)}",
    )
    write_key(key_file, key)
    save_config(config, beside)
    write_sheet(config.out, key)
    print(f"{config.out}: {len(key.rows)} predictions for {len(drawn)} sentences; key: {key_file}")


def check_sheet(config: SheetConfig, arguments: list[str]) -> tuple[Path, Path]:
    """Refuse what can only end badly; return where the resolved config and the key go."""
    key_file = config.out.with_name(f"{config.out.name}.key.json")
    for path in (config.out, key_file):
        for predictions in config.predictions:
            check_file(path, config.overwrite, predictions=predictions)
    names = {path.stem for path in config.predictions}
    if len(names) < max(1, len(config.predictions)):
        raise UserError("--predictions: give at least one file, and each its own name")
    for option in ("k", "sentences"):
        value = getattr(config, option)
        if value is not None and value < 1:
            raise UserError(f"--{option} {value}: at least 1 is needed")
    return config_beside(config.out, config, arguments), key_file


def read(arguments: list[str]) -> None:
    """Read the sheets, decide by majority, print and write."""
    config = read_config(ReadConfig, arguments, description=__doc__)
    check_folder(config.out, config.overwrite, MADE[0], MADE, "a folder of judgements")
    if len({path.resolve() for path in config.sheets}) != len(ANNOTATORS):
        given = ", ".join(map(str, config.sheets))
        raise UserError(f"--sheets {given}: three different files are needed")
    key = read_key(config.key)
    sheets = [read_sheet(path, key) for path in config.sheets]
    decided = decide(key, sheets)
    agreed = agreement(key, sheets)
    scores: dict[str, dict[str, Any]] = {}
    with writing(config.out) as aside:
        for system in key.systems:
            found = judgements(key, decided, system)
            scores[system] = {}
            for k in (k for k in KS if k <= key.k):
                both = manual_accuracy(found, k)
                for score in (both.full, both.template):
                    signature = f"{score.signature}|annotators:3|{key.place}"
                    scores[system][f"{score.name}@{k}"] = {
                        "value": score.value,
                        "signature": signature,
                    }
            file = aside / f"manual.evaluations.{system}.csv"
            write_judgements(file, key, decided, sheets, system)
        figures = {name: [asdict(one) for one in found] for name, found in agreed.items()}
        write_json(aside / MADE[0], {"scores": scores, "agreement": figures})
    show(scores, agreed, config.out)


def agreement(key: Key, sheets: Sheets) -> dict[str, list[Agreement]]:
    """Of each pair of annotators, for each of the two questions."""
    return {
        column: agreements(
            {
                name: [answers(sheet[row])[nth] for row in key.rows]
                for name, sheet in zip(ANNOTATORS, sheets, strict=True)
            }
        )
        for nth, column in enumerate(VERDICTS)
    }


def show(scores: dict[str, dict[str, Any]], agreed: dict[str, list[Agreement]], out: Path) -> None:
    """Print accuracies, agreement and signatures."""
    names = list(next(iter(scores.values())))
    table = Table("system", *names)
    for system, figures in scores.items():
        table.add_row(system, *(f"{100 * figures[name]['value']:.2f}" for name in names))
    kappas = Table("annotators", "question", "both answered", "agree, %", "Cohen's kappa")
    for question, found in agreed.items():
        for one in found:
            raw = "-" if one.raw is None else f"{100 * one.raw:.1f}"
            kappa = "-" if one.kappa is None else f"{one.kappa:.3f}"
            kappas.add_row(f"{one.first}, {one.second}", question, str(one.items), raw, kappa)
    Console().print(table, kappas, sep="\n", soft_wrap=True, markup=False, highlight=False)
    for name, figure in next(iter(scores.values())).items():
        print(f"{name}: {figure['signature']}")
    if len({one.items for found in agreed.values() for one in found}) > 1:
        print("Not everyone answered everything: who is asked where others differ agrees less.")
    print(f"Written to {out}")


if __name__ == "__main__":
    run_program(main)
