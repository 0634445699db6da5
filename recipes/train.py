"""Train a model on the splits `train` and `dev`.

    accelerate launch recipes/train.py --config recipes/configs/demo.yaml --out runs/demo

The same command goes on with a run that was killed or preempted, and ends in the same weights.
SIGTERM and SIGUSR1, sent to any of its processes, save and stop it after the update or evaluation
that is being made, with exit code 0. Sent to `accelerate launch` itself, SIGTERM saves a run of
several processes too, but the launcher ends with exit code 1.

OUT/best holds the model with the lowest dev loss (or with the highest score that
eval.metric_for_best_model names), OUT/last the state to go on from, OUT/log.jsonl and
OUT/tensorboard the figures, OUT/examples.md the latest answers; at the end OUT/report.md tells how
it went.

A wrong config is one sentence and exit code 2 from `python recipes/train.py`. `accelerate launch`
adds a traceback of its own, which its `--quiet` leaves out, and ends with exit code 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from accelerate import PartialState
from torch.optim.lr_scheduler import ReduceLROnPlateau
from tqdm import tqdm

from nl2code.batches import Indices
from nl2code.checkpoints import save_checkpoint
from nl2code.config import read_config
from nl2code.divergence import Diverged
from nl2code.errors import run_program
from nl2code.evaluation import dev_figures, write_examples
from nl2code.interruption import interruptible
from nl2code.memory import said_of_memory, with_less_memory
from nl2code.optimisation import BatchLoss, accumulate_gradient
from nl2code.progress import Progress, crosses, is_over, remark
from nl2code.report import write_report
from nl2code.run_folder import alone_in
from nl2code.trackers import Log, open_log
from nl2code.training import release_freed_memory
from nl2code.training_config import TrainConfig
from nl2code.training_run import Run, begin


def train(config: TrainConfig) -> str:
    """Run or go on with the training that `config` describes; return its results in a line."""
    with said_of_memory(config.out):
        run = begin(config)
        accelerator, progress = run.accelerator, run.progress
        with (
            interruptible(accelerator) as interruption,
            open_log(accelerator, config.out, progress, config.trackers) as log,
        ):
            try:
                signal = learn(run, log, interruption.asked)
            except Diverged as error:
                main = accelerator.is_main_process
                raise error.told(config.out, config.optim.lr, write=main) from None
        if signal:
            done = f"stopped by {signal} after update {progress.step}"
            return f"{config.out}: {done}; the same command goes on from there"
        said = remark(config.limits, config.optim, progress)
        line = results(config, progress) + (f". {said}" if said else "")
        if accelerator.is_main_process:
            write_report(config.out, line, config.eval.metric_for_best_model)
        return line


def learn(run: Run, log: Log, interrupted: Callable[[], str | None]) -> str | None:
    """Make update after update, until a limit is reached or a signal comes: return that one."""
    config, accelerator, progress, watch = run.config, run.accelerator, run.progress, run.watch
    updates = run.plan()
    with tqdm(
        initial=progress.step,
        total=config.limits.max_steps,
        unit="update",
        disable=None if accelerator.is_main_process else True,  # None: shown on a terminal only
    ) as bar:
        while not is_over(config.limits, progress):
            if signal := interrupted():
                save(run, "last", state=True)
                return signal
            started = time.perf_counter()
            update = updates[progress.update]
            run.model.train()
            losses = gradient(run, update)
            norm = accelerator.clip_grad_norm_(run.model.parameters(), config.optim.clip_norm)
            run.optimizer.step()
            if not isinstance(run.schedule, ReduceLROnPlateau):
                run.schedule.step()
            run.optimizer.zero_grad()
            progress.count(run.data.train, update, time.perf_counter() - started)
            watch.note(losses, norm)
            bar.update()

            if epoch_ends := progress.update == len(updates):
                progress.next_epoch()
                updates = run.plan()
            before, step = progress.looked, progress.step
            if step % config.log_steps == 0:
                log_figures(run, log, bar)
            if (
                (epoch_ends and crosses(progress.epoch - 1, progress.epoch, config.eval.epochs))
                or crosses(step - 1, step, config.eval.steps)
                or crosses(before, progress.looked, config.eval.minutes, 60)
            ):
                evaluate(run, log)
                if accelerator.is_main_process:
                    bar.write(results(config, progress), file=sys.stderr)
            elif crosses(step - 1, step, config.save_steps) or crosses(
                before, progress.looked, config.save_minutes, 60
            ):
                save(run, "last", state=True)
    if progress.evaluated != progress.step:
        evaluate(run, log)
    return None


def gradient(run: Run, update: list[Indices]) -> list[BatchLoss]:
    """Fill in the gradient of one update, in smaller parts if memory is short."""

    def attempt(parts: int) -> list[BatchLoss]:
        run.optimizer.zero_grad()  # what a failed attempt has left
        return accumulate_gradient(run.accelerator, run.model, run.data.train, update, parts)

    place = f"update {run.progress.step + 1}"
    largest = max(map(len, update))
    losses, run.progress.split = with_less_memory(
        attempt, run.progress.split, largest, run.accelerator, place
    )
    return losses


def log_figures(run: Run, log: Log, bar: tqdm) -> None:
    """Write a row of the log: the mean train loss since the last one, the rate, the speed."""
    progress = run.progress
    progress.look(run.accelerator)
    release_freed_memory()
    mean = run.watch.look()
    rate = run.optimizer.param_groups[0]["lr"]
    figures = {"train_loss": mean, "lr": rate, "tokens_per_second": progress.speed()}
    log(figures | ({"split": progress.split} if progress.split > 1 else {}))
    bar.set_postfix(epoch=progress.epoch, loss=f"{mean:.3f}", lr=f"{rate:.1e}")
    run.watch.next_row(mean)


def evaluate(run: Run, log: Log) -> None:
    """Score the model on dev, let the rate follow, and save what is best and what is last."""
    config, accelerator, progress = run.config, run.accelerator, run.progress
    plain = accelerator.unwrap_model(run.model)

    def attempt(parts: int) -> tuple[dict[str, float], list[str]]:
        return dev_figures(accelerator, plain, run.tokenizer, run.data, config, parts)

    place, budget = f"the evaluation after update {progress.step}", config.optim.batch_tokens
    (figures, answers), _ = with_less_memory(attempt, progress.split, budget, accelerator, place)
    loss = figures["dev_loss"]
    run.watch.check_dev(loss)
    progress.figures, progress.evaluated = figures, progress.step
    log(figures)
    if accelerator.is_main_process:
        write_examples(config.out / "examples.md", progress.step, run.data.watched, answers)
    if isinstance(run.schedule, ReduceLROnPlateau):
        run.schedule.step(loss)
    if progress.note_best(config.eval.metric_for_best_model):
        save(run, "best", state=False)
    save(run, "last", state=True)


def save(run: Run, name: str, state: bool) -> None:
    """Write OUT/NAME, unless the loss is no number any more."""
    run.watch.look()
    folder, fmt = run.config.out / name, run.config.format
    save_checkpoint(run.accelerator, folder, run.model, run.tokenizer, fmt, state=state)


def results(config: TrainConfig, progress: Progress) -> str:
    """The run in one line."""
    metric = config.eval.metric_for_best_model
    best = progress.best_loss if metric == "dev_loss" else progress.best_score
    figures = ", ".join(f"{name} {value:.4f}" for name, value in progress.figures.items())
    return (
        f"{config.out}: update {progress.step}, epoch {progress.epoch},"
        f" {progress.seconds / 60:.1f} min, {progress.speed():.0f} tokens/s; {figures};"
        f" best {metric} {best:.4f} at update {progress.best_step}"
    )


def main() -> None:
    """Train as the command line says."""
    config = read_config(TrainConfig)
    with alone_in(config.out):
        line = train(config)
    if PartialState().is_main_process:
        print(line)


if __name__ == "__main__":
    run_program(main)
