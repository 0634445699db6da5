"""What a model card says of how answers were made: the words, the search, the command."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nl2code.hub.papers import Paper

_PLACES = ("checkpoint", "data", "out", "overwrite")
"""Options of recipes/predict.py that are of the machine where it ran."""


def answering(answered: Mapping[str, Any], name: str, dataset_id: str) -> str:
    """The command that makes the answers again, with each of its settings; or that none is known.

    Args:
        answered: The config that recipes/predict.py has left beside the predictions, or nothing.
        name: The model's, for the folder of its checkpoint.
        dataset_id: The dataset's on the Hub.
    """
    if not answered:
        return (
            "Not known: no config lies beside the predictions.\n"
            "Nothing but the submitter's word ties these scores to this model.\n"
        )
    settings: dict[str, Any] = {"checkpoint": name, "data": dataset_id}
    settings |= {key: value for key, value in answered.items() if key not in _PLACES}
    if also := answered.get("also"):
        settings["also"] = Path(also).name
    options = [
        f"--{key}\0{shlex.quote(str(value).lower() if isinstance(value, bool) else str(value))}"
        for key, value in settings.items()
        if value is not None
    ]
    words = ["python\0recipes/predict.py", *options, "--out\0predictions.jsonl"]
    lines = textwrap.wrap(" ".join(words), 92, break_long_words=False, break_on_hyphens=False)
    command = " \\\n    ".join(lines).replace("\0", " ")
    said = f"With the checkpoint in the folder `{name}`:\n\n```bash\n{command}\n```\n"
    if answered.get("fill_in"):
        said += "\nThey go on in the code that a problem gives, which the paper's systems do not.\n"
    if also:
        said += f"\nThose in `{Path(also).name}` answer where the model finds them likelier.\n"
    if answered.get("limit"):
        said += f"\nThey are for the first {answered['limit']} examples of the split only.\n"
    return said


def other_answers(
    answered: Mapping[str, Any], input_format: Mapping[str, Any], paper: Paper
) -> Iterator[tuple[str, str, str]]:
    """Each setting of the search that is not as in the paper: its name, the paper's, ours."""
    for name, (title, value) in paper.answers.items():
        if answered.get(name, value) != value:
            yield title, str(value), str(answered[name])
    filled = input_format.get("level") == "template"  # those that do not parse always go
    if _of_bash(input_format) and not filled and answered.get("only_parsing") is False:
        yield "commands that do not parse", "dropped", "kept"


def words_read(input_format: Mapping[str, Any]) -> str:
    """What a model of Bash reads and writes; nothing of others.

    >>> words_read({"task": "bash", "level": "char"}).strip()
    'The model reads sentences as written and writes commands, at the level `char`.'
    """
    if not _of_bash(input_format):
        return ""
    level = input_format.get("level", "token")
    read, written = "sentences as written", "commands"
    if input_format.get("normalised_nl"):
        read = "the paper's normalised words"
    if level == "template":
        read, written = "normalised words with types for constants", "templates to be filled"
    return f"The model reads {read} and writes {written}, at the level `{level}`.\n\n"


def other_words(input_format: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """That sentences are read as written where the paper reads normalised words."""
    of_words = input_format.get("level", "token") in ("token", "sub-token")
    if _of_bash(input_format) and of_words and not input_format.get("normalised_nl"):
        yield "sentences", "normalised words", "as written"


def _of_bash(input_format: Mapping[str, Any]) -> bool:
    return input_format.get("task") == "bash"
