"""With --only_parsing the best beam that is Python answers."""

import pytest
from test_predict import checkpoint, data, load_program  # noqa: F401  (fixtures)

from nl2code.errors import UserError
from nl2code.jsonl import read_jsonl
from nl2code.linearisation import InputFormat, save_input_format

BEAMS = ["f (", "f ( x )", "g"]


@pytest.fixture
def predict(checkpoint, data, tmp_path, monkeypatch):  # noqa: F811
    """Run the recipe with a search that finds the same beams for every source."""
    program = load_program("recipes/predict.py")

    def search(model, tokenizer, asked, how, others):
        return [BEAMS for _ in asked]

    def run(*options):
        monkeypatch.setattr(program, "search", search)
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
        out = tmp_path / "predictions.jsonl"
        arguments = ["--checkpoint", checkpoint, "--data", data, "--out", out, "--split", "test"]
        beams = ["--num_beams", "3", "--overwrite"]
        monkeypatch.setattr("sys.argv", ["predict.py", *map(str, arguments), *beams, *options])
        program.main()
        return list(read_jsonl(out))

    return run


def test_the_best_beam_that_parses_answers(predict, capsys) -> None:
    assert {line["prediction"] for line in predict()} == {"f ("}
    assert "do not parse" not in capsys.readouterr().out
    assert {line["prediction"] for line in predict("--only_parsing")} == {"f ( x )"}
    assert "all of them parse" in capsys.readouterr().out


def test_candidates_stay_as_many_as_asked_for(predict) -> None:
    lines = predict("--only_parsing", "--candidates", "2")
    assert {tuple(line["candidates"]) for line in lines} == {("f ( x )", "g")}


def test_where_no_beam_parses_the_best_stays_and_is_counted(predict, monkeypatch, capsys) -> None:
    monkeypatch.setattr("test_predict_parsing.BEAMS", ["f (", ") f", "= g"])
    assert {line["prediction"] for line in predict("--only_parsing")} == {"f ("}
    assert "5 of them do not parse: none of 3 beams did" in capsys.readouterr().out


def test_api_sequences_cannot_be_asked_to_parse(predict, checkpoint) -> None:  # noqa: F811
    save_input_format(InputFormat(task="api"), checkpoint)
    with pytest.raises(UserError, match=r"--only_parsing: .* writes API sequences"):
        predict("--only_parsing")
    save_input_format(InputFormat(), checkpoint)
