"""Which constant goes into which slot, learnt from the states of the template model (spec §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from nl2code.bash_nl.sentences import Constant
from nl2code.errors import UserError
from nl2code.jsonl import writing
from nl2code.slot_filling.filling import Scores, fits
from nl2code.slot_filling.formats import formatted
from nl2code.slot_filling.templates import Slot

if TYPE_CHECKING:
    from sklearn.neighbors import NearestNeighbors

NEIGHBOURS = 10
States = NDArray[np.floating]
"""(constants or slots, size)."""
Labels = NDArray[np.bool_]
"""(constants, slots)."""


def aligned(
    constants: Sequence[Constant], slots: Sequence[Slot], arguments: Sequence[str]
) -> Labels:
    """Which constants equal which arguments, formatted for their slots, quotes aside.

    >>> from nl2code.slot_filling import Constant, take_apart
    >>> template, arguments = take_apart("find /tmp -size +10M")
    >>> aligned([Constant("10 MB", "Size", 0)], template.slots, arguments)
    array([[False,  True]])
    """
    found = np.zeros((len(constants), len(slots)), dtype=bool)
    for row, constant in enumerate(constants):
        for column, (slot, argument) in enumerate(zip(slots, arguments, strict=True)):
            if fits(constant, slot):
                value = formatted(constant, slot)
                found[row, column] = without_quotes(value) == without_quotes(argument)
    return found


def without_quotes(text: str) -> str:
    r"""The text without its outer quotes.

    >>> without_quotes("'*.c'"), without_quotes("it's")
    ('*.c', "it's")
    """
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


@dataclass(frozen=True, slots=True)
class SlotAlignment:
    """Scores pairs of a constant and a slot by the most similar pairs of the training data."""

    vectors: NDArray[np.float32]
    """(pairs, encoder + decoder size), each half of length 1."""
    labels: Labels
    """(pairs,) whether the constant went into the slot."""
    index: NearestNeighbors

    @classmethod
    def fit(
        cls,
        encoder_states: Sequence[States],
        decoder_states: Sequence[States],
        aligned: Sequence[Labels],
    ) -> SlotAlignment:
        """Learn from sentences: the states of constants and of slots, and what `aligned` says.

        A constant that equals no argument teaches nothing, and is left out.

        Raises:
            UserError: No constant equals an argument.
        """
        vectors, labels = [], []
        for constants, slots, found in zip(encoder_states, decoder_states, aligned, strict=True):
            known = found.any(axis=1)
            vectors.append(_pairs(constants[known], slots))
            labels.append(found[known].ravel())
        if not any(map(len, labels)):
            raise UserError(
                "slot alignment: in no training pair does a constant of the sentence equal an"
                " argument of the command"
            )
        return cls._of(np.concatenate([one for one in vectors if len(one)]), np.concatenate(labels))

    @classmethod
    def _of(cls, vectors: NDArray[np.float32], labels: Labels) -> SlotAlignment:
        from sklearn.neighbors import NearestNeighbors  # a second, and only Tellina needs it

        index = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(vectors)), algorithm="brute")
        return cls(vectors, labels, index.fit(vectors))

    def score(self, encoder_states: States, decoder_states: States) -> Scores:
        """The share of the nearest pairs that are aligned, each weighed by its similarity.

        That is the mean of both halves' cosines: few neighbours alone would give many ties.

        Returns:
            (constants, slots), from 0 to 1.
        """
        shape = len(encoder_states), len(decoder_states)
        if not all(shape):
            return np.zeros(shape)
        distances, places = self.index.kneighbors(_pairs(encoder_states, decoder_states))
        similarities = np.clip(1 - distances**2 / 4, 0, 1)  # (pairs, neighbours)
        scores: Scores = (similarities * self.labels[places]).mean(axis=1)
        return scores.reshape(shape)

    def save(self, path: Path) -> None:
        """Write what was learnt, in half precision; the file appears whole or not at all."""
        with writing(path) as aside, aside.open("wb") as file:
            np.savez_compressed(file, vectors=self.vectors.astype(np.float16), labels=self.labels)

    @classmethod
    def load(cls, path: Path) -> SlotAlignment:
        """Read what `save` wrote.

        Raises:
            UserError: There is no such file, or it is another's.
        """
        try:
            with np.load(path) as arrays:
                return cls._of(arrays["vectors"].astype(np.float32), arrays["labels"])
        except FileNotFoundError:
            raise UserError(f"{path}: no such file") from None
        except (ValueError, KeyError, AttributeError, TypeError, EOFError, BadZipFile) as error:
            raise UserError(f"{path}: not a slot alignment: {error}") from None


def _pairs(constants: States, slots: States) -> NDArray[np.float32]:
    """Each constant's state beside each slot's (constants x slots, both sizes)."""
    rows, columns = np.indices((len(constants), len(slots))).reshape(2, -1)
    return np.hstack([_unit(constants)[rows], _unit(slots)[columns]])


def _unit(states: States) -> NDArray[np.float32]:
    """States of length 1, so that neither half outweighs the other."""
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (states / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit
