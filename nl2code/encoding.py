"""A split of the dataset as token ids: linearised, tokenized, cut to length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow.compute as pc
from datasets import Dataset, Features, List, Value
from transformers import PreTrainedTokenizerFast

from nl2code.batches import Indices, Pairs, Sequences
from nl2code.linearisation import InputFormat, linearise, target_text
from nl2code.vocabulary import unknown_words, with_placeholders

Encoder = Callable[[Mapping[str, list[Any]]], dict[str, list[Any]]]

_ENCODED = Features(
    {
        "source": List(Value("int32")),
        "target": List(Value("int32")),
        "source_length": Value("int32"),
        "target_length": Value("int32"),
    }
)


def encode(
    rows: Dataset,
    tokenizer: PreTrainedTokenizerFast,
    fmt: InputFormat,
    longest: tuple[int, int],
    workers: int = 1,
) -> tuple[Pairs, Indices]:
    """Linearise and tokenize; beside the pairs, their lengths before the cut: (example, 2).

    What is longer than `longest` (source, target) loses its end, `</s>` aside: in a source that is
    the farthest context.
    """
    encoded = rows.map(
        _encoder(tokenizer, fmt, longest),
        batched=True,
        batch_size=200,
        remove_columns=rows.column_names,
        features=_ENCODED,
        num_proc=workers if workers > 1 else None,
        keep_in_memory=True,
        load_from_cache_file=False,
        new_fingerprint="encoded",  # never stored, and a tokenizer is slow to fingerprint
        desc="encode",
    ).with_format("arrow")[:]
    lengths = [encoded[name].to_numpy() for name in ("source_length", "target_length")]
    pairs = Pairs(_sequences(encoded["source"]), _sequences(encoded["target"]))
    return pairs, np.stack(lengths, axis=1)


def _encoder(
    tokenizer: PreTrainedTokenizerFast, fmt: InputFormat, longest: tuple[int, int]
) -> Encoder:
    vocabulary = vocabulary_of(tokenizer, fmt)

    def encode_batch(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        texts = [linearise(row, fmt) for row in rows]
        named = [unknown_words(text, vocabulary) for text in texts]
        sources = tokenize(list(map(with_placeholders, texts, named)), tokenizer)
        wanted = [target_text(row, fmt) for row in rows]
        targets = tokenize(list(map(with_placeholders, wanted, named)), tokenizer)
        targets = [_ended(ids, tokenizer.eos_token_id) for ids in targets]
        return {
            "source": [cut(ids, longest[0]) for ids in sources],
            "target": [cut(ids, longest[1]) for ids in targets],
            "source_length": [len(ids) for ids in sources],
            "target_length": [len(ids) for ids in targets],
        }

    return encode_batch


def vocabulary_of(tokenizer: PreTrainedTokenizerFast, fmt: InputFormat) -> dict[str, int]:
    """What `unknown_words` compares with; empty where unknown words have no names."""
    return tokenizer.get_vocab() if fmt.copy_unknown else {}


def tokenize(texts: list[str], tokenizer: PreTrainedTokenizerFast) -> list[list[int]]:
    """The ids of each text, by `fastokens` where it is installed and reads this tokenizer.

    Only tokenizers of our own kind, for which tests hold it to the same ids; those of pretrained
    models have classes of their own, and may have parts that it reads differently.
    """
    ours = type(tokenizer) is PreTrainedTokenizerFast and tokenizer.split_special_tokens
    fast = _fast_tokenizer(tokenizer.backend_tokenizer.to_str()) if ours else None
    if fast is None:
        # verbose=False: no warning of what is cut or dropped later
        ids: list[list[int]] = tokenizer(texts, verbose=False)["input_ids"]
        return ids
    flat, ends = fast.encode_batch_flat(texts, True, split_special_tokens=True)
    values, offsets = np.frombuffer(flat, np.uint32), np.frombuffer(ends, np.uint64)
    return [values[start:end].tolist() for start, end in pairwise(offsets.tolist())]


@lru_cache(maxsize=1)
def _fast_tokenizer(definition: str) -> Any | None:
    try:
        from fastokens import Tokenizer

        fast = Tokenizer.from_json_str(definition)
    except (ImportError, ValueError):  # ValueError: a part that it does not know
        return None
    fast.no_truncation()  # what an earlier call has left in the tokenizer
    fast.no_padding()
    return fast


def cut(ids: list[int], longest: int) -> list[int]:
    """The ids without the end of what is too long, but for the `</s>`.

    >>> cut([5, 6, 7, 2], 3)
    [5, 6, 2]
    """
    return ids if len(ids) <= longest else [*ids[: longest - 1], ids[-1]]


def _ended(ids: list[int], end: int) -> list[int]:
    """The ids up to the first `</s>`: a language may stand behind, where no decoder gets to."""
    return ids[: ids.index(end) + 1]


def _sequences(column: Any) -> Sequences:
    lengths = pc.list_value_length(column).to_numpy()
    values = pc.list_flatten(column).to_numpy().astype(np.int32)
    return Sequences(values, np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))))
