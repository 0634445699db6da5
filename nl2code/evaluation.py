"""An evaluation during training: the dev loss, greedy answers, their scores and a page of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from accelerate import Accelerator
from accelerate.utils import gather_object
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from nl2code.batches import Pairs
from nl2code.decoding import Search, decode
from nl2code.encoding import vocabulary_of
from nl2code.jsonl import write_text
from nl2code.linearisation import MARKERS, InputFormat, in_normal_form, read_prediction
from nl2code.metrics.api import api_sequence_scores
from nl2code.metrics.bash import char_bleu, command_match, template_match
from nl2code.metrics.bleu import bleu_nltk3
from nl2code.metrics.exact_match import exact_match
from nl2code.records import Score
from nl2code.training import TokenLoss, my_share, token_loss
from nl2code.training_config import TrainConfig, dev_score_names
from nl2code.training_data import TrainingData, Watched
from nl2code.vocabulary import put_back, unknown_words

SHOWN = 5
"""Examples on the page, from all over those that are answered: neighbours are of one notebook."""

_SCORES: dict[str, Callable[[list[str], list[str]], Score]] = {
    "exact_match": exact_match,
    "bleu_nltk3": bleu_nltk3,
    "command_match": command_match,
    "template_match": template_match,
    "char_bleu": char_bleu,
}

_MARKED = re.compile(rf" (?=(?:{'|'.join(MARKERS.values())}) )")


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
    known = vocabulary_of(tokenizer, config.format)
    answers = [
        put_back(answer, unknown_words(one.source, known))
        for answer, one in zip(answers, data.watched, strict=True)
    ]
    references = [one.reference for one in data.watched]
    return {"dev_loss": loss} | dev_scores(answers, references, config.format), answers


def greedy_answers(
    accelerator: Accelerator,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    pairs: Pairs,
    *,
    batch_tokens: int,
    longest: int,
) -> list[str]:
    """The greedy prediction for each pair, in order, whichever process made it."""
    answers: list[tuple[int, str]] = []
    model.train(False)
    with accelerator.autocast():
        for rows in my_share(accelerator, pairs, batch_tokens):
            found = decode(model, pairs.sources.rows(rows), Search(beams=1, longest=longest))
            texts = tokenizer.batch_decode([beams[0] for beams in found], skip_special_tokens=True)
            answers += zip(rows.tolist(), map(read_prediction, texts), strict=True)
    return [answer for _, answer in sorted(gather_object(answers))]


def dev_scores(predictions: list[str], references: list[str], fmt: InputFormat) -> dict[str, float]:
    """The figures to watch on greedy answers: EM and BLEU, or those of calls or commands."""
    if fmt.task == "api":
        scores = api_sequence_scores(predictions, references)
        return {"precision": scores.precision.value, "recall": scores.recall.value}
    if fmt.task == "bash":
        predictions, references = (
            [in_normal_form(one, fmt) for one in side] for side in (predictions, references)
        )
    # Not every template parses as the command it is of.
    kinds = _SCORES | ({"template_match": exact_match} if fmt.of_templates else {})
    return {name: kinds[name](predictions, references).value for name in dev_score_names(fmt)}


def write_examples(path: Path, step: int, examples: Iterable[Watched], answers: list[str]) -> None:
    """Write a handful of examples as text: what was asked, what is right, what was answered."""
    parts = [f"# Answers after update {step}\n\nGreedy; the input is shown before it is cut.\n"]
    every = list(zip(examples, answers, strict=True))
    count = min(SHOWN, len(every))
    for example, answer in (every[place * len(every) // count] for place in range(count)):
        parts.append(
            f"\n## `{example.id}`\n"
            + _block("NL", example.nl)
            + _block("Input", _MARKED.sub("\n", example.source))
            + _block("Reference", _lines(example.reference))
            + _block("Prediction", _lines(answer))
        )
    write_text(path, "".join(parts))


def _block(name: str, text: str) -> str:
    # Indented, not fenced: notebooks hold fences of their own.
    lines = "\n".join(f"    {line}" for line in text.splitlines()) or "    (nothing)"
    return f"\n{name}:\n\n{lines}\n"


def _lines(tokens: str) -> str:
    return re.sub(r"(\s*\bNEWLINE\b\s*)+", "\n", tokens).strip()
