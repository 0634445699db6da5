"""Scoring Bash commands from end to end."""

import json

import pytest
from small_bash import pair, write_bash
from small_juice import cache_in, fails, recipe, run, write_lines

TEST = [
    pair("3", "List all", "ls -a /tmp"),
    pair("4", "list ALL", "ls -A  '/a  b'", cluster="list all"),
    pair("7", "Where am I", "pwd -P", leaks=True),
    pair("9", "Count lines", "wc -l f"),
]
ANSWERS = [
    {"id": "3", "prediction": "ls -A '/a  b'"},
    {"id": "7", "prediction": "pwd -P", "candidates": ["pwd -P"]},
    {"id": "9", "prediction": "wc f", "candidates": ["wc f", "x &&", "wc -l g", "wc -l f"]},
]
HEADER = "description,prediction,template,correct template,correct command\n"


@pytest.fixture(scope="module")
def score():
    return recipe("score")


@pytest.fixture
def options(tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    write_lines(tmp_path / "p.jsonl", ANSWERS)
    return {
        "task": "bash",
        "split": "test",
        "data": write_bash(tmp_path / "nl2bash", {"test": TEST}),
        "predictions": tmp_path / "p.jsonl",
        "out": tmp_path / "scores.json",
    }


def values(report):
    return {name: figure["value"] for name, figure in report["scores"].items()}


def scored(score, monkeypatch, **options):
    run(score, monkeypatch, **options)
    return json.loads(options["out"].read_text())


def test_an_instance_is_a_cluster_answered_by_its_first_pair(score, options, monkeypatch):
    report = scored(score, monkeypatch, **options)
    assert (report["rows"], report["pairs"], report["missing"]) == (3, 4, 0)
    # The second reference of "List all", and "pwd -P"; blanks in quotes count.
    assert values(report)["command_match@1"] == pytest.approx(2 / 3)
    second = {"id": "4", "prediction": "never read"}
    write_lines(options["predictions"], [second, *ANSWERS])
    again = scored(score, monkeypatch, overwrite="true", **options)
    assert values(again) == values(report)


def test_the_best_of_the_first_three_candidates_counts(score, options, monkeypatch):
    found = values(scored(score, monkeypatch, **options))
    assert found["template_match@1"] == pytest.approx(2 / 3)
    assert found["template_match@3"] == 1  # `wc -l g`, the third
    assert found["command_match@3"] == pytest.approx(2 / 3)  # the right one is the fourth
    # `wc f` for `wc -l f`: (1 + F) / 2 with F = (2 * 0 - 1) / 1.
    assert found["nlc2cmd@1"] == pytest.approx((1 + 1 + 0) / 3)
    assert found["nlc2cmd@3"] == 1
    assert found["tm@1"] == pytest.approx((1 + 1 + 1 / 2**0.5) / 3)
    assert found["char_bleu@1"] < found["char_bleu@3"] < 1


def test_scores_without_leaking_pairs_say_of_how_many(score, options, monkeypatch, capsys):
    report = scored(score, monkeypatch, **options)
    firm = report["without_leaks"]
    assert (firm["rows"], firm["pairs"]) == (2, 3)
    assert values(firm)["command_match@1"] == pytest.approx(1 / 2)
    shown = capsys.readouterr().out
    assert "2 rows without leaks" in shown
    for part, place in ((report, "rows:3|data:"), (firm, "rows:2|leaks:without|data:")):
        for name, figure in part["scores"].items():
            metric, k = name.split("@")
            assert figure["signature"].startswith(f"{metric}|nrefs:")
            assert f"|k:{k}|" in figure["signature"]
            assert f"|task:bash|split:test|{place}" in figure["signature"]
            assert f"{name}: {figure['signature']}\n" in shown


def test_where_nothing_leaks_there_is_one_column(score, options, tmp_path, monkeypatch):
    options["data"] = write_bash(tmp_path / "firm", {"test": [*TEST[:2], TEST[3]]})
    write_lines(options["predictions"], [ANSWERS[0], ANSWERS[2]])
    assert "without_leaks" not in scored(score, monkeypatch, **options)


def test_judgements_are_looked_up_as_a_lower_bound(score, options, tmp_path, monkeypatch, capsys):
    rows = "list all,ls -A '/a  b',ls -A File,y,y\nCount  lines,wc -c x,wc -c File,n,n\n"
    (tmp_path / "manual.evaluations.csv").write_text(HEADER + rows, encoding="utf-8")
    (tmp_path / "error.analysis.csv").write_text("other,columns\n", encoding="utf-8")
    report = scored(score, monkeypatch, judgements=tmp_path, **options)
    figures = report["scores"]
    assert figures["judged_f@1"]["value"] == figures["judged_t@3"]["value"] == pytest.approx(1 / 3)
    assert figures["judged_f@1"]["unjudged_share"] == pytest.approx(2 / 3)
    assert figures["judged_f@3"]["unjudged_share"] == pytest.approx(4 / 5)
    assert report["without_leaks"]["scores"]["judged_f@1"]["value"] == 1 / 2
    assert "|judgements:" in figures["judged_f@1"]["signature"]
    shown = capsys.readouterr().out
    assert "judged_f@1 is a lower bound, not the manual accuracy: nobody judged 66.7%" in shown


def test_other_judgements_are_another_signature(score, options, tmp_path, monkeypatch):
    signatures = set()
    for verdict in "yn":
        (tmp_path / "evaluations.csv").write_text(f"{HEADER}List all,ls,ls,{verdict},n\n")
        report = scored(score, monkeypatch, judgements=tmp_path, overwrite="true", **options)
        signatures.add(report["scores"]["judged_f@1"]["signature"])
    assert len(signatures) == 2


def test_predictions_that_are_no_bash_are_wrong_and_nothing_more(score, options, monkeypatch):
    deep = "echo " + "$(" * 200 + "ls" + ")" * 200
    junk = ["", "ls 'a", "a" * 10_000, deep, "cat <<EOF", "\x00", "列出文件", "foobar -x", "ls\nrm"]
    write_lines(
        options["predictions"],
        [
            {"id": one["id"], "prediction": junk[nth], "candidates": junk[nth : nth + 3]}
            for one, nth in zip(ANSWERS, (0, 3, 6), strict=True)
        ],
    )
    found = values(scored(score, monkeypatch, **options))
    for name in ("command_match@3", "template_match@3"):
        assert found[name] == 0
    assert found["nlc2cmd@3"] == -1
    assert found["char_bleu@3"] < 0.1


def test_what_does_not_fit_is_one_sentence(score, options, tmp_path, monkeypatch, capsys):
    (tmp_path / "none").mkdir()
    for wrong, sentence in (
        ({"judgements": tmp_path / "none"}, "none: holds no judgements, *evaluations*.csv"),
        ({"judgements": tmp_path, "task": "code"}, "is for --task bash, not code"),
        ({"task": "code"}, "the split has no column 'code_tokens_clean'"),
    ):
        assert sentence in fails(score, monkeypatch, capsys, **options | wrong)
    write_lines(options["predictions"], ANSWERS[1:])
    assert "no prediction for the id '3' of the split" in fails(
        score, monkeypatch, capsys, **options
    )
    write_lines(options["predictions"], [*ANSWERS, {"id": "5", "prediction": "ls"}])
    assert "line 4: the id '5' is not in the split" in fails(score, monkeypatch, capsys, **options)
    assert not options["out"].exists()
