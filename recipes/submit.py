r"""Make a submission from scores and a checkpoint; open a pull request only when told to.

python recipes/submit.py --scores scores.json --checkpoint runs/lstm/best --split test \
    --dataset_id ORGANISATION/juice --name juice-lstm-k3 --out submission
python recipes/submit.py … --push ORGANISATION/juice-lstm-k3
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError

from nl2code.config import config_beside, read_config, read_settings, save_config
from nl2code.errors import UserError, run_program
from nl2code.hub import (
    BENCHMARKS,
    Submission,
    check_evidence,
    check_scores,
    config_of,
    made_by,
    model_card,
    push,
    results_yaml,
)
from nl2code.jsonl import read_json, writing


@dataclass(frozen=True)
class SubmitConfig:
    """Make a submission from scores and a checkpoint."""

    scores: Path
    """The scores.json of recipes/score.py."""
    checkpoint: Path
    """The folder of the model that made the predictions."""
    dataset_id: str
    """The benchmark's dataset repository on the Hub, ORGANISATION/NAME."""
    name: str | None = None
    """The model's name in the card; by default the benchmark's with -model: juice-model."""
    out: Path = Path("submission")
    """A new folder: README.md and the benchmark's .eval_results/NAME.yaml, what goes to the model
    repository. What was looked up in judgements stays out: a lower bound has no rank."""
    task: Literal["code", "api", "bash"] = "code"
    """The task that the scores must be of."""
    split: Literal["dev", "test"] = "test"
    """The split that the scores must be of."""
    license: str | None = None
    """The model's licence, as the Hub spells it."""
    source_url: str | None = None
    """Where predictions or logs can be looked at (https)."""
    date: str | None = None
    """When the evaluation ran (ISO 8601); today by default."""
    push: str | None = None
    """Open a pull request in this model repository; nothing leaves this machine without it."""


def main() -> None:
    """Check, write the folder, and push it when asked to."""
    config = read_config(SubmitConfig, description=__doc__)
    if config.out.exists():
        raise UserError(f"--out {config.out}: exists already; a submission goes to a new folder")
    beside = config_beside(config.out, config)
    report = read_json(config.scores)
    check_scores(report, str(config.scores), config.task, config.split)
    absent = check_evidence(report, str(config.scores))
    submission = describe(config, report, made_by(config.checkpoint, report.get("predictions")))
    date = config.date or datetime.now(UTC).date().isoformat()
    results = results_yaml(report, config.dataset_id, date, config.source_url)
    file = BENCHMARKS[config.task].results_file
    with writing(config.out) as aside:
        (aside / file).parent.mkdir(parents=True)
        (aside / file).write_text(results, encoding="utf-8")
        (aside / "README.md").write_text(model_card(submission), encoding="utf-8")
    save_config(config, beside)
    print(f"Written to {config.out}: README.md, {file}")
    print(results, end="")
    if absent:
        print(f"Not held against the scores, as they are not here: {', '.join(absent)}")
    if config.push:
        print(f"Pull request: {push_to(config.push, config.out, config.task)}")


def describe(config: SubmitConfig, report: dict[str, Any], answered: dict[str, Any]) -> Submission:
    """What the card needs, from the checkpoint and the run it lies in."""
    if not (config.checkpoint / "config.json").is_file():
        raise UserError(f"--checkpoint {config.checkpoint}: no config.json, so no model lies there")
    shape = config.checkpoint / "juice_input.json"
    input_format = read_json(shape) if shape.is_file() else {}
    task = input_format.get("task", config.task)
    if task != config.task:
        raise UserError(f"{shape}: the field 'task' is {task!r}, not {config.task!r}")
    run = config.checkpoint.resolve().parent / "config.yaml"
    return Submission(
        name=config.name or f"{BENCHMARKS[config.task].name.lower()}-model",
        dataset_id=config.dataset_id,
        report=report,
        model=read_json(config.checkpoint / "config.json"),
        input_format=input_format,
        run=read_settings(run) if run.is_file() else {},
        license=config.license,
        answered=answered,
        dataset_config=config_of(report.get("data")),
    )


def push_to(repo: str, folder: Path, task: str) -> str:
    """Push, and say in a sentence what the Hub says when it refuses."""
    try:
        return push(HfApi(), folder, repo, BENCHMARKS[task])
    except (HfHubHTTPError, OSError, ValueError) as error:
        cause = str(error).partition("\n")[0]
        raise UserError(f"--push {repo}: {cause}; {folder} stays as it is") from None


if __name__ == "__main__":
    run_program(main)
