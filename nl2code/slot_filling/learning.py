"""What the slots are filled by, learnt from the training pairs with a trained template model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nl2code.bash_code import NotBash
from nl2code.bash_nl.sentences import Sentence, read_sentence
from nl2code.errors import UserError
from nl2code.slot_filling.alignment import Labels, SlotAlignment, aligned
from nl2code.slot_filling.answers import StatesOf, answer, slot_states
from nl2code.slot_filling.templates import Template, take_apart

ALIGNMENT_FILE = "slot_alignment.npz"
"""Beside the model whose states it was learnt from."""
Fill = Callable[[str, Sequence[str]], list[str]]
"""The commands, best first, of a sentence and the templates that were written for it."""


@dataclass(frozen=True, slots=True)
class LearningPair:
    """A sentence and its command's template, some of whose slots hold the sentence's constants."""

    sentence: Sentence
    template: Template
    aligned: Labels


def learning_pairs(
    pairs: Iterable[tuple[str, str]], english: Collection[str] | None = None
) -> Iterator[LearningPair]:
    """Of sentences and commands those that teach something: a constant equals an argument.

    >>> shown = [("Find 10 MB", "find . -size 10M"), ("Find it", "find ."), ("Go", "ls (")]
    >>> [pair.aligned.tolist() for pair in learning_pairs(shown)]
    [[[False, True]]]
    """
    for nl, command in pairs:
        try:
            template, arguments = take_apart(command)
        except NotBash:
            continue
        sentence = read_sentence(nl, english)
        found = aligned(sentence.constants, template.slots, arguments)
        if found.any():
            yield LearningPair(sentence, template, found)


def learn_alignment(pairs: Iterable[LearningPair], states: StatesOf) -> SlotAlignment:
    """Learn from the states that the model has at these pairs.

    Raises:
        UserError: There are none.
    """
    encoder, decoder, labels = [], [], []
    for pair in pairs:
        constants, slots = slot_states(pair.sentence, pair.template, states)
        encoder.append(constants)
        decoder.append(slots)
        labels.append(pair.aligned)
    return SlotAlignment.fit(encoder, decoder, labels)


def filler_of(checkpoint: Path, states: StatesOf, most: int) -> Fill:
    """Fills the templates that this model writes, as recipes/align.py has learnt it.

    Args:
        checkpoint: The model's folder.
        states: The model's.
        most: How many commands are wanted of a sentence.

    Raises:
        UserError: Nothing was learnt yet, or the file is another's.
    """
    path = checkpoint / ALIGNMENT_FILE
    if not path.is_file():
        raise UserError(f"{path}: no such file; recipes/align.py writes it into the checkpoint")
    alignment = SlotAlignment.load(path)

    def fill(nl: str, templates: Sequence[str]) -> list[str]:
        return answer({"nl": nl}, templates, states, alignment, most=most)

    return fill
