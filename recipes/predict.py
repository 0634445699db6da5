r"""Write a trained model's predictions for one split.

    python recipes/predict.py --checkpoint runs/demo/best --data juice --split dev \
        --out runs/demo/predictions.jsonl

    python recipes/predict.py --checkpoint runs/nl2bash/best --data nl2bash --split test \
        --num_beams 100 --max_new_tokens 60 --only_parsing true --out runs/nl2bash/test.jsonl

A model of templates (Tellina) answers with commands: recipes/align.py learns to fill them first.

The checkpoint folder holds model, tokenizer and `juice_input.json`, as recipes/train.py leaves it.

The same command goes on with a run that was killed: the batches that it answered lie in OUT.parts.
Several processes share the batches out and write the same file as one:

    ACCELERATE_USE_CPU=true accelerate launch --config_file recipes/accelerate/cpu-2.yaml \
        recipes/predict.py --checkpoint … --data … --out …
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

from nl2code.bash_text import parsing_commands
from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.decoding import Parts, Search, decode, fingerprint, load_checkpoint, plan_batches
from nl2code.errors import UserError, run_program
from nl2code.jsonl import write_jsonl
from nl2code.linearisation import InputFormat
from nl2code.outputs import check_file
from nl2code.predictions import columns_of
from nl2code.python_code.layouts import parsing_first
from nl2code.questions import Question, ask, question_columns
from nl2code.run_folder import alone_in
from nl2code.slot_filling import Fill, filler_of, token_states


@dataclass(frozen=True)
class PredictConfig:
    """Write a trained model's predictions for one split."""

    checkpoint: Path
    """The folder of a trained model, its tokenizer and its input format."""
    data: str
    """The built dataset: a folder, or a name on the Hub."""
    out: Path
    """The predictions (JSON Lines). The resolved config goes beside them, as OUT.config.yaml."""
    split: str = "dev"
    """The split to predict."""
    num_beams: int = 5
    """Beam width; 1 is greedy."""
    max_new_tokens: int = 150
    """The longest prediction, in symbols of the BPE."""
    no_repeat_ngram_size: int = 0
    """No prediction holds a run of so many symbols twice; 0 for any. Small models go in circles."""
    length_penalty: float = 1.0
    """Beams are ranked by log-probability / length ** this: the larger, the longer the answers."""
    batch_tokens: int = 12_000
    """Input symbols a batch, padding and beams included."""
    candidates: int = 0
    """Also write so many of the beams, best first; of Bash, so many distinct commands, or three."""
    only_parsing: bool = False
    """Put the beams that parse first (of Bash, drop the others); where none does, the best one
    stays, and is counted. Templates that do not parse are always dropped."""
    fill_in: bool = False
    """Write on in the given code (`boilerplate_code`), where its `# YOUR CODE HERE` stands; what it
    says below is taken off the end of the answer."""
    limit: int | None = None
    """Predict only the first examples of the split."""
    longest_source: int | None = None
    """Cut the input to so many symbols; by default, what the tokenizer and the model allow."""
    overwrite: bool = False
    """Replace the predictions when the file exists."""


