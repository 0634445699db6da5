"""A notebook's code cells under markdown → training examples (paper, section 3.1)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from nl2code.corpus.names import Scope, contextual_fields
from nl2code.markdown import nl_tokens
from nl2code.python_code import Analysis, NotPython, analyse, imports, why_not_a_target
from nl2code.python_code.analysis import MAX_TOKENS
from nl2code.records import Cell, Notebook


@dataclass(frozen=True, slots=True)
class TargetRules:
    """What may differ from section 3.1 as the authors' code reads it."""

    long_targets: Literal["drop", "truncate"] = "drop"
    """Targets over 120 tokens: drop them, as their code does, or truncate, as the paper says."""
    max_context_cells: int | None = None
    """Cells of context to keep in each example; all by default (their code: 12)."""


def training_examples(
    notebook: Notebook, rules: TargetRules, drops: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield an example for each code cell that may be a target; count the others by reason.

    A candidate is a code cell whose cell directly above is markdown, its NL. The rows have the
    columns of `schema.CANDIDATE_SCHEMA`.
    """
    notebook_key = digest(part for cell in notebook.cells for part in (cell.cell_type, cell.source))
    scope = Scope()
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if index == 0 or notebook.cells[index - 1].cell_type != "markdown":
            scope.add_source(cell.source, index)
            continue
        try:
            analysis = analyse(cell.source)
        except NotPython as error:
            drops[error.reason] += 1
            continue
        row = _example(notebook, index, analysis, scope, rules)
        reason = _why_not(row, analysis, rules)
        scope.add(analysis.names_defined, index)
        if reason:
            drops[reason] += 1
        else:
            yield row | {"notebook_key": notebook_key}


def _why_not(row: dict[str, Any], analysis: Analysis, rules: TargetRules) -> str | None:
    if not row["nl"]:
        return "empty_nl"
    return why_not_a_target(analysis, None if rules.long_targets == "truncate" else MAX_TOKENS)


def _example(
    notebook: Notebook, index: int, analysis: Analysis, scope: Scope, rules: TargetRules
) -> dict[str, Any]:
    """Return the columns of the example whose target is the cell at `index`."""
    above = notebook.cells[:index]
    nl_original = above[-1].source
    nl = nl_tokens(nl_original)
    tokens = analysis.tokens[:MAX_TOKENS]
    return {
        "id": digest((notebook.repo, notebook.path, str(index), analysis.code)),
        "nl_original": nl_original,
        "nl": nl,
        "code": analysis.code,
        "code_tokens_clean": tokens,
        "api_sequence": analysis.api_sequence,
        "imports": imports(*(c.source for c in above if c.cell_type == "code"), analysis.code),
        "comments": analysis.comments,
        "context": list(context(above, rules.max_context_cells)),
        "num_cells_above": index,
        **contextual_fields(analysis.names_used, scope, nl_original),
        "tests": [],
        "metadata": {
            "source": "train",
            "repo": notebook.repo,
            "path": notebook.path,
            "commit": notebook.commit,
            "license": notebook.license,
            "cell_index": index,
        },
        "target_key": digest(tokens),
        "nl_key": digest(nl),
    }


def context(above: tuple[Cell, ...], max_cells: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the cells above a target, nearest first; `distance_target` 1 is directly above."""
    for distance, cell in enumerate(reversed(above[-max_cells:] if max_cells else above), 1):
        is_nl = cell.cell_type == "markdown"
        yield {
            "cell_type": cell.cell_type,
            "distance_target": distance,
            "nl_original": cell.source if is_nl else None,
            "code": None if is_nl else cell.source,
        }


def digest(parts: Iterable[str]) -> str:
    """Return 32 hexadecimal digits that stand for the sequence of strings.

    >>> digest(["ab", "c"]) == digest(["a", "bc"])
    False
    """
    hasher = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode()
        hasher.update(len(encoded).to_bytes(8, "big") + encoded)
    return hasher.hexdigest()
