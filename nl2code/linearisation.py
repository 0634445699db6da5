"""What a model reads and writes: an example as linearised context and target, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from nl2code.bash_text import (
    Level,
    command_column,
    command_text,
    nl_column,
    nl_text,
    read_command,
)
from nl2code.config import read_config
from nl2code.context_choice import choose_cells
from nl2code.errors import UserError
from nl2code.jsonl import write_json
from nl2code.markdown import nl_tokens
from nl2code.python_code import NotPython, normal_form, restore

Scheme = Literal["juice", "lossless"]

MARKERS = {name: f"<{name}>" for name in ("markdown", "code", "raw", "heading", "comments")}
"""The token before each cell of the input, by the cell's type."""

STRUCTURE = ("NEWLINE", "INDENT", "DEDENT")
"""The layout of code, one BPE token each."""

INPUT_FORMAT_FILE = "juice_input.json"


@dataclass(frozen=True)
class InputFormat:
    """What of an example a model gets to see, and what it has to write."""

    context_cells: int = 3
    """K: how many cells above the target are read, nearest first; 1 is the target NL alone."""
    chosen_cells: int = 0
    """R: how many code cells from further above are read, too: those that say most of the NL."""
    context_tokens: int = 75
    """How many tokens of each cell are read: the first ones of code, the last ones of NL."""
    task: Literal["code", "api", "bash"] = "code"
    """What to write: the code of the target cell, or only its API sequence; or a Bash command
    (NL2Bash), whose source is the sentence alone: only what is said of Bash counts then."""
    scheme: Scheme = "juice"
    """How code is written: the paper's normal form, or one that can run."""
    cut_target_nl: bool = False
    """Cut the target NL too, as the authors' code does but their paper does not."""
    target_comments_in_input: bool = False
    """Put the target's own comments first, as the authors' code does: this leaks the target."""
    level: Level = "token"
    """Bash: read and write words, runs of letters and of digits (sub-token), or characters; or
    Tellina's words, types for constants, and templates, which recipes/align.py learns to fill."""
    normalised_nl: bool = False
    """Bash: read the paper's normalised words instead of the sentence as written."""
    copy_unknown: bool = False
    """Bash: name the unknown words of a sentence one by one, so that they can be copied."""

    @property
    def of_templates(self) -> bool:
        """Whether templates are written, whose slots are still to be filled."""
        return self.task == "bash" and self.level == "template"


def save_input_format(fmt: InputFormat, folder: Path) -> None:
    """Write the format beside the model that was trained with it."""
    write_json(folder / INPUT_FORMAT_FILE, asdict(fmt))


def load_input_format(folder: Path) -> InputFormat:
    """The format that the model in `folder` was trained with."""
    path = folder / INPUT_FORMAT_FILE
    if not path.is_file():
        raise UserError(f"{path}: no such file; recipes/train.py writes it into each checkpoint")
    return read_config(InputFormat, ["--config", str(path)])


def source_columns(fmt: InputFormat) -> list[str]:
    """The columns that `linearise` reads."""
    if fmt.task == "bash":
        return [nl_column(fmt.normalised_nl, fmt.level)]
    names = ["nl_original", "context"]
    return [*names, "comments"] if fmt.target_comments_in_input else names


def target_column(fmt: InputFormat) -> str:
    """The column that `target_text` reads."""
    if fmt.task == "bash":
        return command_column(fmt.level)
    if fmt.task == "api":
        return "api_sequence"
    return "code_tokens_clean" if fmt.scheme == "juice" else "code"