def main() -> None:
    """Load, encode, answer this process's batches, write all answers in the split's order."""
    config = read_config(PredictConfig, description=__doc__)
    check_options(config)
    beside = config_beside(config.out, config)
    disable_progress_bar()  # for the libraries' own bars; ours is below
    accelerator = Accelerator()
    rows = read_split(config.data, config.split)
    rows = rows.select(range(min(len(rows), config.limit or len(rows))))
    fmt, tokenizer, model = load_checkpoint(config.checkpoint)
    check_checkpoint(config, fmt, model)
    model.to(accelerator.device).eval()
    fill = None
    if fmt.of_templates:
        states = partial(token_states, model, tokenizer)
        fill = filler_of(config.checkpoint, states, config.candidates or 3)
    rows = columns_of(rows, ["id", *question_columns(fmt, config.fill_in)], config.data)
    longest = longest_source(config, tokenizer, model)
    asked = ask(rows, fmt, tokenizer, longest, config.fill_in)
    check_positions(config, model, max((len(one.begun) for one in asked), default=0))
    sources, begun = [one.source for one in asked], [one.begun for one in asked]
    batches = plan_batches(sources, config.batch_tokens // config.num_beams, begun)
    mine = range(accelerator.process_index, len(batches), accelerator.num_processes)
    parts = Parts(config.out)
    with alone_in(parts.folder):
        if accelerator.is_main_process:
            settings = what_counts(config) | {"unknown": [list(one.unknown) for one in asked]}
            settings |= {"nl": [one.nl for one in asked]}  # templates' sources lack the constants
            parts.open(fingerprint(config.checkpoint, [*sources, *begun], settings))
        accelerator.wait_for_everyone()
        with tqdm(
            desc=f"predict {config.split}",
            total=sum(len(batches[number]) for number in mine),
            disable=None if accelerator.is_main_process else True,  # None: shown on a terminal only
        ) as bar:
            for number in mine:
                if not parts.done(number):
                    questions = [asked[place] for place in batches[number]]
                    texts = search(model, tokenizer, questions, config)
                    answers = [
                        answer(beams, question, fmt, config, fill)
                        for question, beams in zip(questions, texts, strict=True)
                    ]
                    parts.write(number, zip(batches[number], answers, strict=True))
                bar.update(len(batches[number]))
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            print(join(parts, len(batches), rows["id"], config, fmt))
            save_config(config, beside)
            parts.remove()


def check_options(config: PredictConfig) -> None:
    """Refuse at once what would fail after hours."""
    check_file(config.out, config.overwrite)
    for name in ("num_beams", "max_new_tokens", "batch_tokens", "limit", "longest_source"):
        value = getattr(config, name)
        if value is not None and value < 1:
            raise UserError(f"--{name} {value}: must be at least 1")
    if config.no_repeat_ngram_size < 0 or config.no_repeat_ngram_size == 1:
        raise UserError(f"--no_repeat_ngram_size {config.no_repeat_ngram_size}: 0, or 2 or more")
    if not 0 <= config.candidates <= config.num_beams:
        raise UserError(f"--candidates {config.candidates}: not between 0 and --num_beams")


def check_positions(config: PredictConfig, model: PreTrainedModel, given: int = 0) -> None:
    """Refuse answers that, behind so many tokens given before them, may outgrow the positions."""
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions is not None and given + config.max_new_tokens > positions:
        taken = f", of which --fill_in takes up to {given:,}" if given else ""
        raise UserError(
            f"--max_new_tokens {config.max_new_tokens}: {config.checkpoint} writes at most"
            f" {positions:,} tokens{taken}"
        )


def check_checkpoint(config: PredictConfig, fmt: InputFormat, model: PreTrainedModel) -> None:
    """Refuse what this checkpoint cannot do."""
    if config.only_parsing and fmt.task == "api":
        raise UserError(
            f"--only_parsing: {config.checkpoint} writes API sequences, which no parser reads"
        )
    if config.fill_in and fmt.task != "code":
        raise UserError(f"--fill_in: {config.checkpoint} does not write code for notebooks")
    check_positions(config, model)


def longest_source(
    config: PredictConfig, tokenizer: PreTrainedTokenizerFast, model: PreTrainedModel
) -> int:
    """How many input symbols all of option, tokenizer and model allow."""
    positions = getattr(model.config, "max_position_embeddings", None)
    limits = (config.longest_source, tokenizer.model_max_length, positions)
    return min(limit for limit in limits if limit)


def what_counts(config: PredictConfig) -> dict[str, Any]:
    """The settings that the answers depend on, beside the model and the sources."""
    beams = ("num_beams", "max_new_tokens", "no_repeat_ngram_size", "length_penalty")
    names = (*beams, "batch_tokens", "candidates", "only_parsing", "fill_in")
    return {name: getattr(config, name) for name in names}


def search(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    asked: list[Question],
    config: PredictConfig,
) -> list[list[str]]:
    """The texts of the beams of each question, best first."""
    found = decode(
        model,
        [one.source for one in asked],
        Search(
            beams=config.num_beams,
            longest=config.max_new_tokens,
            no_repeat=config.no_repeat_ngram_size,
            length_penalty=config.length_penalty,
        ),
        [one.begun for one in asked],
    )
    return [tokenizer.batch_decode(beams, skip_special_tokens=True) for beams in found]


def answer(
    texts: list[str],
    question: Question,
    fmt: InputFormat,
    config: PredictConfig,
    fill: Fill | None = None,
) -> dict[str, Any]:
    """What the beams say in the references' form, and whether none of them parses."""
    texts = [question.read(text, fmt) for text in texts]
    if fill:  # nothing where no template can be filled, as in the authors' released predictions
        best = fill(question.nl, texts)
        return {"prediction": best[0] if best else "", "unparsed": not best, "candidates": best}
    if fmt.task == "bash":
        return bash_answer(texts, config)
    if question.given.after:
        texts.sort(key=lambda text: not text)  # what only repeats the given code says nothing
    unparsed = False
    if config.only_parsing:
        texts, unparsed = parsing_first(texts)
    line: dict[str, Any] = {"prediction": texts[0], "unparsed": unparsed}
    return {**line, "candidates": texts[: config.candidates]} if config.candidates else line


def bash_answer(commands: list[str], config: PredictConfig) -> dict[str, Any]:
    """The best distinct commands, those that parse if asked for (NL2Bash, section 5)."""
    number = config.candidates or 3
    best, unparsed = list(dict.fromkeys(commands))[:number], False  # several beams may spell one
    if config.only_parsing:
        best, unparsed = parsing_commands(commands, number)
    return {"prediction": best[0], "unparsed": unparsed, "candidates": best}


def join(
    parts: Parts, batches: int, ids: list[str], config: PredictConfig, fmt: InputFormat
) -> str:
    """Write the predictions; say how many there are, and where."""
    answers = parts.read(batches)
    unparsed = sum(line.pop("unparsed") for line in answers.values())
    write_jsonl(config.out, ({"id": name, **answers[place]} for place, name in enumerate(ids)))
    said = f"{len(answers):,} predictions for {config.split}: {config.out}"
    if fmt.of_templates:
        said += f"\n{unparsed:,} of them are empty: none of {config.num_beams} templates was filled"
    elif config.only_parsing:
        said += f"\n{unparsed:,} of them do not parse: none of {config.num_beams} beams did"
    return said


if __name__ == "__main__":
    run_program(main)
