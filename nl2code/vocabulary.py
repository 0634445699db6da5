"""A vocabulary of whole words (NL2Bash, section 5), and what it does with those it lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from nl2code.bash_text import UNKNOWN
from nl2code.errors import UserError
from nl2code.tokenization import END, PAD, START

if TYPE_CHECKING:  # the text half works without the [train] extra
    from transformers import PreTrainedTokenizerFast

PLACEHOLDERS = tuple(f"<unk_{number}>" for number in range(20))
"""What stands for the unknown words of a sentence; the longest one of dev has eight."""


def train_words(texts: Iterable[str], min_count: int = 4) -> PreTrainedTokenizerFast:
    """The whitespace-separated words that occur so often, the most frequent first.

    One vocabulary for sentences and commands, since copying compares their words. `<unk>` is no
    special token to the library, so that decoding shows it.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    counts = Counter(word for text in texts for word in text.split())
    special = [PAD, START, END, UNKNOWN, *PLACEHOLDERS]
    frequent = [word for word, count in counts.items() if count >= min_count]
    words = sorted(set(frequent).difference(special), key=lambda word: (-counts[word], word))
    ids = {word: place for place, word in enumerate([*special, *words])}
    backend = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    backend.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", pair=f"$A $B {END}", special_tokens=[(END, ids[END])]
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=backend,
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        split_special_tokens=True,
        model_input_names=["input_ids", "attention_mask"],
    )


def check_placeholders(name: str, vocabulary: Collection[str]) -> None:
    """Raise a `UserError` when a tokenizer has nothing to put in the place of unknown words."""
    if PLACEHOLDERS[0] not in vocabulary:
        raise UserError(
            f"format.copy_unknown: the tokenizer {name} has no {PLACEHOLDERS[0]};"
            " tokenizer/train.py --kind words makes one that has"
        )


def unknown_words(source: str, vocabulary: Collection[str]) -> dict[str, str]:
    """A placeholder for each distinct word of the source that the vocabulary lacks.

    An empty vocabulary is that of a model that names none.

    >>> unknown_words("copy a.c to b.c or a.c", {"copy", "to", "or"})
    {'a.c': '<unk_0>', 'b.c': '<unk_1>'}
    """
    if not vocabulary:
        return {}
    lacking = dict.fromkeys(word for word in source.split() if word not in vocabulary)
    return dict(zip(lacking, PLACEHOLDERS, strict=False))


def with_placeholders(text: str, unknown: Mapping[str, str]) -> str:
    """The text with the placeholders in the place of unknown words: source or target.

    >>> with_placeholders("cp a.c b", {"a.c": "<unk_0>"})
    'cp <unk_0> b'
    """
    return " ".join(unknown.get(word, word) for word in text.split()) if unknown else text


def put_back(text: str, unknown: Mapping[str, str]) -> str:
    """The text with the words themselves, of a sentence's placeholders.

    >>> put_back("cp <unk_0> b", {"a.c": "<unk_0>"})
    'cp a.c b'
    """
    words = {placeholder: word for word, placeholder in unknown.items()}
    return with_placeholders(text, words)
