"""OpenNMT-py's encoders and decoders, its criterion and its sorted batches of tokens."""

from __future__ import annotations

import sys
from types import ModuleType

from windows import PAD, START, Side, Windows, counts, read_side, rectangle, sorted_batches

# It imports these for transforms of text, which no tensor needs.
for name in ("spacy", "ahocorasick", "fasttext", "pyonmttok", "fasttext.FastText"):
    sys.modules.setdefault(name, ModuleType(name))

import torch  # noqa: E402
from onmt.decoders import InputFeedRNNDecoder, StdRNNDecoder, TransformerDecoder  # noqa: E402
from onmt.encoders import RNNEncoder, TransformerEncoder  # noqa: E402
from onmt.models import NMTModel  # noqa: E402
from onmt.modules import Embeddings  # noqa: E402
from torch import nn  # noqa: E402


def build(side: Side) -> NMTModel:
    """The model of this name, with its output layer as `generator`."""
    if side.model == "transformer":
        shared = Embeddings(512, side.vocabulary, PAD, position_encoding=True, dropout=0.3)
        sizes = {"num_layers": 6, "d_model": 512, "heads": 4, "d_ff": 1024}
        sizes |= {"dropout": 0.3, "attention_dropout": 0.0, "embeddings": shared}
        sizes |= {"max_relative_positions": 0, "relative_positions_buckets": 0}
        alignment = {"full_context_alignment": False, "alignment_layer": 0, "alignment_heads": 0}
        decoder = TransformerDecoder(
            **sizes, **alignment, copy_attn=False, self_attn_type="scaled-dot", aan_useffn=False
        )
        model = NMTModel(TransformerEncoder(**sizes), decoder)
        model.generator = nn.Linear(512, side.vocabulary)
        model.generator.weight = shared.word_lut.weight
    else:
        tables = [Embeddings(1024, side.vocabulary, PAD) for _ in range(2)]
        kind = InputFeedRNNDecoder if side.model == "lstm-feeding" else StdRNNDecoder
        decoder = kind("LSTM", True, 2, 1024, dropout=0.5, embeddings=tables[1])
        model = NMTModel(RNNEncoder("LSTM", True, 2, 1024, 0.5, tables[0]), decoder)
        model.generator = nn.Linear(1024, side.vocabulary)
    for parameter in model.parameters():
        nn.init.uniform_(parameter, -0.1, 0.1)
    return model


def main() -> None:
    """Make updates as long as they are asked for."""
    side = read_side()
    model = build(side).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    criterion = nn.CrossEntropyLoss(
        ignore_index=PAD, reduction="sum", label_smoothing=0.1 * (side.model == "transformer")
    )
    batches = sorted_batches(side)
    windows = Windows(side, batches)
    for rows in batches:
        source = rectangle([side.sources[row] for row in rows]).unsqueeze(-1)
        target = rectangle([side.targets[row] for row in rows])
        target = nn.functional.pad(target, (1, 0), value=START).unsqueeze(-1)
        lengths = torch.tensor([len(side.sources[row]) for row in rows])
        outputs, _ = model(source, target, lengths)
        logits = model.generator(outputs.flatten(0, 1))
        loss = criterion(logits, target[:, 1:].flatten())
        (loss / len(rows)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad()
        windows.done(*counts(side, rows))


if __name__ == "__main__":
    main()
