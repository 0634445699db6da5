"""What Tellina's model reads: a sentence with its constants replaced by their types (section 4)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from nl2code.bash_nl.constants import typed_words
from nl2code.bash_nl.words import is_quoted, normalised


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that the sentence names."""

    text: str
    """As written, without quotes."""
    type: str
    place: int
    """Its index among the sentence's tokens."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as tokens, constants as their types, stop words left out."""

    tokens: tuple[str, ...]
    constants: tuple[Constant, ...]


def read_sentence(nl: str, english: Collection[str] | None = None) -> Sentence:
    """Find the constants; `english` is explained at `typed_words`.

    >>> read_sentence("Delete the files over 10 MB").tokens
    ('delet', 'file', 'over', 'Size')
    >>> read_sentence("Delete the files over 10 MB").constants
    (Constant(text='10 MB', type='Size', place=3),)
    """
    tokens: list[str] = []
    constants = []
    for word in typed_words(nl, english):
        if word.type:
            text = word.text[1:-1] if is_quoted(word.text) else word.text
            constants.append(Constant(text, word.type, len(tokens)))
        if token := word.type or normalised(word.text):
            tokens.append(token)
    return Sentence(tuple(tokens), tuple(constants))
