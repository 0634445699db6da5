"""Pretrained encoder-decoders and their own tokenizers learn the words of our texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from datasets import Dataset
from small_juice import row
from tiny_pretrained import KINDS, make_pretrained
from tokenizers import processors
from transformers import AutoModelForSeq2SeqLM, PreTrainedModel

from nl2code.batches import collate
from nl2code.encoding import encode, tokenize
from nl2code.errors import UserError
from nl2code.linearisation import MARKERS, STRUCTURE, InputFormat, read_prediction
from nl2code.models import ModelConfig, build_model
from nl2code.models.lora import merged
from nl2code.models.saving import load_weights, save_weights
from nl2code.tokenization import check_tokenizer, load_tokenizer
from nl2code.training import TokenLoss

CODE = "if x : NEWLINE INDENT y = 'jupyter_string' NEWLINE fit ( x , y )"
ALL = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("pretrained")
    return {kind: make_pretrained(kind, base / kind) for kind in KINDS}


def built(folder: Path, **options: Any) -> tuple[PreTrainedModel, Any]:
    tokenizer = load_tokenizer(folder)
    torch.manual_seed(1)
    model = build_model(ModelConfig("pretrained", str(folder), **options), tokenizer)
    return model, tokenizer


def batch(model: PreTrainedModel, tokenizer: Any) -> dict[str, torch.Tensor]:
    made = [row("a", "Fit x .", CODE, above=[("code", "x = 1")]), row("b", "Plot .", "plot ( x )")]
    pairs, _ = encode(Dataset.from_list(made), tokenizer, InputFormat(), (250, 250))
    return collate(pairs, np.arange(2), model.config)


@ALL
def test_each_word_of_ours_becomes_one_token_with_a_row(folders, kind) -> None:
    model, tokenizer = built(folders[kind])
    for word in [*MARKERS.values(), *(f"x {word}" for word in (*STRUCTURE, "'jupyter_string'"))]:
        last = tokenizer(word, add_special_tokens=False)["input_ids"][-1]
        assert tokenizer.convert_ids_to_tokens(last).strip() == word.removeprefix("x ")
    blank = tokenizer("Fit .", add_special_tokens=False)["input_ids"]
    marked = tokenizer("Fit . <code>", add_special_tokens=False)["input_ids"]
    assert marked[:-1] == blank  # the blank before a marker costs nothing
    rows = {table.weight.size(0) for table in (model.get_input_embeddings(), model.lm_head)}
    assert rows == {model.config.vocab_size} == {len(tokenizer)}
    check_tokenizer(tokenizer, model.config)


@ALL
def test_a_new_row_is_the_mean_of_its_pieces_and_the_old_ones_stay(folders, kind) -> None:
    old, bare = AutoModelForSeq2SeqLM.from_pretrained(folders[kind]), load_tokenizer(folders[kind])
    model, tokenizer = built(folders[kind])
    before, after = (one.get_input_embeddings().weight for one in (old, model))
    assert torch.equal(after[: len(bare)], before[: len(bare)])
    for word in ("<code>", " NEWLINE"):
        pieces = bare(word, add_special_tokens=False)["input_ids"]
        assert len(pieces) > 1
        new = tokenizer(f"x{word}", add_special_tokens=False)["input_ids"][-1]
        torch.testing.assert_close(after[new], before[pieces].mean(0))


@ALL
def test_a_target_comes_back_token_by_token(folders, kind) -> None:
    _, tokenizer = built(folders[kind])
    for text in (CODE, "x . y ( n , 'a' ) ; y", "plot"):
        ids = tokenizer(text)["input_ids"]
        assert read_prediction(tokenizer.decode(ids, skip_special_tokens=True)) == text


@ALL
def test_another_library_never_reads_a_pretrained_models_tokenizer(
    folders, kind, monkeypatch
) -> None:
    monkeypatch.setattr("nl2code.encoding._fast_tokenizer", lambda definition: pytest.fail(kind))
    _, tokenizer = built(folders[kind])
    assert tokenize([CODE], tokenizer) == [tokenizer(CODE)["input_ids"]]


def test_text_that_looks_like_the_end_is_no_end(folders) -> None:
    _, tokenizer = built(folders["codet5"])
    ids = tokenizer("x </s> y")["input_ids"]
    assert ids.count(tokenizer.eos_token_id) == 1
    assert tokenizer.decode(ids, skip_special_tokens=True) == "x </s> y"


@ALL
def test_the_loss_is_the_models_own_for_its_own_first_token_and_end(folders, kind) -> None:
    model, tokenizer = built(folders[kind])
    one = batch(model, tokenizer)
    start = {"codet5": "<pad>", "t5": "<pad>", "plbart": "__python__"}[kind]
    assert {tokenizer.convert_ids_to_tokens(int(i)) for i in one["decoder_input_ids"][:, 0]} == {
        start
    }
    ends = one["labels"] == tokenizer.eos_token_id
    assert ends.sum() == 2
    assert ends[-1]
    loss = TokenLoss(model).eval()(**one)
    labels = torch.full_like(one["decoder_input_ids"], -100).flatten()
    labels[one["positions"]] = one["labels"]
    inputs = {name: one[name] for name in ("input_ids", "attention_mask", "decoder_input_ids")}
    own = model(**inputs, labels=labels.view_as(one["decoder_input_ids"])).loss
    torch.testing.assert_close(loss, own * len(one["labels"]))


def test_the_languages_of_plbart_end_its_source_and_never_its_target(folders) -> None:
    tokenizer = load_tokenizer(folders["plbart"])
    tokenizer.src_lang = "en_XX"
    model = build_model(ModelConfig("pretrained", str(folders["plbart"])), tokenizer)
    one = batch(model, tokenizer)
    assert tokenizer.convert_ids_to_tokens(one["input_ids"][0].tolist())[-2:] == [
        "</s>",
        "__en_XX__",
    ]
    assert one["labels"][-1] == tokenizer.eos_token_id


def test_a_model_saved_in_half_precision_trains_in_single(tmp_path) -> None:
    model, _ = built(make_pretrained("codet5", tmp_path / "half", torch.bfloat16))
    assert {value.dtype for value in model.parameters()} == {torch.float32}


@ALL
def test_a_trained_model_taught_our_words_already_learns_none(folders, kind, tmp_path) -> None:
    model, tokenizer = built(folders[kind])
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    again, same = built(tmp_path)
    assert same.get_vocab() == tokenizer.get_vocab()
    assert torch.equal(again.get_input_embeddings().weight, model.get_input_embeddings().weight)
    assert again.config.decoder_start_token_id == model.config.decoder_start_token_id


def without_end(tokenizer: Any) -> None:
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(single="$A")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tokenizer: tokenizer.add_tokens(["one", "more"]), "does not match the model"),
        (lambda tokenizer: setattr(tokenizer, "pad_token", "<s>"), "pad 1, eos 2: does not match"),
        (lambda tokenizer: setattr(tokenizer, "eos_token", "<s>"), "pad 0, eos 1: does not match"),
        (without_end, "ends no text with its eos"),
    ],
)
def test_a_tokenizer_of_another_model_is_refused(folders, change, message) -> None:
    tokenizer = load_tokenizer(folders["codet5"])
    change(tokenizer)
    with pytest.raises(UserError, match=message):
        build_model(ModelConfig("pretrained", str(folders["codet5"])), tokenizer)


@pytest.mark.parametrize("content", [None, '{"model_type": "gpt2"}', '{"model_type": "t5"}'])
def test_a_folder_that_holds_no_encoder_decoder_is_refused(folders, tmp_path, content) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(UserError, match=r"model.name_or_path: .* cannot be read: .") as caught:
        build_model(ModelConfig("pretrained", str(tmp_path)), load_tokenizer(folders["codet5"]))
    assert "\n" not in str(caught.value)


def trained(model: PreTrainedModel, tokenizer: Any, steps: int = 3) -> PreTrainedModel:
    """After a few steps that change all that is learnt."""
    learnt = [value for value in model.parameters() if value.requires_grad]
    optimizer = torch.optim.Adam(learnt, lr=0.05)
    loss = TokenLoss(model)
    for _ in range(steps):
        loss(**batch(model, tokenizer)).backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.eval()


def logits(model: PreTrainedModel, tokenizer: Any) -> torch.Tensor:
    one = batch(model, tokenizer)
    names = ("input_ids", "attention_mask", "decoder_input_ids")
    with torch.inference_mode():
        return model.eval()(**{name: one[name] for name in names}).logits


@ALL
def test_lora_learns_little_but_the_new_rows(folders, kind) -> None:
    model, tokenizer = built(folders[kind], lora_rank=2)
    whole, _ = built(folders[kind])
    torch.testing.assert_close(logits(model, tokenizer), logits(whole, tokenizer))
    trained(model, tokenizer)
    assert all(
        "lora_" in name or "trainable_tokens_delta" in name
        for name, value in model.named_parameters()
        if value.requires_grad
    )
    after, before = (one.get_input_embeddings().weight for one in (merged(model), whole))
    changed = (after != before).any(1).nonzero().flatten().tolist()
    assert changed == list(range(len(load_tokenizer(folders[kind])), len(tokenizer)))


def test_alpha_and_dropout_of_lora_are_those_given(folders) -> None:
    given, _ = built(folders["codet5"], lora_rank=2, lora_alpha=3, lora_dropout=0.25)
    default, _ = built(folders["codet5"], lora_rank=2)
    settings = [one.peft_config["default"] for one in (given, default)]
    assert [(one.lora_alpha, one.lora_dropout) for one in settings] == [(3, 0.25), (4, 0.0)]


@ALL
def test_what_is_saved_of_lora_is_an_ordinary_model_that_says_the_same(
    folders, kind, tmp_path
) -> None:
    model, tokenizer = built(folders[kind], lora_rank=2)
    trained(model, tokenizer)
    save_weights(model, {}, tmp_path)
    plain = AutoModelForSeq2SeqLM.from_pretrained(tmp_path)
    assert type(plain) is type(AutoModelForSeq2SeqLM.from_pretrained(folders[kind]))
    torch.testing.assert_close(logits(plain, tokenizer), logits(model, tokenizer))
    fresh, _ = built(folders[kind], lora_rank=2)
    assert not torch.allclose(logits(fresh, tokenizer), logits(model, tokenizer))
    load_weights(fresh, tmp_path)
    assert torch.equal(logits(fresh, tokenizer), logits(model, tokenizer))


def test_lora_does_not_go_on_upon_another_model(folders, tmp_path) -> None:
    model, _ = built(folders["codet5"], lora_rank=2)
    (tmp_path / "last").mkdir()
    save_weights(model, {}, tmp_path / "last")
    other = AutoModelForSeq2SeqLM.from_pretrained(folders["codet5"])
    torch.nn.init.normal_(other.encoder.final_layer_norm.weight)
    other.save_pretrained(tmp_path / "other")
    load_tokenizer(folders["codet5"]).save_pretrained(tmp_path / "other")
    fresh, _ = built(tmp_path / "other", lora_rank=2)
    with pytest.raises(UserError, match="last: the run began from another model"):
        load_weights(fresh, tmp_path / "last")
