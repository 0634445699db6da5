"""Tellina: from the templates that a model writes for a sentence to commands (spec §5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from nl2code.bash_code import NotBash
from nl2code.bash_nl.sentences import Sentence, read_sentence
from nl2code.slot_filling.alignment import SlotAlignment, States
from nl2code.slot_filling.filling import Scores, fill
from nl2code.slot_filling.templates import Template, read_template

Alignment = Callable[[Sentence, Template], Scores]
"""Scores each constant of the sentence with each slot of the template."""
StatesOf = Callable[[Sequence[str], Sequence[str]], tuple[States, States]]
"""The states at each token of a source, and at each token of a target."""


def tellina(
    nl: str,
    templates: Sequence[str],
    alignment: Alignment,
    english: Collection[str] | None = None,
    most: int | None = None,
) -> list[str]:
    """The commands of the templates, best first as they are; none twice.

    What is no template, or has no room for the sentence's constants, is dropped. After `most`
    commands no template is looked at any more.

    >>> import numpy as np
    >>> in_order = lambda sentence, template: np.zeros((1, len(template.slots)))
    >>> tellina("Find 10 MB", ["find Path -size Size", "ls ("], in_order)
    ['find . -size 10M']
    """
    sentence = read_sentence(nl, english)
    commands: dict[str, None] = {}
    for text in templates:
        try:
            template = read_template(text)
        except NotBash:
            continue
        scores = alignment(sentence, template)
        if command := fill(template, sentence.constants, scores):
            commands[command] = None
        if len(commands) == most:
            break
    return list(commands)


def answer(
    row: Mapping[str, Any],
    templates: Sequence[str],
    states: StatesOf,
    alignment: SlotAlignment,
    english: Collection[str] | None = None,
    most: int | None = None,
) -> list[str]:
    """What Tellina says to a row of the dataset: `tellina` with the learnt alignment.

    Args:
        row: Its `nl` is read.
        templates: What the template model wrote, best first.
        states: The template model's, such as `token_states` gives them.
        alignment: Learnt from the same model's states.
        english: As at `read_sentence`; the same as in training.
        most: How many commands are wanted, all by default.
    """

    def scores(sentence: Sentence, template: Template) -> Scores:
        return alignment.score(*slot_states(sentence, template, states))

    return tellina(row["nl"], templates, scores, english, most)


def slot_states(sentence: Sentence, template: Template, states: StatesOf) -> tuple[States, States]:
    """The states of the constants and of the slots: what `SlotAlignment` reads."""
    encoder, decoder = states(sentence.tokens, template.tokens)
    constants = [constant.place for constant in sentence.constants]
    return encoder[constants], decoder[[slot.place for slot in template.slots]]
