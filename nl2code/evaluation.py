"""An evaluation during training: the dev loss, greedy answers, their scores and a page of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from accelerate import Accelerator
from transformers import PreTrainedTokenizerFast

from nl2code.jsonl import write_text
from nl2code.training import TokenLoss, dev_scores, greedy_answers, token_loss
from nl2code.training_config import TrainConfig
from nl2code.training_data import TrainingData, Watched

SHOWN = 5
"""Examples on the page."""


def dev_figures(
    accelerator: Accelerator,
    model: TokenLoss,
    tokenizer: PreTrainedTokenizerFast,
    data: TrainingData,
    config: TrainConfig,
    parts: int,
) -> tuple[dict[str, float], list[str]]:
    """The dev loss and the scores of greedy answers, and these answers; all processes call it.

    Args:
        accelerator: Its processes share the examples out.
        model: The model with its loss, not wrapped by the accelerator.
        tokenizer: Reads the answers.
        data: Holds dev.
        config: Says how large a batch and how long an answer may be.
        parts: Batches are smaller by this factor, for want of memory.
    """
    budget = max(1, config.optim.batch_tokens // parts)
    loss = token_loss(accelerator, model, data.dev, budget)
    answers = greedy_answers(
        accelerator,
        model.model,
        tokenizer,
        data.watched_pairs,
        batch_tokens=budget,
        longest=config.eval.max_new_tokens,
    )
    references = [one.reference for one in data.watched]
    return {"dev_loss": loss} | dev_scores(answers, references, config.format), answers


def write_examples(path: Path, step: int, examples: Iterable[Watched], answers: list[str]) -> None:
    """Write a handful of examples as text: what was asked, what is right, what was answered."""
    parts = [f"# Answers after update {step}\n\nGreedy; the input is shown before it is cut.\n"]
    for example, answer in list(zip(examples, answers, strict=True))[:SHOWN]:
        parts.append(
            f"\n## `{example.id}`\n"
            + _block("NL", example.nl)
            + _block("Input", example.source.replace(" <", "\n<"))
            + _block("Reference", _lines(example.reference))
            + _block("Prediction", _lines(answer))
        )
    write_text(path, "".join(parts))


def _block(name: str, text: str) -> str:
    # Indented, not fenced: notebooks hold fences of their own.
    lines = "\n".join(f"    {line}" for line in text.splitlines()) or "    (nothing)"
    return f"\n{name}:\n\n{lines}\n"


def _lines(tokens: str) -> str:
    return tokens.replace(" NEWLINE ", "\n")
