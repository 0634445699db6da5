"""A notebook's code cells under markdown → training examples (paper, section 3.1)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nl2code.corpus.names import Scope, contextual_fields
from nl2code.corpus.nbgrader.placeholders import is_stub
from nl2code.corpus.near_duplicates import cell_key, keys_shown, own_keys
from nl2code.markdown import has_text, nl_tokens
from nl2code.python_code import Analysis, NotPython, analyse, imports, why_not_a_target
from nl2code.python_code.analysis import MAX_TOKENS
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
            try:
                analysis = analyse(source)
                names, reason = analysis.names_defined, why_not(nl, analysis, rules)
            except NotPython as error:
                reason = error.reason
            if reason:
                drops[reason] += 1
            else:
                key = key or notebook_key(notebook)
                for cell in above:
                    scope.add_source(*cell)
                above.clear()
                row = example(notebook, index, nl, analysis, scope)
                yield row | {
                    "imports": imported + imports(analysis.code),
                    "cell_keys": keys_shown(keys, index, analysis.code, rules.max_context_cells),
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


def why_not(nl: str, analysis: Analysis, rules: TargetRules) -> str | None:
    """Why this cell below this NL is no target, or None."""
    if is_stub(analysis.code):
        return "unanswered"
    if not has_text(nl):
        return "empty_nl"
    return why_not_a_target(analysis, None if rules.long_targets == "truncate" else MAX_TOKENS)


def notebook_key(notebook: Notebook) -> str:
    """A digest of the notebook's cells."""
    return digest(part for cell in notebook.cells for part in (cell.cell_type, cell.source))


def example(
    notebook: Notebook, index: int, nl_original: str, analysis: Analysis, scope: Scope
) -> dict[str, Any]:
    """Return the columns that the target at `index`, its NL and the names above it give."""
    nl = nl_tokens(nl_original)
    tokens = analysis.tokens[:MAX_TOKENS]
    return {
        "id": digest((notebook.repo, notebook.path, str(index), analysis.code)),
        "nl_original": nl_original,
        "nl": nl,
        "code": analysis.code,
        "code_tokens_clean": tokens,
        "api_sequence": analysis.api_sequence,
        "comments": analysis.comments,
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
        # No token holds a blank.
        "target_key": digest([" ".join(tokens)]),
        "nl_key": digest([" ".join(nl)]),
        "own_keys": own_keys(nl_original, analysis.code),
    }


def digest(parts: Iterable[str]) -> str:
    """Return 32 hexadecimal digits that stand for the sequence of strings.

    >>> digest(["ab", "c"]) == digest(["a", "bc"])
    False
    """
    encoded = [part.encode() for part in parts]
    framed = b"".join([len(part).to_bytes(8, "big") + part for part in encoded])
    return hashlib.blake2b(framed, digest_size=16).hexdigest()
