"""Every config loads; those of the paper's runs build its models, with all that it states."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from small_juice import recipe
from test_predict import load_program
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

from nl2code.config import read_config, save_config
from nl2code.format_checks import check_format, check_made_for
from nl2code.models import build_model
from nl2code.training import TokenLoss
from nl2code.training_config import TrainConfig, check_numbers, tokenizer_name

CONFIGS = Path(__file__).parents[2] / "recipes" / "configs"
ALL = sorted(path.stem for path in CONFIGS.glob("*.yaml"))
# [api-] model -k K - N, as in `api-lstm-k3-100k`
PAPER = re.compile(r"(api-)?(lstm|transformer)-k(\d)-(\d+k|full)")
RUNS = {name: found for name in ALL if (found := PAPER.fullmatch(name))}

VOCABULARY = 10_267
"""Three special tokens, 256 bytes, 10,000 merges, five markers, three words of layout."""

SIZES = {
    "100k": 100_000, "200k": 200_000, "400k": 400_000, "800k": 800_000, "full": None,
}  # fmt: skip

STATED: dict[str, dict[str, Any]] = {
    # Section 7.1, and the settings of the authors' trainer.
    "lstm": {
        "optim.lr": 1e-3,
        "optim.schedule": "plateau",
        "optim.patience": 0,
        "optim.warmup_steps": 0,
        "optim.betas": (0.9, 0.98),
        "optim.clip_norm": 5.0,
        "optim.weight_decay": 0.0,
        "optim.label_smoothing": 0.0,
        "optim.batch_tokens": 12_000,
        "optim.accumulate": 1,
        "limits.max_epochs": 40,
    },
    "transformer": {
        "optim.lr": 5e-4,
        "optim.schedule": "inverse_sqrt",
        "optim.warmup_steps": 2_000,
        "optim.betas": (0.9, 0.98),
        "optim.weight_decay": 1e-4,
        "optim.label_smoothing": 0.1,
        "optim.batch_tokens": 12_000,
        "limits.max_epochs": 200,
    },
    "both": {
        "format.context_tokens": 75,
        "format.scheme": "juice",
        "format.cut_target_nl": False,
        "format.target_comments_in_input": False,
        "data.max_target_tokens": 250,
        "limits.max_steps": None,
        "limits.max_minutes": None,
        "eval.epochs": 1,  # the best epoch by dev loss is kept
        "eval.steps": None,
        "eval.minutes": None,
    },
}

STATED_OF_MODEL: dict[str, dict[str, Any]] = {
    "lstm": {
        "embedding_size": 1024,
        "hidden_size": 1024,
        "layers": 2,
        "dropout": 0.5,
        "input_feeding": True,
        "share_embeddings": False,
        "tie_word_embeddings": False,
    },
    "transformer": {
        "d_model": 512,
        "encoder_layers": 6,
        "decoder_layers": 6,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 1024,
        "decoder_ffn_dim": 1024,
        "dropout": 0.3,
        "share_encoder_decoder_embeddings": True,
        "tie_word_embeddings": True,
    },
}


def read(name: str) -> TrainConfig:
    return read_config(TrainConfig, ["--config", str(CONFIGS / f"{name}.yaml"), "--out", "runs/x"])


def setting(config: Any, name: str) -> Any:
    for part in name.split("."):
        config = getattr(config, part)
    return config


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    tokens = ["<pad>", "<s>", "</s>", *map(str, range(VOCABULARY - 3))]
    words = models.WordLevel({token: place for place, token in enumerate(tokens)}, "<pad>")
    special = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), **special)


@pytest.mark.parametrize("name", ALL)
def test_every_config_loads_and_names_its_command(name, tokenizer) -> None:
    command = f"# accelerate launch recipes/train.py --config recipes/configs/{name}.yaml --out "
    assert (CONFIGS / f"{name}.yaml").read_text().startswith(f"{command}runs/{name}\n")
    config = read(name)
    check_numbers(config)
    check_format(config.format)
    if config.model.type != "pretrained":
        with torch.device("meta"):
            TokenLoss(build_model(config.model, tokenizer), config.optim.label_smoothing)


@pytest.mark.parametrize("name", [name for name in ALL if name.startswith("nl2bash")])
def test_the_tokenizer_that_a_config_says_to_make_is_for_it(name, tmp_path) -> None:
    text = (CONFIGS / f"{name}.yaml").read_text()
    words = re.search(r"Tokenizer: python tokenizer/train.py (.*)", text)[1].split()
    program = load_program("tokenizer/train.py")
    config = read_config(program.TokenizerConfig, words)
    program.check_options(config)
    save_config(config, tmp_path / "config.yaml")
    check_made_for(str(tmp_path), read(name).format)
    assert str(config.out) == read(name).tokenizer


STATED_OF_BASH = {
    # NL2Bash, section 5: Adam at 1e-4 all along, norms up to 5; it stops early by the dev loss.
    "optim.lr": 1e-4,
    "optim.schedule": "constant",
    "optim.warmup_steps": 0,
    "optim.cooldown_steps": 0,
    "optim.betas": (0.9, 0.999),
    "optim.clip_norm": 5.0,
    "optim.weight_decay": 0.0,
    "optim.label_smoothing": 0.0,
    "optim.accumulate": 1,
    "eval.metric_for_best_model": "dev_loss",
    "eval.steps": 1000,
    "limits.max_steps": 16000,  # four times 4,000
    "limits.max_minutes": None,
}
SYSTEMS = [name for name in ALL if re.fullmatch("nl2bash-(seq2seq-.*|copynet-.*|tellina)", name)]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_of_nl2bash_is_trained_as_its_paper_says(name: str, tokenizer) -> None:
    config = read(name)
    for key, value in STATED_OF_BASH.items():
        assert setting(config, key) == value, key
    with torch.device("meta"):
        model = build_model(config.model, tokenizer)
    assert (model.config.hidden_size, model.config.dropout) == (400, 0.4)
    assert model.config.copying == ("copynet" in name)


def test_the_seven_systems_of_nl2bash_have_configs() -> None:
    assert len(SYSTEMS) == 7


def test_every_run_of_tables_6_and_7_has_a_config() -> None:
    tables = {f"lstm-{run}" for run in ("k1-100k", "k3-100k", "k3-full")}
    tables |= {f"api-{name}" for name in tables}
    assert tables | {"transformer-k1-100k", "transformer-k3-100k"} <= set(RUNS)
    for api in ("", "api-"):
        assert {f"{api}lstm-k{k}-100k" for k in (1, 3, 5, 7, 9)} <= set(RUNS)
        assert {f"{api}lstm-k3-{size}" for size in SIZES} <= set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_a_papers_run_is_resolved_to_what_its_name_and_the_paper_say(name: str) -> None:
    api, kind, cells, size = RUNS[name].groups()
    config = read(name)
    assert config.format.task == ("api" if api else "code")
    assert config.model.type == kind
    assert config.format.context_cells == int(cells)
    assert config.data.train_examples == SIZES[size]
    # 250 for three cells; with as much for each further one, the farthest cells are still read.
    assert config.data.max_source_tokens == {5: 420, 7: 580, 9: 750}.get(int(cells), 250)
    for key, value in (STATED[kind] | STATED["both"]).items():
        assert setting(config, key) == value, key


@pytest.mark.parametrize("name", RUNS)
def test_a_papers_run_builds_the_model_counted_by_hand(name: str, tokenizer) -> None:
    kind = RUNS[name][2]
    with torch.device("meta"):
        model = build_model(read(name).model, tokenizer)
    learnt = sum(value.numel() for value in model.parameters() if value.requires_grad)
    assert learnt == {"lstm": lstm_parameters, "transformer": transformer_parameters}[kind](
        VOCABULARY
    )
    for key, value in STATED_OF_MODEL[kind].items():
        assert getattr(model.config, key) == value, key


def lstm_parameters(vocabulary: int) -> int:
    """V = vocabulary, d = 1024 (embeddings, states), two layers, input feeding."""
    d, half, gates, biases = 1024, 512, 4, 2
    embeddings = 2 * vocabulary * d  # of the source and of the target
    one_way = gates * half * (d + half + biases)  # both layers read d numbers
    encoder = 2 * 2 * one_way  # layers, directions
    first = gates * d * ((d + d) + d + biases)  # embedding and fed output, then the state
    second = gates * d * (d + d + biases)
    attention = d * d + d * 2 * d  # h W m, then W_c [c; h]
    output = vocabulary * d + vocabulary
    return embeddings + encoder + first + second + attention + output


def transformer_parameters(vocabulary: int) -> int:
    """V = vocabulary, d = 512, inner layers of 1024, 6 + 6 layers, one table, fixed positions."""
    d, inner = 512, 1024
    attention = 4 * (d * d + d)  # queries, keys, values, output
    feed_forward = (d * inner + inner) + (inner * d + d)
    norm = 2 * d
    encoder = 6 * (attention + feed_forward + 2 * norm)
    decoder = 6 * (2 * attention + feed_forward + 3 * norm)
    return vocabulary * d + encoder + decoder


def test_beam_5_and_10000_merges_are_the_defaults() -> None:
    fields = dataclasses.fields(recipe("predict").PredictConfig)
    assert {field.name: field.default for field in fields}["num_beams"] == 5
    program = (CONFIGS.parents[1] / "tokenizer" / "train.py").read_text()
    assert "merges: int = 10_000\n" in program


def test_only_a_pretrained_model_brings_its_own_tokenizer() -> None:
    assert tokenizer_name(read("codet5")) == "Salesforce/codet5-base"
    assert tokenizer_name(read("lstm-k3-100k")) == "tokenizer/juice-10k"
    assert tokenizer_name(read("smoke")) == "tokenizer/demo"