def linearise(example: Mapping[str, Any], fmt: InputFormat) -> str:
    """The input of the model, whitespace-joined: nearest cell first, each after its marker.

    The K nearest cells come first, then those chosen among all cells above them, the best first.

    The target's NL is c_1 also where given code stands between it and the target.

    >>> above = [{"cell_type": "markdown", "distance_target": 1, "nl_original": "Print *x*."},
    ...          {"cell_type": "code", "distance_target": 2, "code": "x = 1"}]
    >>> linearise({"context": above}, InputFormat())
    '<markdown> Print x . <code> x = 1'
    """
    if fmt.task == "bash":
        return nl_text(example, fmt.normalised_nl, fmt.level)
    cells = list(example["context"])
    own = nl_place(cells, example.get("nl_original"))
    if own is not None:
        cells.insert(0, cells.pop(own) | {"distance_target": 1})
    read = cells[: fmt.context_cells]
    if fmt.chosen_cells:
        chosen = choose_cells(cells, fmt.context_cells, fmt.chosen_cells)
        read += [cells[place] for place in chosen]
    parts = [_cell(cell, fmt) for cell in read]
    if fmt.target_comments_in_input:
        parts.insert(0, " ".join((MARKERS["comments"], *example["comments"])))
    return " ".join(parts)


def nl_place(context: Sequence[Mapping[str, Any]], nl: str | None = None) -> int | None:
    """Where in the context the target's own NL stands: the nearest markdown that says `nl`.

    Between an assignment's prompt and its answer may stand a student's markdown. Where none says
    it, the nearest markdown is taken.
    """
    markdown = [place for place, cell in enumerate(context) if cell["cell_type"] == "markdown"]
    own = (place for place in markdown if context[place]["nl_original"] == nl)
    return next(own, markdown[0] if markdown else None)


def _cell(cell: Mapping[str, Any], fmt: InputFormat) -> str:
    kind = cell["cell_type"]
    if kind == "markdown":
        whole = cell["distance_target"] == 1 and not fmt.cut_target_nl
        tokens = _nl_tokens(cell["nl_original"] or "")
        kept = tokens if whole else tokens[max(0, len(tokens) - fmt.context_tokens) :]
    else:
        kept = _code_tokens(kind, cell["code"] or "", fmt.scheme)[: fmt.context_tokens]
    return " ".join((MARKERS.get(kind, MARKERS["raw"]), *kept))


# Neighbouring examples share most of their context, so a short memory saves most of the parsing.
@lru_cache(maxsize=2048)
def _nl_tokens(markdown: str) -> tuple[str, ...]:
    return tuple(nl_tokens(markdown))


@lru_cache(maxsize=2048)
def _code_tokens(kind: str, text: str, scheme: Scheme) -> tuple[str, ...]:
    if kind == "heading":
        return _nl_tokens(text)
    if kind == "code":
        try:
            return tuple(normal_form(text, scheme))
        except NotPython:
            pass
    return tuple(_plain_tokens(text))


def _plain_tokens(text: str) -> Iterator[str]:
    r"""Words, signs and line ends of what does not parse.

    >>> list(_plain_tokens("!pip install a_b\n?x"))
    ['!', 'pip', 'install', 'a_b', 'NEWLINE', '?', 'x']
    """
    for match in re.finditer(r"\w+|[^\w\s]|\n", text.strip()):
        yield "NEWLINE" if match[0] == "\n" else match[0]


def target_text(example: Mapping[str, Any], fmt: InputFormat) -> str:
    """What the model has to write, whitespace-joined."""
    if fmt.task == "bash":
        return command_text(example, fmt.level)
    target = example[target_column(fmt)]
    return " ".join(normal_form(target, fmt.scheme) if isinstance(target, str) else target)


def read_prediction(text: str) -> str:
    """What a model wrote, as the whitespace-joined tokens that the metrics read."""
    return " ".join(text.split())


def in_normal_form(prediction: str, fmt: InputFormat) -> str:
    """The prediction in the form of the references, so that scores compare.

    That is the scheme `juice`; of Bash, a command.

    What a `lossless` model wrote that is not Python stays as it is: no reference equals it.

    >>> in_normal_form("x = 'a␠b'", InputFormat(scheme="lossless"))
    "x = 'jupyter_string'"
    """
    if fmt.task == "bash":
        return read_command(prediction, fmt.level)
    if fmt.task == "api" or fmt.scheme == "juice":
        return prediction
    try:
        return " ".join(normal_form(restore(prediction.split(), fmt.scheme)))
    except ValueError:  # no layout to restore, or NotPython
        return prediction
