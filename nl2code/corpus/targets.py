"""A notebook's code cells under markdown → training examples (paper, section 3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nl2code.corpus.digests import digest, notebook_key
from nl2code.corpus.names import Scope, contextual_fields
from nl2code.corpus.near_duplicates import cell_key, keys_shown
from nl2code.corpus.remembered import Target, read_target, words_of
from nl2code.python_code import imports
from nl2code.python_code.names import Names
from nl2code.python_code.python2 import python_version
from nl2code.records import Cell, Notebook


@dataclass(frozen=True, slots=True)
class TargetRules:
    """What may differ from section 3.1 as the authors' code reads it."""

    long_targets: Literal["drop", "truncate"] = "drop"
    """Targets over 120 tokens: drop them, as their code does, or truncate, as the paper says."""
    max_context_cells: int | None = None
    """Cells of context to keep in each example; all by default (their code: 12)."""
    licenses: frozenset[str] | None = None
    """SPDX identifiers of the licences that a notebook may have; any by default."""
    curated: bool = False
    """Whether assignments and exercises are to be found too."""

    @property
    def truncate(self) -> bool:
        """Whether long targets are kept."""
        return self.long_targets == "truncate"


def training_examples(
    notebook: Notebook, rules: TargetRules, drops: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield an example for each code cell that may be a target; count the others by reason.

    A candidate is a code cell whose cell directly above is markdown, its NL. The rows have the
    columns of `schema.CANDIDATE_SCHEMA`.
    """
    scope = Scope(python_version(notebook.kernel, notebook.language_version))
    # What the cells define is looked for only when there is a target below that may use it.
    above: list[tuple[str, int, Names | None]] = []
    imported: list[str] = []
    key = ""
    keys = [cell_key(cell.cell_type, cell.source) for cell in notebook.cells]
    for index, nl, source in _code_cells(notebook.cells):
        names = None
        if nl is not None:
            target = read_target(source, truncate=rules.truncate)
            names = target.names
            if reason := target.why_not_below(nl):
                drops[reason] += 1
            else:
                key = key or notebook_key(notebook)
                for cell in above:
                    scope.add_source(*cell)
                above.clear()
                row = example(notebook, index, nl, target, scope)
                yield row | {
                    "imports": imported + imports(target.code),
                    "cell_keys": keys_shown(keys, index, target.code, rules.max_context_cells),
                    "notebook_key": key,
                }
        above.append((source, index, names))
        imported += imports(source)


def _code_cells(cells: Sequence[Cell]) -> list[tuple[int, str | None, str]]:
    """Place, NL and source of the code cells, down to the last candidate; others have no NL."""
    above = [None, *(cell.source if cell.cell_type == "markdown" else None for cell in cells)]
    numbered = enumerate(zip(cells, above, strict=False))
    code = [(index, nl, cell.source) for index, (cell, nl) in numbered if cell.cell_type == "code"]
    while code and code[-1][1] is None:
        code.pop()
    return code


def example(
    notebook: Notebook, index: int, nl_original: str, target: Target, scope: Scope
) -> dict[str, Any]:
    """Return the columns that the target at `index`, its NL and the names above it give."""
    nl, nl_key = words_of(nl_original)
    return {
        "id": digest((notebook.repo, notebook.path, str(index), target.code)),
        "nl_original": nl_original,
        "nl": nl,
        "code": target.code,
        "code_tokens_clean": target.tokens,
        "api_sequence": target.api_sequence,
        "comments": target.comments,
        "num_cells_above": index,
        **contextual_fields(target.names_used, scope, nl_original),
        "tests": [],
        "metadata": {
            "source": "train",
            "repo": notebook.repo,
            "path": notebook.path,
            "commit": notebook.commit,
            "license": notebook.license,
            "cell_index": index,
        },
        "kernel": f"{notebook.kernel} {notebook.language} {notebook.language_version}",
        "target_key": target.key,
        "nl_key": nl_key,
    }
