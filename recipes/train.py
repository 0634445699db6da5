"""Train a model on the splits `train` and `dev`.

    accelerate launch recipes/train.py --config recipes/configs/demo.yaml --out runs/demo

The same command goes on with a run that was killed. OUT/best holds the model with the lowest dev
loss, OUT/last the state to go on from, OUT/log.jsonl and OUT/tensorboard the figures.

A wrong config is one sentence and exit code 2 from `python recipes/train.py`. `accelerate launch`
adds a traceback of its own, which its `--quiet` leaves out, and ends with exit code 1.
"""

from __future__ import annotations

import math
import sys
import time
from contextlib import nullcontext
from typing import Any

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import send_to_device, set_seed
from datasets import disable_progress_bars
from torch.optim import AdamW
from torch.optim.lr_scheduler import ReduceLROnPlateau
from tqdm import tqdm
from transformers import (
    PreTrainedTokenizerFast,
    get_constant_schedule_with_warmup,
    get_inverse_sqrt_schedule,
)
from transformers.utils.logging import disable_progress_bar

from nl2code.batches import Indices, Pairs, collate, nested_subset, plan_epoch
from nl2code.checkpoints import keep_weights_out, save_checkpoint
from nl2code.config import read_config
from nl2code.dataset import read_split
from nl2code.encoding import encode
from nl2code.errors import UserError, run_program
from nl2code.linearisation import source_columns, target_column, target_text
from nl2code.models import build_model
from nl2code.models.saving import load_weights
from nl2code.predictions import columns_of
from nl2code.progress import Progress, open_log
from nl2code.run_folder import alone_in, open_run
from nl2code.tokenization import check_tokenizer, load_tokenizer, tokenizer_digest
from nl2code.training import (
    TokenLoss,
    dev_scores,
    greedy_answers,
    release_freed_memory,
    token_loss,
)
from nl2code.training_config import (
    LimitsConfig,
    OptimConfig,
    TrainConfig,
    check_numbers,
    check_positions,
    tokenizer_name,
)


