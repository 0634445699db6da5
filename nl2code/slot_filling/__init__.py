"""Tellina's second half: a sentence's constants into the slots of a command's template (spec §5).

The first half, a model of templates, is trained as any other, with `format.level template`.
"""

from nl2code.bash_nl.sentences import Constant, Sentence, read_sentence
from nl2code.slot_filling.alignment import SlotAlignment, aligned
from nl2code.slot_filling.answers import answer, slot_states, tellina
from nl2code.slot_filling.filling import fill
from nl2code.slot_filling.learning import (
    ALIGNMENT_FILE,
    Fill,
    filler_of,
    learn_alignment,
    learning_pairs,
)
from nl2code.slot_filling.states import token_states
from nl2code.slot_filling.templates import Slot, Template, read_template, take_apart

__all__ = [
    "ALIGNMENT_FILE",
    "Constant",
    "Fill",
    "Sentence",
    "Slot",
    "SlotAlignment",
    "Template",
    "aligned",
    "answer",
    "fill",
    "filler_of",
    "learn_alignment",
    "learning_pairs",
    "read_sentence",
    "read_template",
    "slot_states",
    "take_apart",
    "tellina",
    "token_states",
]
