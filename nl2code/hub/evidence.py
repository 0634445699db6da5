"""What speaks for the scores of a submission: the predictions, their config and the dataset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from huggingface_hub import metadata_load

from nl2code.config import read_settings
from nl2code.errors import UserError
from nl2code.hub.benchmarks import BENCHMARKS
from nl2code.predictions import digest_of, read_predictions


def made_by(checkpoint: Path, predictions: str | None) -> dict[str, Any]:
    """The config beside the predictions, which names this checkpoint; nothing if there is none.

    Raises:
        UserError: It names something else.
    """
    path = Path(f"{predictions}.config.yaml")
    made = read_settings(path) if path.is_file() else {}
    maker = made.get("checkpoint") or made.get("method")
    if maker is None:
        return {}
    if "method" in made or Path(maker).resolve() != checkpoint.resolve():
        raise UserError(f"--checkpoint {checkpoint}: {path} says that {maker} made the predictions")
    return made


def check_evidence(report: Mapping[str, Any], place: str) -> list[str]:
    """Hold checked scores against their predictions and their dataset; return what is not here.

    Raises:
        UserError: They are scores of other predictions, or of another dataset.
    """
    checks = {"predictions": _check_predictions, "data": _check_dataset}
    return [
        f"{field} {report.get(field)}"
        for field, check in checks.items()
        if not check(report, place, Path(str(report.get(field))))
    ]


def _check_predictions(report: Mapping[str, Any], place: str, path: Path) -> bool:
    if not path.is_file():
        return False
    number = sum(1 for _ in read_predictions(path))
    answered = report["rows"] - report.get("missing", 0)
    # Of Bash, the pairs that share their NL with another may have predictions that do not count.
    most = report["pairs"] if BENCHMARKS[report["task"]].paper.counted == "pairs" else answered
    if not answered <= number <= most:
        raise UserError(
            f"{place}: {answered} of {report['rows']} rows were answered, but {path} holds"
            f" {number} predictions"
        )
    return True


def _check_dataset(report: Mapping[str, Any], place: str, folder: Path) -> bool:
    digest = digest_of(str(folder), {})
    if digest.startswith("references-"):  # no built folder
        return False
    if digest != report["dataset_digest"]:
        given = report["dataset_digest"]
        raise UserError(f"{place}: dataset_digest is {given!r}, but that of {folder} is {digest!r}")
    counted = BENCHMARKS[report["task"]].paper.counted
    sizes = {one.get("name"): one.get("num_examples") for one in _info(folder).get("splits", ())}
    size = sizes.get(report["split"])
    if size not in (None, report[counted]):
        raise UserError(
            f"{place}: {counted} is {report[counted]}, but {report['split']} of {folder} has {size}"
        )
    return True


def config_of(data: object) -> str | None:
    """The configuration that a built folder is of, where it is here."""
    name = _info(Path(str(data))).get("config_name")
    return None if name is None else str(name)


def _info(folder: Path) -> dict[str, Any]:
    card = folder / "README.md"
    info = (metadata_load(card) or {}).get("dataset_info") if card.is_file() else None
    return info if isinstance(info, dict) else {}