def train(config: TrainConfig) -> str:
    """Run or go on with the training that `config` describes; return its results in a line."""
    check_numbers(config)
    if config.num_threads is not None:
        torch.set_num_threads(config.num_threads)
    accelerator = Accelerator()
    quieten(accelerator)
    out, optim, limits = config.out, config.optim, config.limits

    # The model, which may be refused at once; then the data, encoded once.
    tokenizer = load_tokenizer(tokenizer_name(config))
    set_seed(config.seed)
    bare = build_model(config.model, tokenizer)
    check_tokenizer(tokenizer, bare.config)
    check_positions(config, bare.config)
    train_pairs, dev_pairs, watched, references = read_data(config, tokenizer, accelerator)
    tokenizer.model_max_length = config.data.max_source_tokens  # recipes/predict.py cuts there
    facts = {
        "tokenizer": tokenizer_digest(tokenizer),
        "train": train_pairs.digest(),
        "dev": dev_pairs.digest(),
        "processes": accelerator.num_processes,
        "mixed_precision": accelerator.mixed_precision,
    }

    # The run's folder (new, or of this very run), the optimizer and its rate.
    bare.config.tokenizer_digest = facts["tokenizer"]
    going_on = open_run(accelerator, out, config, facts, config.resume)
    if going_on:
        # Loaded into the new model, as a model from_pretrained forgets which weights are fixed:
        # Marian's sinusoidal positions would be learnt from here on.
        load_weights(bare, out / "last")
    model: Any = TokenLoss(bare, optim.label_smoothing)
    optimizer: Any = AdamW(
        model.parameters(),
        lr=optim.lr,
        betas=optim.betas,
        weight_decay=optim.weight_decay,
        fused=True,
    )
    model, optimizer = accelerator.prepare(model, optimizer)
    schedule = make_schedule(optimizer, optim)
    progress = Progress()
    keep_weights_out(accelerator)
    accelerator.register_for_checkpointing(schedule, progress)
    set_seed(config.seed, device_specific=True)  # from here on each process has dropout of its own
    if going_on:
        accelerator.load_state(str(out / "last" / "state"))
    log = open_log(accelerator, out, progress)

    loss_sum = torch.zeros((), device=accelerator.device)
    if accelerator.is_main_process:
        loss_sum += progress.loss_sum
    loss_tokens = progress.loss_tokens

    def save(name: str, state: bool) -> None:
        progress.loss_sum = float(accelerator.reduce(loss_sum, "sum"))
        progress.loss_tokens = loss_tokens
        save_checkpoint(accelerator, out / name, model, tokenizer, config.format, state=state)

    def evaluate() -> None:
        plain = accelerator.unwrap_model(model)
        loss = token_loss(accelerator, plain, dev_pairs, optim.batch_tokens)
        check_loss(config, progress, loss, "dev loss")
        answers = greedy_answers(
            accelerator,
            plain.model,
            tokenizer,
            watched,
            batch_tokens=optim.batch_tokens,
            longest=config.eval.max_new_tokens,
        )
        progress.figures = {"dev_loss": loss} | dev_scores(answers, references, config.format)
        progress.evaluated = progress.step
        log(progress.figures)
        if isinstance(schedule, ReduceLROnPlateau):
            schedule.step(loss)
        if loss < progress.best_loss:
            progress.best_loss, progress.best_step = loss, progress.step
            save("best", state=False)
        save("last", state=True)

    def plan(epoch: int) -> list[list[Indices]]:
        return plan_epoch(
            train_pairs,
            optim.batch_tokens,
            seed=config.seed,
            epoch=epoch,
            processes=accelerator.num_processes,
            together=optim.accumulate,
        )

    updates = plan(progress.epoch)
    target_lengths = train_pairs.targets.lengths
    bar = tqdm(
        initial=progress.step,
        total=limits.max_steps,
        unit="update",
        disable=None if accelerator.is_main_process else True,  # None: shown on a terminal only
    )
    while not is_over(limits, progress):
        started = time.perf_counter()
        update = updates[progress.update]  # the batches of all processes
        # Every process knows the whole plan, so none has to ask how many tokens there are.
        tokens = sum(int(target_lengths[rows].sum()) for rows in update)
        mine = update[accelerator.process_index :: accelerator.num_processes]
        model.train()
        for number, rows in enumerate(mine, 1):
            batch = send_to_device(collate(train_pairs, rows, bare.config), accelerator.device)
            with accelerator.no_sync(model) if number < len(mine) else nullcontext():
                loss = model(**batch)
                # DDP takes the mean over the processes where the sum is meant.
                accelerator.backward(loss * (accelerator.num_processes / tokens))
            loss_sum += loss.detach()
        accelerator.clip_grad_norm_(model.parameters(), optim.clip_norm)
        optimizer.step()
        if not isinstance(schedule, ReduceLROnPlateau):
            schedule.step()
        optimizer.zero_grad()
        progress.count(train_pairs, update, time.perf_counter() - started)
        loss_tokens += tokens
        bar.update()

        if epoch_ends := progress.update == len(updates):
            progress.next_epoch()
            updates = plan(progress.epoch)
        before, step = progress.looked, progress.step
        if step % config.log_steps == 0:
            progress.look(accelerator)
            release_freed_memory()
            mean = float(accelerator.reduce(loss_sum, "sum")) / loss_tokens
            check_loss(config, progress, mean, "train loss")
            rate = optimizer.param_groups[0]["lr"]
            log({"train_loss": mean, "lr": rate, "tokens_per_second": progress.speed()})
            bar.set_postfix(epoch=progress.epoch, loss=f"{mean:.3f}", lr=f"{rate:.1e}")
            loss_sum, loss_tokens = torch.zeros_like(loss_sum), 0
        if (
            (epoch_ends and crosses(progress.epoch - 1, progress.epoch, config.eval.epochs))
            or crosses(step - 1, step, config.eval.steps)
            or crosses(before, progress.looked, config.eval.minutes, 60)
        ):
            evaluate()
            if accelerator.is_main_process:
                bar.write(results(config, progress), file=sys.stderr)
        elif crosses(step - 1, step, config.save_steps) or crosses(
            before, progress.looked, config.save_minutes, 60
        ):
            save("last", state=True)
    bar.close()
    if progress.evaluated != progress.step:
        evaluate()
    accelerator.end_training()
    return results(config, progress)


