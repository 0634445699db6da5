from __future__ import annotations

from pathlib import Path

import pytest
from small_juice import write_juice
from small_runs import rows

from nl2code.tokenization import train_tokenizer


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("train")
    splits = {"train": rows("train", 40), "dev": rows("dev", 12)}
    (folder / "juice").mkdir()
    write_juice(folder / "juice", splits)
    texts = [" ".join(one["code_tokens_clean"]) for one in splits["train"]]
    train_tokenizer(texts, merges=30).save_pretrained(folder / "tokenizer")
    return folder
