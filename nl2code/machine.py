"""Whether machine and run are what Accelerate's config was written for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import torch

from nl2code.errors import UserError
from nl2code.training_config import OptimConfig

_OFF = {"", "0", "false", "no"}


def check_device(environment: Mapping[str, str] = os.environ) -> None:
    """Raise a `UserError` when GPUs were asked for and there is none.

    Accelerate would train on the CPU, or stop with a traceback about its backend.

    Args:
        environment: What `accelerate launch` tells the processes that it starts.
    """

    def on(name: str) -> bool:
        return environment.get(name, "").lower() not in _OFF

    if torch.accelerator.is_available() or on("ACCELERATE_USE_CPU"):
        return
    # Without a config file the launcher says "False" too, but it leaves the precision alone.
    launched = "ACCELERATE_USE_CPU" in environment
    asked = {
        "several processes": int(environment.get("WORLD_SIZE", "1")) > 1,
        "FSDP": on("ACCELERATE_USE_FSDP"),
        "DeepSpeed": on("ACCELERATE_USE_DEEPSPEED"),
        environment.get("ACCELERATE_MIXED_PRECISION", ""): launched
        and on("ACCELERATE_MIXED_PRECISION"),
    }
    if found := [name for name, wanted in asked.items() if wanted]:
        raise UserError(
            f"accelerate launch asks for {found[0]} on a GPU, but this machine has none; it trains"
            " on a CPU with --cpu or --config_file recipes/accelerate/cpu.yaml, and takes"
            " --mixed_precision bf16 then, too"
        )


def remark_on_precision(
    device: str, precision: str, capabilities: Mapping[str, Any] | None = None
) -> str | None:
    """Say so when a CPU would train in a precision that it only emulates, several times slower.

    Args:
        device: Where it trains: `cpu`, `cuda`, …
        precision: Accelerate's mixed precision: `no`, `bf16`, `fp16`, `fp8`.
        capabilities: What the CPU can do; `None` for this machine's.
    """
    if device != "cpu" or precision != "bf16":
        return None
    can = torch.cpu.get_capabilities() if capabilities is None else capabilities
    if any(can.get(name) for name in ("amx_bf16", "avx512_bf16", "sve_bf16", "bf16")):
        return None
    return "this CPU has no bf16 instructions: --mixed_precision no would be several times faster"


def suit_deepspeed(plugin: Any, optim: OptimConfig) -> None:
    """Tell DeepSpeed, where it is asked for, what Accelerate cannot know without a data loader.

    Raises:
        UserError: An update of several backward passes, which DeepSpeed would make updates of.
    """
    if plugin is None:
        return
    for name in ("accumulate", "split"):
        if getattr(optim, name) > 1:
            raise UserError(
                f"optim.{name}: {getattr(optim, name)} does not go with DeepSpeed; use 1"
            )
    # Only its own counts of examples come from this number: our batches are of tokens.
    plugin.deepspeed_config["train_micro_batch_size_per_gpu"] = 1
