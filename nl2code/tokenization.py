"""The joint NL + code BPE: learnt, loaded, and held against a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from nl2code.errors import UserError
from nl2code.linearisation import MARKERS, STRUCTURE

if TYPE_CHECKING:  # the text half works without the [train] extra
    from tokenizers import Tokenizer
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast

PAD, START, END = "<pad>", "<s>", "</s>"


def train_tokenizer(texts: Iterable[str], merges: int = 10_000) -> PreTrainedTokenizerFast:
    """Learn one byte-level BPE over whitespace-joined tokens; any text comes back exactly.

    As in the paper, a whole token can become one symbol: `'jupyter_string'` does. The encoded text
    ends in `</s>`; `<s>` starts the decoder. Text that looks like one of these stays text.
    """
    from tokenizers import AddedToken, processors
    from transformers import PreTrainedTokenizerFast

    bpe = _learn_bpe(map(_without_structure, texts), merges)
    # They are not special to the library, so that decoding keeps them. The blank belongs to the
    # token: a line end would be two symbols otherwise.
    added = [*MARKERS.values(), *(f" {name}" for name in STRUCTURE)]
    bpe.add_tokens([AddedToken(token, normalized=False) for token in added])
    bpe.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", pair=f"$A $B {END}", special_tokens=[(END, bpe.token_to_id(END))]
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=bpe,
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        split_special_tokens=True,
        model_input_names=["input_ids", "attention_mask"],
    )


def _learn_bpe(texts: Iterable[str], merges: int) -> Tokenizer:
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    special = [PAD, START, END]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bpe = Tokenizer(models.BPE())
    words = pre_tokenizers.Split(Regex(r" ?\S+|\s"), "isolated")
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bpe.pre_tokenizer = pre_tokenizers.Sequence([words, to_bytes])
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=len(special) + len(alphabet) + merges,
        special_tokens=special,
        initial_alphabet=alphabet,
        max_token_length=64,
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    return bpe


def _without_structure(text: str) -> str:
    return " ".join(word for word in text.split(" ") if word not in _KNOWN)


_KNOWN = frozenset([*MARKERS.values(), *STRUCTURE])


def save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the tokenizer's files; an `OSError` when they cannot be written."""
    try:
        tokenizer.save_pretrained(folder)
    except Exception as error:  # a bare one when the disk is full
        raise OSError(f"tokenizer: {error}") from error


def load_tokenizer(path: str | Path) -> PreTrainedTokenizerFast:
    """The tokenizer in a folder, or on the Hub under that name.

    Raises:
        UserError: There is none, or it cannot be read.
    """
    from transformers import AutoTokenizer

    folder = Path(path)
    if not folder.is_dir() and (folder.is_absolute() or folder.parent.exists()):
        raise UserError(f"tokenizer {path}: no such folder")
    try:
        # Tidied up, `x . y` would come back as `x.y`, and a prediction is read at its blanks.
        tokenizer = AutoTokenizer.from_pretrained(str(path), clean_up_tokenization_spaces=False)
    except Exception as error:  # a broken tokenizer.json raises a bare Exception
        cause = str(error).strip().partition("\n")[0]
        raise UserError(f"tokenizer {path}: cannot be loaded: {cause}") from None
    # A notebook that says `</s>` ends no text. (Slow ones would split the added words as well.)
    tokenizer.split_special_tokens = tokenizer.is_fast
    return cast("PreTrainedTokenizerFast", tokenizer)


def check_tokenizer(tokenizer: PreTrainedTokenizerFast, config: PreTrainedConfig) -> None:
    """Raise a `UserError` when the model's ids are not this tokenizer's.

    Pretrained models may have more rows than tokens, for the sake of even sizes; ours have not.
    A model whose config has a `tokenizer_digest` takes that vocabulary only.
    """
    place = f"tokenizer {tokenizer.name_or_path or '(just trained)'} does not match the model"
    size, rows = len(tokenizer), config.vocab_size
    ours = MARKERS["markdown"] in tokenizer.get_vocab()
    if size > rows or (ours and size != rows):
        raise UserError(f"{place}: it has {size} tokens, the model's vocab_size is {rows}")
    for name in ("pad_token_id", "eos_token_id"):
        theirs = getattr(config, name, None)
        if theirs is not None and theirs != getattr(tokenizer, name):
            raise UserError(f"{place}: its {name} is {getattr(tokenizer, name)}, not {theirs}")
    known = getattr(config, "tokenizer_digest", None)
    if known is not None and known != tokenizer_digest(tokenizer):
        raise UserError(f"{place}: tokenizer_digest {known} in the model's config is another's")


def tokenizer_digest(tokenizer: PreTrainedTokenizerFast) -> str:
    """A fingerprint of the vocabulary, to keep in the config of a model trained with it."""
    vocabulary = json.dumps(tokenizer.get_vocab(), sort_keys=True)
    return hashlib.sha256(vocabulary.encode()).hexdigest()[:16]
