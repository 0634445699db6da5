"""A built folder in the cache of `datasets`: what `load_dataset` serves offline by its name."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import datasets
from datasets.exceptions import DatasetGenerationError

from nl2code.corpus.juice import Juice, let_default_be_newest
from nl2code.errors import UserError, sentence


def install(
    folder: Path, builder_of: Callable[[Path], datasets.ArrowBasedBuilder] = Juice.of
) -> None:
    """Prepare the built folder into the cache, where `load_dataset` finds it offline by its name.

    Raises:
        UserError: The cache cannot be written.
    """
    datasets.disable_progress_bars()
    try:
        builder = builder_of(folder)
        builder.download_and_prepare()
        prepared = Path(builder.cache_dir)
        os.utime(prepared)  # the newest is what `load_dataset` serves
        if builder.config.name != builder.DEFAULT_CONFIG_NAME:
            let_default_be_newest(prepared, builder.DEFAULT_CONFIG_NAME)
    except (OSError, DatasetGenerationError) as error:
        cause = sentence(error.__cause__ or error)
        raise UserError(
            f"{folder} is built and whole, but cannot be prepared into the cache"
            f" {datasets.config.HF_DATASETS_CACHE}: {cause}; --no-install leaves the cache alone"
        ) from None
    for older in prepared.parent.iterdir():
        if older != prepared and f'"{builder.name}"' in _builder_of(older):
            shutil.rmtree(older)


def _builder_of(prepared: Path) -> str:
    """What an entry of the cache says of the builder that made it."""
    try:
        info = (prepared / "dataset_info.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return "".join(re.findall(r'"builder_name": *"[^"]*"', info))
