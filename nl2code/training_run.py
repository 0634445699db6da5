"""A training run, begun or gone on with: all that its loop works on."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import disable_progress_bars
from torch.nn.parallel import DistributedDataParallel
from transformers import PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

from nl2code.batches import Indices, Pairs, plan_epoch
from nl2code.checkpoints import keep_weights_out, load_state, load_weights
from nl2code.divergence import Watch
from nl2code.format_checks import check_format, check_made_for
from nl2code.machine import check_device, remark_on_precision, suit_deepspeed
from nl2code.models import build_model
from nl2code.optimisation import accumulate_gradient, make_optimizer, make_schedule
from nl2code.progress import Progress
from nl2code.run_folder import check_config, open_run
from nl2code.tokenization import check_tokenizer, load_tokenizer, tokenizer_digest
from nl2code.trackers import check_trackers
from nl2code.training import TokenLoss
from nl2code.training_config import (
    TrainConfig,
    check_best,
    check_markers,
    check_numbers,
    check_positions,
    tokenizer_name,
)
from nl2code.training_data import TrainingData, read_training_data
from nl2code.vocabulary import check_placeholders


@dataclass(frozen=True, slots=True)
class Run:
    """What one process holds of a run; the config's fields are shown in recipes/train.py."""

    config: TrainConfig
    accelerator: Accelerator
    tokenizer: PreTrainedTokenizerFast
    data: TrainingData
    model: Any
    """The prepared `TokenLoss`."""
    optimizer: Any
    schedule: Any
    progress: Progress
    watch: Watch

    def plan(self) -> list[list[Indices]]:
        """The updates of the present epoch: for each the batches of all processes."""
        return plan_epoch(
            self.data.train,
            self.config.optim.batch_tokens,
            seed=self.config.seed,
            epoch=self.progress.epoch,
            processes=self.accelerator.num_processes,
            together=self.config.optim.accumulate,
        )


def begin(config: TrainConfig) -> Run:
    """Begin the run that `config` describes, or go on with it from OUT/last.

    Raises:
        UserError: Something that the config names is missing or does not fit to the rest; or OUT
            holds something else than a run of this config, data, tokenizer and machine.
    """
    accelerator = _start(config)
    if accelerator.is_main_process:
        check_config(config.out, config, config.resume)
    # The model, which may be refused at once; then the data, encoded once.
    check_made_for(tokenizer_name(config), config.format)
    tokenizer = load_tokenizer(tokenizer_name(config))
    if config.format.task != "bash":  # a sentence has no cells to mark
        check_markers(config, tokenizer.get_vocab())
    if config.format.copy_unknown:
        check_placeholders(tokenizer_name(config), tokenizer.get_vocab())
    set_seed(config.seed)
    bare = build_model(config.model, tokenizer)
    check_tokenizer(tokenizer, bare.config)
    check_positions(config, bare.config)
    data = read_training_data(config, tokenizer, accelerator.is_main_process)
    tokenizer.model_max_length = config.data.max_source_tokens  # recipes/predict.py cuts there
    bare.config.tokenizer_digest = tokenizer_digest(tokenizer)
    facts = _facts(accelerator, bare, data)
    going_on = open_run(accelerator, config.out, config, facts)
    if going_on:
        load_weights(bare, config.out / "last")
    return _prepare(config, accelerator, tokenizer, data, bare, going_on)


def _start(config: TrainConfig) -> Accelerator:
    check_numbers(config)
    check_format(config.format)
    check_best(config)
    check_trackers(config.trackers)
    check_device()
    if config.num_threads is not None:
        torch.set_num_threads(config.num_threads)
    accelerator = Accelerator()
    if accelerator.is_main_process and (
        said := remark_on_precision(accelerator.device.type, accelerator.mixed_precision)
    ):
        print(said, file=sys.stderr)
    suit_deepspeed(accelerator.state.deepspeed_plugin, config.optim)
    disable_progress_bar()  # type: ignore[no-untyped-call]
    if not (accelerator.is_main_process and sys.stderr.isatty()):
        disable_progress_bars()
    return accelerator


def _facts(accelerator: Accelerator, bare: PreTrainedModel, data: TrainingData) -> dict[str, Any]:
    """What the run must find again when it goes on, and the dataset's digest."""
    return {
        **data.facts,
        "dataset": data.digest,
        "tokenizer": bare.config.tokenizer_digest,
        "parameters": sum(parameter.numel() for parameter in bare.parameters()),
        "processes": accelerator.num_processes,
        "device": accelerator.device.type,
        "mixed_precision": accelerator.mixed_precision,
    }


def _prepare(
    config: TrainConfig,
    accelerator: Accelerator,
    tokenizer: PreTrainedTokenizerFast,
    data: TrainingData,
    bare: PreTrainedModel,
    going_on: bool,
) -> Run:
    model: Any = TokenLoss(bare, config.optim.label_smoothing)
    model, optimizer = accelerator.prepare(model, make_optimizer(model, config.optim))
    schedule = make_schedule(optimizer, config.optim, config.limits.max_steps)
    progress = Progress(split=config.optim.split)
    settle_buckets(accelerator, model, data.train)
    keep_weights_out(accelerator)
    accelerator.register_for_checkpointing(schedule, progress)
    set_seed(config.seed, device_specific=True)  # from here on each process has dropout of its own
    if going_on:
        load_state(accelerator, config.out / "last")
        progress.split = max(progress.split, config.optim.split)
    watch = Watch(accelerator, progress, bare.config.vocab_size, data.ids)
    return Run(config, accelerator, tokenizer, data, model, optimizer, schedule, progress, watch)


def settle_buckets(accelerator: Accelerator, model: Any, pairs: Pairs) -> None:
    """Let DDP lay its buckets of gradients out for good, by a backward pass that counts nowhere.

    It does so after the first one, and the layout decides in which order three processes or more
    are added up: a resumed run's first update would differ from the same one of the whole run.
    """
    if isinstance(model, DistributedDataParallel):
        shortest = np.argsort(pairs.sources.lengths, kind="stable")[:1]
        accumulate_gradient(accelerator, model, pairs, [shortest] * accelerator.num_processes)
        model.zero_grad()
