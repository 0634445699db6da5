"""Settings that mean nothing, and tokenizers that were made for other texts."""

import json

import pytest
import yaml

from nl2code.errors import UserError
from nl2code.format_checks import check_format, check_made_for
from nl2code.linearisation import InputFormat

BASH = {"task": "bash"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (BASH | {"context_cells": 1}, "context_cells: 1 means nothing with format.task bash"),
        (BASH | {"chosen_cells": 2}, "chosen_cells: 2 means"),
        (BASH | {"context_tokens": 9}, "context_tokens: 9 means"),
        (BASH | {"scheme": "lossless"}, "scheme: lossless means"),
        (BASH | {"cut_target_nl": True}, "cut_target_nl: True means"),
        (BASH | {"target_comments_in_input": True}, "target_comments_in_input: True means"),
        ({"level": "char"}, "level: char means nothing with format.task code"),
        ({"normalised_nl": True}, "normalised_nl: True means"),
        ({"copy_unknown": True}, "copy_unknown: True means nothing with format.task code"),
        ({"task": "api", "level": "char"}, "level: char means nothing with format.task api"),
        (
            BASH | {"level": "template", "normalised_nl": True},
            "normalised_nl: True means nothing with format.level template",
        ),
    ],
)
def test_a_setting_that_means_nothing_is_refused(settings, said):
    with pytest.raises(UserError, match=rf"^format\.{said}"):
        check_format(InputFormat(**settings))


def test_each_task_has_its_own_settings():
    check_format(InputFormat(context_cells=1, chosen_cells=2, scheme="lossless"))
    check_format(InputFormat(task="bash", level="char", normalised_nl=True, copy_unknown=True))


def made(folder, kind="words", **settings):
    """A tokenizer's folder, as far as it says what it was made for."""
    record = {"kind": kind, "format": settings}
    (folder / "config.yaml").write_text(yaml.safe_dump(record))
    return str(folder)


@pytest.mark.parametrize(
    ("was", "wanted", "said"),
    [
        (BASH | {"level": "char"}, BASH, "format.level char, and this is token"),
        (BASH | {"level": "template"}, BASH, "format.level template, and this is token"),
        (BASH, {}, "format.task bash, and this is code"),
        ({"task": "api"}, BASH, "format.task code, and this is bash"),
        (
            BASH | {"normalised_nl": True},
            BASH,
            "format.normalised_nl True, and this is False",
        ),
    ],
)
def test_a_tokenizer_for_other_texts_is_refused(tmp_path, was, wanted, said):
    with pytest.raises(UserError, match=f"tokenizer .*: it was made for {said};"):
        check_made_for(made(tmp_path, **was), InputFormat(**wanted))


def test_words_of_code_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"whole words, which are for format\.task bash only"):
        check_made_for(made(tmp_path, task="code"), InputFormat())


def test_a_checkpoints_tokenizer_is_for_what_the_checkpoint_reads(tmp_path):
    (tmp_path / "juice_input.json").write_text(json.dumps({"task": "bash", "level": "char"}))
    check_made_for(str(tmp_path), InputFormat(task="bash", level="char"))
    with pytest.raises(UserError, match=r"made for format\.level char"):
        check_made_for(str(tmp_path), InputFormat(task="bash"))


def test_a_tokenizer_that_fits_is_taken(tmp_path):
    of_code = made(tmp_path, kind="bpe", task="code", context_cells=3)
    check_made_for(of_code, InputFormat(task="api", context_cells=1, scheme="lossless"))
    templates = made(tmp_path, task="bash", level="template", normalised_nl=False)
    check_made_for(templates, InputFormat(task="bash", level="template"))


@pytest.mark.parametrize("text", ["a: [", "- 1", "format: 3", "data: {}"])
def test_a_tokenizer_that_says_nothing_is_taken(tmp_path, text):
    check_made_for(str(tmp_path), InputFormat())
    (tmp_path / "config.yaml").write_text(text)
    check_made_for(str(tmp_path), InputFormat(task="bash"))
