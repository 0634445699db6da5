"""A plain PyTorch loop: sorted batches, logits on real rows only, fused AdamW, nothing else."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from windows import PAD, START, Side, Windows, counts, read_side, rectangle, sorted_batches


class Transformer(nn.Module):
    """6 + 6 layers, d 512, 4 heads, ffn 1024, one table; dropout 0.3 where Marian has it."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, 512)
        nn.init.normal_(self.table.weight, std=512**-0.5)
        self.layers = nn.Transformer(512, 4, 6, 6, 1024, dropout=0.3, batch_first=True)
        self.layers.encoder.norm = self.layers.decoder.norm = None
        self.layers.encoder.enable_nested_tensor = False
        for module in self.layers.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0
            if isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                module.dropout.p = 0.0  # the one inside of the feed-forward block
        place = torch.arange(1024).unsqueeze(1)
        angles = place / 10_000 ** (torch.arange(256) / 256)
        self.register_buffer("places", torch.cat([angles.sin(), angles.cos()], 1))
        self.smoothing = 0.1

    def forward(self, source: Tensor, inputs: Tensor, real: Tensor) -> Tensor:
        """Logits of the real rows."""
        causal = nn.Transformer.generate_square_subsequent_mask(inputs.size(1)).isinf()
        padding = source == PAD
        outputs = self.layers(
            self.embed(source), self.embed(inputs), tgt_mask=causal, tgt_is_causal=True,
            src_key_padding_mask=padding, memory_key_padding_mask=padding,
        )  # fmt: skip
        return outputs[real] @ self.table.weight.t()

    def embed(self, ids: Tensor) -> Tensor:
        """Embeddings with their places (batch, time, 512)."""
        embedded = self.table(ids) * 512**0.5 + self.places[: ids.size(1)]
        return functional.dropout(embedded, 0.3, self.training)


class Recurrent(nn.Module):
    """2 + 2 layers of 1024, general attention; the padding of sources is read like a word."""

    def __init__(self, vocabulary: int, feeding: bool) -> None:
        super().__init__()
        self.of_source, self.of_target = (nn.Embedding(vocabulary, 1024) for _ in range(2))
        both = {"batch_first": True, "dropout": 0.5}
        self.encoder = nn.LSTM(1024, 512, 2, bidirectional=True, **both)
        if feeding:
            self.cells = nn.ModuleList([nn.LSTMCell(2048, 1024), nn.LSTMCell(1024, 1024)])
        else:
            self.decoder = nn.LSTM(1024, 1024, 2, **both)
        self.feeding = feeding
        self.score = nn.Linear(1024, 1024, bias=False)
        self.combine = nn.Linear(2048, 1024, bias=False)
        self.head = nn.Linear(1024, vocabulary)
        self.smoothing = 0.0

    def forward(self, source: Tensor, inputs: Tensor, real: Tensor) -> Tensor:
        """Logits of the real rows."""
        memory, states = self.encoder(self.of_source(source))
        hidden, cell = (x.view(2, 2, -1, 512).transpose(1, 2).flatten(2) for x in states)
        hidden, cell = hidden.contiguous(), cell.contiguous()
        embedded, masked = self.of_target(inputs), (source == PAD).unsqueeze(1)
        if not self.feeding:
            tops, _ = self.decoder(embedded, (hidden, cell))
            return self.head(self.attend(tops, memory, masked)[real])
        states, output, outputs = list(zip(hidden, cell, strict=True)), hidden[0] * 0, []
        for word in embedded.unbind(1):
            states[0] = self.cells[0](torch.cat([word, output], -1), states[0])
            below = functional.dropout(states[0][0], 0.5, self.training)
            states[1] = self.cells[1](below, states[1])
            output = self.attend(states[1][0].unsqueeze(1), memory, masked).squeeze(1)
            outputs.append(output)
        return self.head(torch.stack(outputs, 1)[real])

    def attend(self, tops: Tensor, memory: Tensor, masked: Tensor) -> Tensor:
        """Attentional outputs (batch, time, 1024)."""
        scores = (self.score(tops) @ memory.transpose(1, 2)).masked_fill(masked, -1e9)
        joined = torch.cat([scores.softmax(-1) @ memory, tops], -1)
        return functional.dropout(torch.tanh(self.combine(joined)), 0.5, self.training)


def build(side: Side) -> Transformer | Recurrent:
    """The model of this name."""
    if side.model == "transformer":
        return Transformer(side.vocabulary)
    return Recurrent(side.vocabulary, side.model == "lstm-feeding")


def main() -> None:
    """Make updates as long as they are asked for."""
    side = read_side()
    model = build(side).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), fused=True)
    batches = sorted_batches(side)
    windows = Windows(side, batches)
    for rows in batches:
        source = rectangle([side.sources[row] for row in rows])
        target = rectangle([side.targets[row] for row in rows])
        inputs = functional.pad(target[:, :-1], (1, 0), value=START)
        real = target != PAD
        with torch.autocast("cpu", torch.bfloat16, enabled=side.variant == "bf16"):
            logits = model(source, inputs, real)
        loss = functional.cross_entropy(
            logits.float(), target[real], label_smoothing=model.smoothing
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad()
        windows.done(*counts(side, rows))


if __name__ == "__main__":
    main()
