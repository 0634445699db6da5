"""The evaluate modules of Bash load from the repository's root and add nothing."""

from pathlib import Path

import evaluate
import pytest

from nl2code.metrics import bash

ROOT = Path(__file__).parents[2]
FLAT, RANKED = ["ls -l", "wc"], [["ls", "ls -l"], ["wc", "wc -l", "pwd"]]
ONE, SEVERAL = ["ls -a", "wc -l"], [["ls -a"], ["wc", "wc -c"]]


@pytest.mark.parametrize("references", [ONE, SEVERAL], ids=["one", "several"])
@pytest.mark.parametrize("predictions", [FLAT, RANKED], ids=["flat", "ranked"])
@pytest.mark.parametrize("name", ["command_match", "template_match", "char_bleu", "tm", "nlc2cmd"])
def test_a_module_is_its_pure_function(monkeypatch, name, predictions, references):
    monkeypatch.chdir(ROOT)
    module = evaluate.load(f"./metrics/{name}", keep_in_memory=True)
    got = module.compute(predictions=predictions, references=references, k=2)
    score = getattr(bash, name)(predictions, references, 2)
    assert got == {name: score.value, "signature": score.signature}
    assert "|k:2|" in got["signature"]
