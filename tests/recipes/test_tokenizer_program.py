"""What tokenizer/train.py refuses before it reads anything."""

import pytest
from small_juice import fails
from test_predict import load_program


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "words"}, "--kind words: no model for --format.task code takes it; bash has"),
        (
            {"kind": "words", "format.task": "bash", "merges": 9},
            "--merges 9: means nothing with --kind words",
        ),
        ({"min_count": 2}, "--min_count 2: means nothing with --kind bpe"),
        ({"format.level": "char"}, "format.level: char means nothing with format.task code"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options, said, tmp_path, monkeypatch, capsys):
    program, out = load_program("tokenizer/train.py"), tmp_path / "tokenizer"
    assert said in fails(program, monkeypatch, capsys, data="nowhere", out=out, **options)
    assert not out.exists()
