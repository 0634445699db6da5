"""Our side: the calls that recipes/train.py makes for an update."""

from __future__ import annotations

from accelerate import Accelerator
from transformers import MarianMTModel, PreTrainedModel
from windows import END, PAD, START, Side, Windows, counts, read_side, spread

from nl2code.batches import Pairs, Sequences, plan_epoch
from nl2code.models import LSTMForConditionalGeneration, LSTMSeq2SeqConfig
from nl2code.models.transformer import transformer_config
from nl2code.optimisation import accumulate_gradient, make_optimizer
from nl2code.training import TokenLoss
from nl2code.training_config import OptimConfig


def build(side: Side) -> PreTrainedModel:
    """The paper's model of this name."""
    ids = {"vocab_size": side.vocabulary, "pad_token_id": PAD, "bos_token_id": START}
    ids |= {"eos_token_id": END, "decoder_start_token_id": START}
    if side.model == "transformer":
        return MarianMTModel(transformer_config(**ids))
    feeding = side.model == "lstm-feeding"
    return LSTMForConditionalGeneration(LSTMSeq2SeqConfig(input_feeding=feeding, **ids))


def main() -> None:
    """Make updates as long as they are asked for."""
    side, config = read_side(), OptimConfig()
    accelerator = Accelerator(cpu=True, mixed_precision="bf16" if side.variant == "bf16" else "no")
    smoothing = 0.1 if side.model == "transformer" else 0.0
    model = TokenLoss(build(side), smoothing)
    model, optimizer = accelerator.prepare(model, make_optimizer(model, config))
    pairs = Pairs(Sequences.of(side.sources), Sequences.of(side.targets))
    model.train()
    plan = plan_epoch(pairs, side.batch_tokens, seed=1, epoch=0)
    batches = spread([rows for (rows,) in plan], side)
    windows = Windows(side, batches)
    for rows in batches:
        accumulate_gradient(accelerator, model, pairs, [rows])
        accelerator.clip_grad_norm_(model.parameters(), config.clip_norm)
        optimizer.step()
        optimizer.zero_grad()
        windows.done(*counts(side, rows))


if __name__ == "__main__":
    main()
