r"""Write a trained model's predictions for one split.

    python recipes/predict.py --checkpoint runs/demo/best --data juice --split dev \
        --out runs/demo/predictions.jsonl

    python recipes/predict.py --checkpoint runs/nl2bash/last --data nl2bash --split test \
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
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from datasets import Dataset
from tqdm import tqdm
from transformers import PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from nl2code.answers import answer, fill_of, search, write_answers
from nl2code.config import config_beside, read_config, save_config
from nl2code.dataset import read_split
from nl2code.decoding import Parts, Search, fingerprint, load_checkpoint, plan_batches
from nl2code.errors import UserError, run_program
from nl2code.linearisation import InputFormat, read_prediction
from nl2code.outputs import check_file
from nl2code.predictions import answers_to, columns_of
from nl2code.questions import Question, ask, longest_source, question_columns
from nl2code.run_folder import alone_in


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
    """Write on in the given code (`boilerplate_code`), where its `# YOUR CODE HERE` stands or its
    one function is empty; what it says below is taken off the end of the answer."""
    also: Path | None = None
    """Predictions of another system, such as Ret-Context (recipes/retrieve.py): they answer where
    the model finds them likelier than its best beam."""
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
    others = other_answers(config, rows)
    rows = rows.select(range(min(len(rows), config.limit or len(rows))))
    fmt, tokenizer, model = load_checkpoint(config.checkpoint)
    check_checkpoint(config, fmt, model)
    model.to(accelerator.device).eval()
    fill = fill_of(config.checkpoint, fmt, tokenizer, model, config.candidates)
    columns = ["id", *question_columns(fmt, config.fill_in)]
    rows = columns_of(rows, columns, config.data, task_option=None)  # the checkpoint's task
    longest = longest_source(tokenizer, model, config.longest_source)
    asked = ask(rows, fmt, tokenizer, longest, config.fill_in)
    check_positions(config, model, max((len(one.begun) for one in asked), default=0))
    how = Search(
        beams=config.num_beams,
        longest=config.max_new_tokens,
        no_repeat=config.no_repeat_ngram_size,
        length_penalty=config.length_penalty,
    )
    sources, begun = [one.source for one in asked], [one.begun for one in asked]
    batches = plan_batches(sources, config.batch_tokens // config.num_beams, begun)
    mine = range(accelerator.process_index, len(batches), accelerator.num_processes)
    parts = Parts(config.out)
    with alone_in(parts.folder):
        if accelerator.is_main_process:
            run = what_counts(config, asked) | {"others": others}
            parts.open(fingerprint(config.checkpoint, [*sources, *begun], run))
        accelerator.wait_for_everyone()
        with tqdm(
            desc=f"predict {config.split}",
            total=sum(len(batches[number]) for number in mine),
            disable=None if accelerator.is_main_process else True,  # None: shown on a terminal only
        ) as bar:
            for number in mine:
                if not parts.done(number):
                    questions = [asked[place] for place in batches[number]]
                    also = [others[place] for place in batches[number]] if others else []
                    beams = search(model, tokenizer, questions, how, also)
                    answers = [
                        answer(texts, one, fmt, config.candidates, config.only_parsing, fill)
                        for one, texts in zip(questions, beams, strict=True)
                    ]
                    parts.write(number, zip(batches[number], answers, strict=True))
                bar.update(len(batches[number]))
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            unparsed = write_answers(config.out, rows["id"], parts.read(len(batches)))
            print(said(config, fmt, asked, unparsed))
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
    if config.also and (fmt.task == "bash" or (fmt.task, fmt.scheme) == ("code", "lossless")):
        raise UserError(
            f"--also: {config.checkpoint} does not write in the form of predictions, the paper's"
            " normal form"
        )
    check_positions(config, model)


def other_answers(config: PredictConfig, rows: Dataset) -> list[str]:
    """What the other system says of each row, nothing where it does not; none without one."""
    if config.also is None:
        return []
    ids = columns_of(rows, ["id"], config.data)["id"]
    answers, _ = answers_to(ids, config.also, allow_missing=True)
    return [read_prediction(one.prediction) for one in answers]


def what_counts(config: PredictConfig, asked: list[Question]) -> dict[str, Any]:
    """What the answers depend on, beside the model and the sources."""
    beams = ("num_beams", "max_new_tokens", "no_repeat_ngram_size", "length_penalty")
    names = (*beams, "batch_tokens", "candidates", "only_parsing", "fill_in")
    settings = {name: getattr(config, name) for name in names}
    # The sources of templates lack the constants.
    return settings | {
        "unknown": [list(one.unknown) for one in asked],
        "nl": [one.nl for one in asked],
        "after": [list(one.given.after) for one in asked],
    }


def said(config: PredictConfig, fmt: InputFormat, asked: list[Question], unparsed: int) -> str:
    """How many predictions there are, and where; and what became of the wishes."""
    lines = [f"{len(asked):,} predictions for {config.split}: {config.out}"]
    if config.fill_in:
        begun = sum(bool(one.begun) for one in asked)
        lines.append(f"{begun:,} of them go on in the code that is given")
    if fmt.of_templates:
        lines.append(
            f"{unparsed:,} of them are empty: none of {config.num_beams} templates was filled"
        )
    elif unparsed:
        lines.append(f"{unparsed:,} of them do not parse: none of {config.num_beams} beams did")
    elif config.only_parsing:
        lines.append("all of them parse")
    return "\n".join(lines)


if __name__ == "__main__":
    run_program(main)