def read_data(
    config: TrainConfig, tokenizer: PreTrainedTokenizerFast, accelerator: Accelerator
) -> tuple[Pairs, Pairs, Pairs, list[str]]:
    """The pairs of train and dev; those of dev to answer, and their references.

    Dev keeps every example, cut if need be, so that runs with different inputs compare.
    """
    data, fmt = config.data, config.format
    longest = (data.max_source_tokens, data.max_target_tokens)
    columns = ["id", *source_columns(fmt), target_column(fmt)]
    rows = columns_of(read_split(data.path, data.train_split), columns, data.path, "data.path")
    chosen = nested_subset(rows["id"], data.train_examples, config.seed)
    pairs, lengths = encode(rows.select(chosen), tokenizer, fmt, longest, data.workers)
    long_source, long_target = (lengths > longest).T
    kept = ~long_target & (~long_source | (data.long_sources == "cut"))
    if not kept.any():
        raise UserError(f"data.path {data.path}: no example of {data.train_split} is short enough")
    accelerator.print(
        f"{data.train_split}: {kept.sum()} examples of {len(rows)}"
        f" ({data.train_examples or 'all'} asked for), {long_target.sum()} dropped for their"
        f" target, {long_source.sum()} sources too long: {data.long_sources}",
        file=sys.stderr,
    )
    dev_rows = columns_of(read_split(data.path, data.dev_split), columns, data.path, "data.path")
    dev_pairs, _ = encode(dev_rows, tokenizer, fmt, longest, data.workers)
    watched = nested_subset(dev_rows["id"], config.eval.examples, config.seed)
    references = [target_text(row, fmt) for row in dev_rows.select(watched)]
    return pairs.select(kept.nonzero()[0]), dev_pairs, dev_pairs.select(watched), references


def make_schedule(optimizer: Any, config: OptimConfig) -> Any:
    """The learning rate's schedule; stepped by updates, or with plateau by evaluations."""
    if config.schedule == "plateau":
        return ReduceLROnPlateau(optimizer, factor=0.5, patience=config.patience)
    if config.schedule == "inverse_sqrt":
        return get_inverse_sqrt_schedule(optimizer, max(1, config.warmup_steps))
    return get_constant_schedule_with_warmup(optimizer, config.warmup_steps)


def is_over(limits: LimitsConfig, progress: Progress) -> bool:
    """Whether a limit is reached."""
    return (
        progress.epoch >= limits.max_epochs
        or (limits.max_steps is not None and progress.step >= limits.max_steps)
        or (limits.max_minutes is not None and progress.looked >= 60 * limits.max_minutes)
    )


def crosses(before: float, after: float, every: float | None, unit: int = 1) -> bool:
    """Whether a multiple of `every` units lies in (before, after]."""
    return every is not None and before // (every * unit) < after // (every * unit)


def check_loss(config: TrainConfig, progress: Progress, loss: float, name: str) -> None:
    """Raise a `UserError` when the loss is no number any more."""
    if not math.isfinite(loss):
        raise UserError(
            f"{config.out}: the {name} is {loss} at update {progress.step}; optim.lr"
            f" {config.optim.lr} may be too high. What was saved before is whole."
        )


def results(config: TrainConfig, progress: Progress) -> str:
    """The run in one line."""
    figures = ", ".join(f"{name} {value:.4f}" for name, value in progress.figures.items())
    return (
        f"{config.out}: update {progress.step}, epoch {progress.epoch},"
        f" {progress.seconds / 60:.1f} min, {progress.speed():.0f} tokens/s; {figures};"
        f" best dev_loss {progress.best_loss:.4f} at update {progress.best_step}"
    )


def quieten(accelerator: Accelerator) -> None:
    """Leave the libraries' progress bars to the main process on a terminal."""
    disable_progress_bar()
    if not (accelerator.is_main_process and sys.stderr.isatty()):
        disable_progress_bars()


def main() -> None:
    """Train as the command line says."""
    config = read_config(TrainConfig)
    with alone_in(config.out):
        line = train(config)
    if PartialState().is_main_process:
        print(line)


if __name__ == "__main__":
    run_program(main)
