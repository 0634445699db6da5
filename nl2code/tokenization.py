"""What a model reads and writes: linearised context, target, and the joint NL + code BPE."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from nl2code.config import read_config
from nl2code.errors import UserError
from nl2code.jsonl import write_json
from nl2code.markdown import nl_tokens
from nl2code.python_code import NotPython, normal_form, restore

if TYPE_CHECKING:  # the text half works without the [train] extra
    from tokenizers import Tokenizer
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast

Scheme = Literal["juice", "lossless"]

MARKERS = {name: f"<{name}>" for name in ("markdown", "code", "raw", "heading", "comments")}
"""The token before each cell of the input, by the cell's type."""

STRUCTURE = ("NEWLINE", "INDENT", "DEDENT")
"""The layout of code, one BPE token each."""

PAD, START, END = "<pad>", "<s>", "</s>"

INPUT_FORMAT_FILE = "juice_input.json"


@dataclass(frozen=True)
class InputFormat:
    """What of an example a model gets to see, and what it has to write."""

    context_cells: int = 3
    """K: how many cells above the target are read, nearest first; 1 is the target NL alone."""
    context_tokens: int = 75
    """How many tokens of each cell are read: the first ones of code, the last ones of NL."""
    task: Literal["code", "api"] = "code"
    """What to write: the code of the target cell, or only its API sequence."""
    scheme: Scheme = "juice"
    """How code is written: the paper's normal form, or one that can run."""
    cut_target_nl: bool = False
    """Cut the target NL too, as the authors' code does but their paper does not."""
    target_comments_in_input: bool = False
    """Put the target's own comments first, as the authors' code does: this leaks the target."""


def save_input_format(fmt: InputFormat, folder: Path) -> None:
    """Write the format beside the model that was trained with it."""
    write_json(folder / INPUT_FORMAT_FILE, asdict(fmt))


def load_input_format(folder: Path) -> InputFormat:
    """The format that the model in `folder` was trained with."""
    path = folder / INPUT_FORMAT_FILE
    if not path.is_file():
        raise UserError(f"{path}: no such file; recipes/train.py writes it into each checkpoint")
    return read_config(InputFormat, ["--config", str(path)])


def source_columns(fmt: InputFormat) -> list[str]:
    """The columns that `linearise` reads."""
    return ["context", "comments"] if fmt.target_comments_in_input else ["context"]


def target_column(fmt: InputFormat) -> str:
    """The column that `target_text` reads."""
    if fmt.task == "api":
        return "api_sequence"
    return "code_tokens_clean" if fmt.scheme == "juice" else "code"


def linearise(example: Mapping[str, Any], fmt: InputFormat) -> str:
    """The input of the model, whitespace-joined: nearest cell first, each after its marker.

    >>> above = [{"cell_type": "markdown", "distance_target": 1, "nl_original": "Print *x*."},
    ...          {"cell_type": "code", "distance_target": 2, "code": "x = 1"}]
    >>> linearise({"context": above}, InputFormat())
    '<markdown> Print x . <code> x = 1'
    """
    parts = [_cell(cell, fmt) for cell in example["context"][: fmt.context_cells]]
    if fmt.target_comments_in_input:
        parts.insert(0, " ".join((MARKERS["comments"], *example["comments"])))
    return " ".join(parts)


def _cell(cell: Mapping[str, Any], fmt: InputFormat) -> str:
    kind = cell["cell_type"]
    if kind == "markdown":
        whole = cell["distance_target"] == 1 and not fmt.cut_target_nl
        tokens = _nl_tokens(cell["nl_original"] or "")
        kept = tokens if whole else tokens[max(0, len(tokens) - fmt.context_tokens) :]
    else:
        kept = _code_tokens(kind, cell["code"] or "", fmt.scheme)[: fmt.context_tokens]
    return " ".join((MARKERS.get(kind, MARKERS["raw"]), *kept))


# Neighbouring examples share most of their context, so a short memory saves most of the parsing.
@lru_cache(maxsize=2048)
def _nl_tokens(markdown: str) -> tuple[str, ...]:
    return tuple(nl_tokens(markdown))


@lru_cache(maxsize=2048)
def _code_tokens(kind: str, text: str, scheme: Scheme) -> tuple[str, ...]:
    if kind == "heading":
        return _nl_tokens(text)
    if kind == "code":
        try:
            return tuple(normal_form(text, scheme))
        except NotPython:
            pass
    return tuple(_plain_tokens(text))


def _plain_tokens(text: str) -> Iterator[str]:
    r"""Words, signs and line ends of what does not parse.

    >>> list(_plain_tokens("!pip install a_b\n?x"))
    ['!', 'pip', 'install', 'a_b', 'NEWLINE', '?', 'x']
    """
    for match in re.finditer(r"\w+|[^\w\s]|\n", text.strip()):
        yield "NEWLINE" if match[0] == "\n" else match[0]


def target_text(example: Mapping[str, Any], fmt: InputFormat) -> str:
    """What the model has to write, whitespace-joined."""
    target = example[target_column(fmt)]
    return " ".join(normal_form(target, fmt.scheme) if isinstance(target, str) else target)


def read_prediction(text: str, fmt: InputFormat) -> str:
    """What a model wrote, as the whitespace-joined tokens that the metrics read."""
    return " ".join(text.split())


def in_normal_form(prediction: str, fmt: InputFormat) -> str:
    """The prediction in the scheme of the references, `juice`, so that scores compare.

    What a `lossless` model wrote that is not Python stays as it is: no reference equals it.

    >>> in_normal_form("x = 'a␠b'", InputFormat(scheme="lossless"))
    "x = 'jupyter_string'"
    """
    if fmt.task == "api" or fmt.scheme == "juice":
        return prediction
    try:
        return " ".join(normal_form(restore(prediction.split(), fmt.scheme)))
    except ValueError:  # no layout to restore, or NotPython
        return prediction


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
        tokenizer = AutoTokenizer.from_pretrained(str(path))
    except Exception as error:  # a broken tokenizer.json raises a bare Exception
        cause = str(error).strip().partition("\n")[0]
        raise UserError(f"tokenizer {path}: cannot be loaded: {cause}") from None
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
