"""Tiny random models of the classes that are fine-tuned, with tokenizers of their kinds.

What lies in such a folder is what CodeT5 (T5 with RoBERTa's BPE), T5 (its own SentencePiece, tables
with rows to spare) and PLBART (SentencePiece in Python, language tokens) have in theirs.
"""

import json
from pathlib import Path

import sentencepiece
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    PLBartConfig,
    PLBartForConditionalGeneration,
    PLBartTokenizer,
    RobertaTokenizer,
    T5Config,
    T5ForConditionalGeneration,
    T5Tokenizer,
)

KINDS = ("codet5", "t5", "plbart")
TEXTS = [
    "Load the data and plot the mean of each column .",
    "If all fit : print ( its score ) .",
    "x = pd . read_csv ( name ) [ 0 ] ; y = 'a' + \"b\" ; fit ( x , y ) ; plot ( mean )",
] * 3


def make_pretrained(kind: str, folder: Path, dtype: torch.dtype = torch.float32) -> Path:
    """Write a model and its tokenizer into the folder."""
    folder.mkdir(parents=True)
    tokenizer = {"codet5": roberta, "t5": t5, "plbart": plbart}[kind](folder)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    if kind == "plbart":
        model = PLBartForConditionalGeneration(
            PLBartConfig(
                vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1,
                encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16,
                decoder_ffn_dim=16, dropout=0.0, init_std=0.5,
            )
        )  # fmt: skip
    else:
        model = T5ForConditionalGeneration(
            T5Config(
                vocab_size=len(tokenizer) + (100 if kind == "t5" else 0), d_model=16, d_kv=8,
                d_ff=16, num_layers=1, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0,
                pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
            )
        )  # fmt: skip
    model.to(dtype).save_pretrained(folder)
    return folder


def roberta(_: Path) -> RobertaTokenizer:
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=340, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        ),
    )
    learnt = json.loads(bpe.to_str())["model"]
    return RobertaTokenizer(vocab=learnt["vocab"], merges=[tuple(one) for one in learnt["merges"]])


def t5(_: Path) -> T5Tokenizer:
    backend = T5Tokenizer().backend_tokenizer
    special = ["<pad>", "</s>", "<unk>"]
    backend.train_from_iterator(
        TEXTS,
        trainers.UnigramTrainer(
            vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False
        ),
    )
    learnt = json.loads(backend.to_str())["model"]["vocab"]
    return T5Tokenizer(vocab=[tuple(one) for one in learnt], extra_ids=3)


def plbart(folder: Path) -> PLBartTokenizer:
    prefix = folder / "sentencepiece.bpe"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_prefix=str(prefix), vocab_size=90,
        hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    prefix.with_suffix(".bpe.vocab").unlink()
    return PLBartTokenizer(str(prefix) + ".model")
