"""What a model is asked of each row of a split, and what its answers say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from datasets import Dataset
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from nl2code.encoding import cut, tokenize, vocabulary_of
from nl2code.given_code import Given, given_code
from nl2code.linearisation import (
    InputFormat,
    in_normal_form,
    linearise,
    read_prediction,
    source_columns,
)
from nl2code.vocabulary import put_back, unknown_words, with_placeholders


@dataclass(frozen=True, slots=True)
class Question:
    """The input for one row, and what its answer has to do with."""

    source: list[int]
    """The token ids of the input."""
    begun: list[int]
    """Those of what is given before the answer."""
    given: Given
    unknown: Mapping[str, str]
    """The placeholder of each unknown word."""
    nl: str = ""
    """Of templates: the sentence as written, whose constants fill their slots."""

    def read(self, text: str, fmt: InputFormat) -> str:
        """What the model wrote, in the form of the references."""
        text = read_prediction(put_back(text, self.unknown))
        return in_normal_form(self.given.without_after(text), fmt)


def question_columns(fmt: InputFormat, fill_in: bool) -> list[str]:
    """The columns that `ask` reads."""
    return [*source_columns(fmt), *["boilerplate_code"] * fill_in]


def longest_source(
    tokenizer: PreTrainedTokenizerFast, model: PreTrainedModel, wanted: int | None = None
) -> int:
    """How many input symbols all of the wish, the tokenizer and the model allow."""
    positions = getattr(model.config, "max_position_embeddings", None)
    return min(limit for limit in (wanted, tokenizer.model_max_length, positions) if limit)


def ask(
    rows: Dataset,
    fmt: InputFormat,
    tokenizer: PreTrainedTokenizerFast,
    longest: int,
    fill_in: bool = False,
) -> list[Question]:
    """The question of each row.

    Args:
        rows: With the `question_columns`.
        fmt: What the model reads and writes.
        tokenizer: Makes the token ids.
        longest: The most ids of an input; a cut takes the farthest context and keeps the `</s>`.
        fill_in: Whether an answer goes on from the given code, where its place is known.
    """
    texts, known = [linearise(row, fmt) for row in rows], vocabulary_of(tokenizer, fmt)
    unknown = [unknown_words(text, known) for text in texts]
    sources = tokenize(list(map(with_placeholders, texts, unknown)), tokenizer)
    given = [Given()] * len(rows)
    if fill_in:
        given = [given_code(text, fmt.scheme) for text in rows["boilerplate_code"]]
    begun = tokenize([" ".join(code.before) for code in given], tokenizer)
    end = tokenizer.eos_token_id
    sentences = rows["nl"] if fmt.of_templates else [""] * len(rows)
    return [
        Question(cut(source, longest), ids[: ids.index(end)] if code.before else [], code, *rest)
        for source, ids, code, *rest in zip(sources, begun, given, unknown, sentences, strict=True)
    ]
