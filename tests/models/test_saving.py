"""A saved LSTM comes back the same, here and where nobody has this package."""

import os
import subprocess
import sys

import pytest
import torch
from transformers import AutoConfig, AutoModelForSeq2SeqLM

from nl2code.models import LSTMForConditionalGeneration, LSTMSeq2SeqConfig

STRANGER = """
import sys
sys.modules["nl2code"] = None  # an import of it would fail
import torch
from transformers import AutoModelForSeq2SeqLM
model = AutoModelForSeq2SeqLM.from_pretrained(sys.argv[1], trust_remote_code=True)
print(model.generate(torch.tensor([[5, 9, 4]]), num_beams=5, max_new_tokens=6).tolist())
"""


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("tie", [False, True])
def test_a_saved_model_comes_back_through_the_auto_classes(
    make_lstm, sources, tmp_path, share, tie
) -> None:
    model = make_lstm(embedding_size=8, share_embeddings=share, tie_word_embeddings=tie)
    model.save_pretrained(tmp_path)
    assert isinstance(AutoConfig.from_pretrained(tmp_path), LSTMSeq2SeqConfig)
    loaded = AutoModelForSeq2SeqLM.from_pretrained(tmp_path).eval()
    assert isinstance(loaded, LSTMForConditionalGeneration)
    labels = torch.tensor([[5, 9, 2], [7, 2, -100], [2, -100, -100]])
    assert torch.equal(
        loaded(*sources, labels=labels).logits, model(*sources, labels=labels).logits
    )
    target = loaded.encoder.embedding if share else loaded.target_embedding
    assert (loaded.lm_head.weight is target.weight) == tie
    settings = {"attention_mask": sources[1], "num_beams": 5, "max_new_tokens": 6}
    assert torch.equal(
        loaded.generate(sources[0], **settings), model.generate(sources[0], **settings)
    )


@pytest.mark.slow  # a second interpreter imports torch and transformers
def test_a_stranger_without_this_package_can_load_and_use_the_folder(make_lstm, tmp_path) -> None:
    model = make_lstm()
    model.save_pretrained(tmp_path / "model")
    environment = {**os.environ, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"}
    finished = subprocess.run(
        [sys.executable, "-c", STRANGER, str(tmp_path / "model")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    ours = model.generate(torch.tensor([[5, 9, 4]]), num_beams=5, max_new_tokens=6)
    assert finished.stdout.strip() == str(ours.tolist())
