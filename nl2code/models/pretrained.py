"""A pretrained encoder-decoder with its own tokenizer, both taught the words of our texts."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import SafetensorError
from tokenizers import AddedToken
from torch import nn
from transformers import AutoModelForSeq2SeqLM, PreTrainedModel, PreTrainedTokenizerBase

from nl2code.errors import UserError
from nl2code.linearisation import MARKERS, STRUCTURE
from nl2code.python_code.normal_form import STRING

WORDS = (*MARKERS.values(), *(f" {word}" for word in (*STRUCTURE, STRING)))
"""The words of our texts that are to cost one token each.

The texts stay as they are for our own models, so that a prediction of any model is read back by
splitting it at blanks, and scores compare. Spelt in pieces, these words would make targets longer
by a third (34.9 pieces instead of 26.6 in the mean of 800 real ones, with a BPE learnt from raw
cells). The blank belongs to the token, as in `train_tokenizer`: decoders of byte-level BPE and of
SentencePiece both keep it, so that what stands before is still a word of its own.
"""


def load_pretrained(name_or_path: str, tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
    """The model in single precision, with the special ids that training needs.

    Raises:
        UserError: It cannot be read, or the tokenizer is another model's.
    """
    try:
        # Not the precision it was saved in: Adam's steps are lost in half precision.
        model: PreTrainedModel = AutoModelForSeq2SeqLM.from_pretrained(
            name_or_path, dtype=torch.float32
        )
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        kind = "cannot be read" if Path(name_or_path).exists() else "no such folder or Hub model"
        cause = str(error).strip().partition("\n")[0]
        raise UserError(f"model.name_or_path: {name_or_path}: {kind}: {cause}") from None
    _check_match(name_or_path, model, tokenizer)
    start = _decoder_start(model, tokenizer)
    for config in (model.config, model.generation_config):
        config.decoder_start_token_id = start
    return model


def _check_match(
    name_or_path: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> None:
    rows = _table(model.get_input_embeddings()).num_embeddings
    pad, end = model.config.pad_token_id, model.config.eos_token_id
    if len(tokenizer) > rows or (tokenizer.pad_token_id, tokenizer.eos_token_id) != (pad, end):
        raise UserError(
            f"tokenizer {tokenizer.name_or_path}: {len(tokenizer)} tokens, pad "
            f"{tokenizer.pad_token_id}, eos {tokenizer.eos_token_id}: does not match the model "
            f"{name_or_path} ({rows} tokens, pad {pad}, eos {end})"
        )
    ids = tokenizer("print ( x )")["input_ids"]
    if end not in ids:
        raise UserError(f"tokenizer {tokenizer.name_or_path}: ends no text with its eos")
    if tokenizer.unk_token_id in ids:  # transformers makes an empty one where the files are missing
        raise UserError(f"tokenizer {tokenizer.name_or_path}: does not know 'print ( x )'")


def _decoder_start(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int:
    """What the model's configs say; PLBART's say nothing, as a language's token begins its text."""
    python = tokenizer.get_vocab().get("__python__")
    known = (
        getattr(model.config, "decoder_start_token_id", None),
        getattr(model.generation_config, "decoder_start_token_id", None),
        python,
        tokenizer.bos_token_id,
        tokenizer.pad_token_id,
    )
    return next(number for number in known if number is not None)


def learn_words(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Add to both each of `WORDS` that the tokenizer writes in several pieces; return their ids.

    A new row begins as the mean of the rows of the word's pieces. The tables then have a row for
    each token and no other: a row too many, as T5 has for even sizes, could be predicted.
    """
    pieces = {word: tokenizer(word, add_special_tokens=False)["input_ids"] for word in WORDS}
    unknown = [tokenizer.unk_token_id]
    new = [word for word in WORDS if len(pieces[word]) > 1 or pieces[word] == unknown]
    known = len(tokenizer)
    tokenizer.add_tokens(
        [AddedToken(word, normalized=False, lstrip=word in MARKERS.values()) for word in new]
    )
    if len(tokenizer) != _table(model.get_input_embeddings()).num_embeddings:
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    ids = range(known, len(tokenizer))
    for table in (model.get_input_embeddings(), model.get_output_embeddings()):  # type: ignore[no-untyped-call]
        rows: torch.Tensor = table.get_parameter("weight").detach()
        for number, word in zip(ids, new, strict=True):
            rows[number] = rows[pieces[word]].mean(0)
    return list(ids)


def _table(module: nn.Module) -> nn.Embedding:
    assert isinstance(module, nn.Embedding)
    return module
