"""With --fill_in an answer goes on in the code that its cell gives."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from datasets import Dataset
from test_predict import checkpoint, load_program, row  # noqa: F401  (a fixture)

from nl2code.errors import UserError
from nl2code.given_code import Given
from nl2code.jsonl import read_jsonl
from nl2code.linearisation import InputFormat, save_input_format
from nl2code.questions import Question

GIVEN = "def f(x):\n    # YOUR CODE HERE\n    return y"
BEAMS = ["return y", "y = x NEWLINE return y"]


@pytest.fixture
def predict(checkpoint, tmp_path, monkeypatch):  # noqa: F811
    """Run the recipe on two rows, of which the second gives code, with the same beams for both."""
    folder = tmp_path / "given"
    folder.mkdir()
    rows = [
        row(0, "load") | {"boilerplate_code": None},
        row(1, "fit") | {"boilerplate_code": GIVEN},
    ]
    Dataset.from_list(rows).to_parquet(folder / "test.parquet")
    program = load_program("recipes/predict.py")

    def search(model, tokenizer, asked, how, others):
        run.begun |= {tokenizer.decode(one.begun) for one in asked}
        return [BEAMS for _ in asked]

    def run(*options):
        run.begun = set()
        monkeypatch.setattr(program, "search", search)
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
        out = tmp_path / "predictions.jsonl"
        places = ["--checkpoint", checkpoint, "--data", folder, "--out", out, "--split", "test"]
        monkeypatch.setattr("sys.argv", ["predict.py", *map(str, places), "--overwrite", *options])
        program.main()
        return [line["prediction"] for line in read_jsonl(out)]

    return run


def test_an_answer_goes_on_in_the_given_code_and_leaves_its_end_out(predict, capsys) -> None:
    assert predict("--fill_in") == ["return y", "y = x"]
    assert "\n1 of them go on in the code that is given" in capsys.readouterr().out
    assert {text.strip() for text in predict.begun} == {"", "def f ( x ) : NEWLINE INDENT"}


def test_without_it_the_given_code_changes_nothing(predict) -> None:
    assert predict() == ["return y", "return y"]
    assert predict.begun == {""}


def test_answers_begun_before_what_is_given_below_has_changed_do_not_count() -> None:
    program = load_program("recipes/predict.py")
    config = program.PredictConfig(Path("c"), "d", Path("o"))
    one, other = (Question([], [], Given(after=after), {}) for after in ((), ("NEWLINE", "x")))
    assert program.what_counts(config, [one]) != program.what_counts(config, [other])


def test_only_code_is_filled_in(predict, checkpoint) -> None:  # noqa: F811
    save_input_format(InputFormat(task="api"), checkpoint)
    with pytest.raises(UserError, match=r"--fill_in: .* does not write code"):
        predict("--fill_in")
    save_input_format(InputFormat(), checkpoint)


def test_what_is_given_takes_up_positions_too() -> None:
    program = load_program("recipes/predict.py")
    config = program.PredictConfig(Path("c"), "d", Path("o"), max_new_tokens=20)
    model = SimpleNamespace(config=SimpleNamespace(max_position_embeddings=24))
    program.check_positions(config, model, given=4)
    with pytest.raises(UserError, match="at most 24 tokens, of which --fill_in takes up to 5"):
        program.check_positions(config, model, given=5)
