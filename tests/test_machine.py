from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from nl2code.errors import UserError
from nl2code.machine import check_device, remark_on_precision, suit_deepspeed
from nl2code.training_config import OptimConfig


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({"ACCELERATE_USE_CPU": "False", "ACCELERATE_MIXED_PRECISION": "bf16"}, "bf16"),
        ({"WORLD_SIZE": "4", "ACCELERATE_MIXED_PRECISION": "no"}, "several processes"),
        ({"WORLD_SIZE": "1", "ACCELERATE_USE_FSDP": "true"}, "FSDP"),
        ({"WORLD_SIZE": "1", "ACCELERATE_USE_DEEPSPEED": "true"}, "DeepSpeed"),
    ],
)
def test_a_config_for_gpus_is_refused_without_one(
    environment: dict[str, str], asked: str, no_gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=f"asks for {asked} on a GPU, but this machine has none"):
        check_device(environment)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    check_device(environment)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"ACCELERATE_USE_CPU": "False", "ACCELERATE_MIXED_PRECISION": "no"},  # no config file
        {"ACCELERATE_USE_CPU": "True", "ACCELERATE_MIXED_PRECISION": "bf16"},
        {"ACCELERATE_MIXED_PRECISION": "bf16"},
        {"ACCELERATE_USE_CPU": "true", "WORLD_SIZE": "2"},
    ],
)
def test_what_runs_on_a_cpu_passes(environment: dict[str, str], no_gpu: None) -> None:
    check_device(environment)


@pytest.mark.parametrize(
    ("device", "precision", "can"),
    [
        ("cpu", "bf16", {"avx512_f": True, "avx512_bf16": True}),
        ("cpu", "bf16", {"avx512_bf16": False, "amx_bf16": True}),
        ("cpu", "bf16", {"neon": True, "bf16": True}),
        ("cpu", "no", {"avx512_bf16": False}),
        ("cuda", "bf16", {"avx512_bf16": False}),
    ],
)
def test_a_precision_that_the_machine_has_needs_no_remark(
    device: str, precision: str, can: dict[str, bool]
) -> None:
    assert remark_on_precision(device, precision, can) is None


def test_emulated_bf16_is_said_to_be_slow() -> None:
    said = remark_on_precision("cpu", "bf16", {"avx512_f": True, "avx512_bf16": False})
    assert said == (
        "this CPU has no bf16 instructions: --mixed_precision no would be several times faster"
    )


def test_deepspeed_is_told_what_a_data_loader_would_tell() -> None:
    plugin = SimpleNamespace(deepspeed_config={"train_micro_batch_size_per_gpu": "auto"})
    suit_deepspeed(plugin, OptimConfig())
    assert plugin.deepspeed_config == {"train_micro_batch_size_per_gpu": 1}
    suit_deepspeed(None, OptimConfig(accumulate=2))


@pytest.mark.parametrize("name", ["accumulate", "split"])
def test_deepspeed_takes_one_backward_pass_an_update(name: str) -> None:
    with pytest.raises(UserError, match=f"optim.{name}: 2 does not go with DeepSpeed"):
        suit_deepspeed(SimpleNamespace(deepspeed_config={}), OptimConfig(**{name: 2}))
