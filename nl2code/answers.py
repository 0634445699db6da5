"""What a model's beams answer to its questions, and the file of all answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from nl2code.bash_text import parsing_commands
from nl2code.decoding import Search, decode
from nl2code.jsonl import write_jsonl
from nl2code.linearisation import InputFormat
from nl2code.other_answers import is_likelier
from nl2code.python_code.layouts import parsing_first
from nl2code.questions import Question
from nl2code.slot_filling import Fill, filler_of, token_states

COMMANDS = 3
"""So many distinct commands answer where no number is asked for (NL2Bash, section 5)."""


def search(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    asked: Sequence[Question],
    how: Search,
    others: Sequence[str] = (),
) -> list[list[str]]:
    """The texts of the beams of each question, best first; likelier others before them."""
    sources, begun = [one.source for one in asked], [one.begun for one in asked]
    found = decode(model, sources, how, begun)
    texts = [tokenizer.batch_decode(beams, skip_special_tokens=True) for beams in found]
    for one, beams, other in zip(asked, texts, others or [""] * len(asked), strict=True):
        if other and is_likelier(model, tokenizer, one, other, beams[0], how):
            beams.insert(0, other)
    return texts


def fill_of(
    checkpoint: Path,
    fmt: InputFormat,
    tokenizer: PreTrainedTokenizerFast,
    model: PreTrainedModel,
    candidates: int = 0,
) -> Fill | None:
    """What makes commands of the templates that this model writes; None where it writes none."""
    if not fmt.of_templates:
        return None
    return filler_of(checkpoint, partial(token_states, model, tokenizer), candidates or COMMANDS)


def answer(
    texts: Sequence[str],
    question: Question,
    fmt: InputFormat,
    candidates: int = 0,
    only_parsing: bool = False,
    fill: Fill | None = None,
) -> dict[str, Any]:
    """What the beams say in the references' form, and whether none of them parses.

    Args:
        texts: The beams, best first.
        question: What they answer.
        fmt: What the model reads and writes.
        candidates: How many are kept beside the best; of Bash, 0 stands for `COMMANDS`.
        only_parsing: Whether those that parse come first; of Bash, alone.
        fill: Makes commands of templates, where the model writes these.
    """
    texts = [question.read(text, fmt) for text in texts]
    if fill:  # nothing where no template can be filled, as in the authors' released predictions
        best = fill(question.nl, texts)
        return {"prediction": best[0] if best else "", "unparsed": not best, "candidates": best}
    if fmt.task == "bash":
        return _commands(texts, candidates or COMMANDS, only_parsing)
    if question.given.after:
        texts.sort(key=lambda text: not text)  # what only repeats the given code says nothing
    unparsed = False
    if only_parsing:
        texts, unparsed = parsing_first(texts)
    line: dict[str, Any] = {"prediction": texts[0], "unparsed": unparsed}
    return {**line, "candidates": texts[:candidates]} if candidates else line


def _commands(commands: Sequence[str], number: int, only_parsing: bool) -> dict[str, Any]:
    """The best distinct commands, those that parse if asked for."""
    best, unparsed = list(dict.fromkeys(commands))[:number], False  # several beams may spell one
    if only_parsing:
        best, unparsed = parsing_commands(commands, number)
    return {"prediction": best[0], "unparsed": unparsed, "candidates": best}


def write_answers(out: Path, ids: Sequence[str], answers: Mapping[int, dict[str, Any]]) -> int:
    """Write the answer at each id's place; how many of them do not parse."""
    unparsed: int = sum(line.pop("unparsed") for line in answers.values())
    write_jsonl(out, ({"id": name, **answers[place]} for place, name in enumerate(ids)))
    return unparsed
