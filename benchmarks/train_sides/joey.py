"""JoeyNMT's model, batch and loss, in random order as its sampler has them."""

from __future__ import annotations

from types import SimpleNamespace

import torch
from joeynmt.batch import Batch
from joeynmt.model import Model, build_model
from joeynmt.vocabulary import Vocabulary
from torch import nn
from windows import END, PAD, START, Side, Windows, counts, random_batches, read_side, rectangle

SPECIAL = SimpleNamespace(
    pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>", sep_token=None,
    pad_id=PAD, bos_id=START, eos_id=END, unk_id=3, lang_tags=[],
)  # fmt: skip


class InOrder(Vocabulary):
    """A vocabulary whose special tokens have the data's ids."""

    def add_tokens(self, tokens: list[str]) -> None:
        """Put unk, which comes first, behind the other three."""
        super().add_tokens([*tokens[1:4], tokens[0], *tokens[4:]])


def build(side: Side) -> Model:
    """The model of this name."""
    words = InOrder([f"w{number}" for number in range(side.vocabulary - 4)], SPECIAL)
    if side.model == "transformer":
        table = {"embedding_dim": 512, "scale": True, "dropout": 0.3}
        part = {"type": "transformer", "num_layers": 6, "num_heads": 4, "hidden_size": 512}
        part |= {"ff_size": 1024, "dropout": 0.3, "embeddings": table, "layer_norm": "post"}
        config = {"encoder": part, "decoder": part, "tied_embeddings": True, "tied_softmax": True}
    else:
        part = {"type": "recurrent", "rnn_type": "lstm", "num_layers": 2, "dropout": 0.5}
        part |= {"embeddings": {"embedding_dim": 1024}}
        decoder = part | {"hidden_size": 1024, "attention": "luong", "init_hidden": "last"}
        decoder |= {"input_feeding": side.model == "lstm-feeding", "hidden_dropout": 0.5}
        config = {"encoder": part | {"hidden_size": 512}, "decoder": decoder}
    model = build_model(config, words, words)
    model.loss_function = ("crossentropy", 0.1 if side.model == "transformer" else 0.0)
    return model


def main() -> None:
    """Make updates as long as they are asked for."""
    side = read_side()
    model = build(side).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    batches = random_batches(side)
    windows = Windows(side, batches)
    for rows in batches:
        source = rectangle([side.sources[row] for row in rows])
        target = rectangle([side.targets[row] for row in rows])
        lengths = torch.tensor([len(side.sources[row]) for row in rows])
        batch = Batch(
            source, lengths, None, nn.functional.pad(target, (1, 0), value=START), None,
            torch.arange(len(rows)), torch.device("cpu"), PAD, END,
        )  # fmt: skip
        batch.sort_by_src_length()
        loss, *_ = model(return_type="loss", **vars(batch))
        batch.normalize(loss, normalization="tokens").backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad()
        windows.done(*counts(side, rows))


if __name__ == "__main__":
    main()
