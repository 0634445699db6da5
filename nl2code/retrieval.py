"""The retrieval baselines (paper §6): code that stands under the most similar NL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.feature_extraction.text import TfidfVectorizer

from nl2code.errors import UserError
from nl2code.linearisation import nl_place
from nl2code.markdown import nl_tokens
from nl2code.python_code import NotPython, api_sequence, normal_form

ANSWERS: dict[str, Callable[[str], list[str]]] = {"code": normal_form, "api": api_sequence}
"""The tokens that answer with a code cell, for each task."""

_DIGITS = 9
"""Cosines are rounded to this: a tie must not hang on the last bit of a sum."""


def fit_tfidf(train_nl: Iterable[Sequence[str]]) -> TfidfVectorizer:
    """Learn words and their idf from the NL of the training examples.

    Words are scikit-learn's: two letters at least, in lower case.
    """
    vectorizer = TfidfVectorizer(dtype=np.float64)
    try:
        return vectorizer.fit(" ".join(tokens) for tokens in train_nl)
    except ValueError as error:
        raise UserError(f"the training NL has no words to compare: {error}") from None


def vectorize(vectorizer: TfidfVectorizer, nls: Iterable[Sequence[str]]) -> csr_matrix:
    """Rows of unit length, or of zeros where no word is known: (NL, word)."""
    return vectorizer.transform(" ".join(tokens) for tokens in nls)


def most_similar(
    queries: csr_matrix, candidates: csr_matrix, rows: int = 128, columns: int = 16_384
) -> NDArray[np.int64]:
    """The index of the candidate with the highest cosine for each query; the first one at a tie.

    Only `rows` by `columns` cosines exist at a time, so memory stays flat in both numbers.

    >>> candidates = csr_matrix([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> most_similar(csr_matrix([[0.6, 0.8], [0.0, 0.0]]), candidates).tolist()
    [1, 0]
    """
    parts = [
        _best_of_columns(queries[start : start + rows], candidates, columns)
        for start in range(0, queries.shape[0], rows)
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _best_of_columns(
    queries: csr_matrix, candidates: csr_matrix, columns: int
) -> NDArray[np.int64]:
    indices = np.zeros(queries.shape[0], dtype=np.int64)
    best = np.full(queries.shape[0], -1.0)
    for start in range(0, candidates.shape[0], columns):
        cosines = (queries @ candidates[start : start + columns].T).toarray().round(_DIGITS)
        column = cosines.argmax(axis=1)
        values = cosines[np.arange(len(column)), column]
        better = values > best
        indices[better] = column[better] + start
        best[better] = values[better]
    return indices


@dataclass(frozen=True, slots=True)
class Candidate:
    """A code cell above the target with the markdown directly above it."""

    nl: str
    code: str


def candidates_above(
    context: Sequence[Mapping[str, Any]], cells: int | None = None, nl: str | None = None
) -> Iterator[Candidate]:
    """The code cells directly under markdown in the `cells` nearest cells, nearest first.

    What stands below the target's own NL is no candidate: given code, and the target.
    """
    own = nl_place(context, nl)
    for place, (below, above) in enumerate(pairwise(context[:cells]), 1):
        if place == own:
            continue
        if above["cell_type"] == "markdown" and below["cell_type"] == "code":
            yield Candidate(above["nl_original"] or "", below["code"] or "")


def answer_from_context(
    example: Mapping[str, Any],
    vectorizer: TfidfVectorizer,
    answer: Callable[[str], list[str]],
    cells: int | None = None,
) -> list[str]:
    """Ret-Context: what the code under the most similar NL above, in the same notebook, answers.

    At a tie the nearest wins. Cells that are not Python are passed over; where none is left, the
    answer is empty.
    """
    candidates = list(candidates_above(example["context"], cells, example.get("nl_original")))
    if not candidates:
        return []
    above = vectorize(vectorizer, (nl_tokens(candidate.nl) for candidate in candidates))
    cosines = (above @ vectorize(vectorizer, [example["nl"]]).T).toarray()[:, 0].round(_DIGITS)
    for index in np.argsort(-cosines, kind="stable"):
        try:
            return answer(candidates[index].code)
        except NotPython:
            continue
    return []
