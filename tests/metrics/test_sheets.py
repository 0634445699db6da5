import csv

import pytest

from nl2code.errors import UserError
from nl2code.metrics.annotation.key import Row, make_key, read_key, write_key
from nl2code.metrics.annotation.sheets import Verdict, read_sheet, write_sheet
from nl2code.metrics.annotation.verdicts import decide, judgements, write_judgements
from nl2code.metrics.judgements import Judgement, manual_accuracy, read_judgements

NL = ["List a", "Where am I"]
SYSTEMS = {
    "one": [["ls a", "ls -l a", "never shown"], [" ", "pwd"]],
    "other": [["ls -l a"], [""]],
}


@pytest.fixture
def key():
    return make_key(SYSTEMS, NL, k=2, seed=1, place="split:test|rows:2|data:d")


def fill(path, key, verdicts):
    """A copy of the sheet with these verdicts by prediction: two letters, `-` for none."""
    write_sheet(path, key)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for column, letter in zip(list(row)[4:], verdicts[row["prediction"]], strict=True):
            row[column] = letter.replace("-", "")
    return write(path, rows)


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_what_two_systems_wrote_is_one_row_and_blank_is_none(key):
    assert sorted(row.prediction for row in key.rows.values()) == ["ls -l a", "ls a", "pwd"]
    assert Row("List a", "ls -l a", "ls -l File") in key.rows.values()
    written = {
        system: [[key.rows[name].prediction for name in ranking.rows] for ranking in rankings]
        for system, rankings in key.systems.items()
    }
    assert written == {"one": [["ls a", "ls -l a"], ["pwd"]], "other": [["ls -l a"], []]}


def test_the_order_is_the_seeds_and_tells_no_rank():
    nl = [f"sentence {number}" for number in range(20)]
    systems = {"one": [[f"ls {number}", f"wc {number}"] for number in range(20)]}
    keys = [make_key(systems, nl, k=2, seed=seed, place="") for seed in (1, 1, 2)]
    orders = [[row.prediction for row in key.rows.values()] for key in keys]
    assert orders[0] == orders[1] != orders[2]
    firsts = orders[0][::2]  # the two of a sentence stand together
    assert 0 < sum(one.startswith("ls") for one in firsts) < 20
    assert [one.split()[1] for one in firsts] == [one.split()[1] for one in orders[0][1::2]]
    assert [one.split()[1] for one in firsts] != list(map(str, range(20)))


def test_the_key_survives_the_disk(key, tmp_path):
    write_key(tmp_path / "key.json", key)
    read = read_key(tmp_path / "key.json")
    assert read == key
    assert list(read.rows) == list(key.rows)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"rows": [], "systems": {"one": [{"nl": "x", "rows": ["r1"]}]}, "k": 1, "place": ""}',
        '{"rows": [1], "systems": {}, "k": 1, "place": ""}',
    ],
)
def test_another_file_is_no_key(tmp_path, text):
    (tmp_path / "key.json").write_text(text)
    with pytest.raises(UserError, match=r"key\.json: is not the key of a sheet"):
        read_key(tmp_path / "key.json")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-l", "@a", "\t=1", " =1", "\n-x", "\uff1d1"])
def test_no_cell_of_a_sheet_is_a_formula(tmp_path, text):
    key = make_key({"one": [[text]]}, [text], k=1, seed=1, place="")
    write_sheet(tmp_path / "sheet.csv", key)
    with (tmp_path / "sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["description"] == row["prediction"] == f"'{text}"
    assert read_sheet(tmp_path / "sheet.csv", key) == {"r1": Verdict(None, None)}


def test_a_filled_sheet_is_read_in_any_order_and_as_spreadsheets_write_it(key, tmp_path):
    path = fill(
        tmp_path / "a.csv", key, {"ls a": ["y", "n"], "ls -l a": [" Yes", "NO"], "pwd": "--"}
    )
    with path.open(newline="") as file:
        write(path, [row | {"a column": "of theirs"} for row in csv.DictReader(file)][::-1])
    path.write_text("\ufeff" + path.read_text(), encoding="utf-8")
    found = {key.rows[name].prediction: one for name, one in read_sheet(path, key).items()}
    assert found == {
        "ls a": Verdict(True, False),
        "ls -l a": Verdict(True, False),
        "pwd": Verdict(None, None),
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1:], r"a\.csv: the row r1 is missing \(1 in all\)"),
        (lambda rows: [*rows, rows[0] | {"row": "r9"}], "line 5: the row 'r9' is not in the key"),
        (
            lambda rows: [*rows, rows[0] | {"correct command": "n"}],
            "line 5: contradicts an earlier line on the row r1",
        ),
        (
            lambda rows: [rows[0] | {"correct template": "n"}, *rows[1:]],
            "line 2: contradicts itself: a correct command has a correct template",
        ),
        (
            lambda rows: [rows[0] | {"correct template": "maybe"}, *rows[1:]],
            "line 2: 'correct template' is 'maybe', but must be y or n",
        ),
        (  # one column was sorted, the others were not
            lambda rows: [rows[0] | {"prediction": "rm a"}, *rows[1:]],
            "line 2: the prediction of r1 has become 'rm a'",
        ),
        (
            lambda rows: [{"row": "r1", "prediction": "ls"}],
            r"a\.csv has no column 'description'",
        ),
    ],
)
def test_a_sheet_that_cannot_be_right_is_one_sentence(key, tmp_path, change, message):
    path = fill(tmp_path / "a.csv", key, dict.fromkeys(("ls a", "ls -l a", "pwd"), "yy"))
    with path.open(newline="") as file:
        write(path, change(list(csv.DictReader(file))))
    with pytest.raises(UserError, match=message) as caught:
        read_sheet(path, key)
    assert str(path) in str(caught.value)


def test_a_sheet_that_was_saved_with_semicolons_shows_its_head(key, tmp_path):
    path = tmp_path / "a.csv"
    write_sheet(path, key)
    path.write_text(path.read_text(encoding="utf-8-sig").replace(",", ";"), encoding="utf-8")
    with pytest.raises(UserError, match=r"no column 'row'; it begins with 'row;description;"):
        read_sheet(path, key)


def test_most_annotators_decide_and_the_third_is_asked_where_two_differ(key, tmp_path):
    sheets = [
        read_sheet(fill(tmp_path / f"{name}.csv", key, verdicts), key)
        for name, verdicts in (
            ("a", {"ls a": "yn", "ls -l a": "yy", "pwd": "yy"}),
            ("b", {"ls a": "nn", "ls -l a": "nn", "pwd": "yy"}),
            ("c", {"ls a": "y-", "ls -l a": "nn", "pwd": "--"}),
        )
    ]
    decided = decide(key, sheets)
    found = {key.rows[name].prediction: verdict for name, verdict in decided.items()}
    assert found == {
        "ls a": Verdict(True, False),
        "ls -l a": Verdict(False, False),
        "pwd": Verdict(True, True),
    }
    # Of two sentences, "one" has pwd and the template of `ls a`; "other" wrote nothing for one.
    scores = manual_accuracy(judgements(key, decided, "one"))
    assert (scores.full.value, scores.template.value) == (1 / 2, 1)
    assert judgements(key, decided, "other") == [
        Judgement("List a", "ls -l a", "ls -l File", False, False),
        Judgement("Where am I", "", "", False, False),
    ]
    write_judgements(tmp_path / "judged.csv", key, decided, sheets, "one")
    assert (tmp_path / "judged.csv").read_text() == (
        "description,prediction,template,correct template,correct command,correct template A,"
        "correct command A,correct template B,correct command B,correct template C,"
        "correct command C\n"
        "List a,ls a,ls File,y,n,y,n,n,n,y,\n"
        "List a,ls -l a,ls -l File,n,n,y,y,n,n,n,n\n"
        "Where am I,pwd,pwd,y,y,y,y,y,y,,\n"
    )
    assert read_judgements(tmp_path / "judged.csv") == judgements(key, decided, "one")


def test_a_row_without_a_majority_is_named(key):
    sheet = dict.fromkeys(key.rows, Verdict(True, True))
    other = sheet | {"r2": Verdict(True, False)}
    nothing = dict.fromkeys(key.rows, Verdict(None, None))
    with pytest.raises(UserError, match="row r2: no majority on 'correct command': y, n, nothing"):
        decide(key, [sheet, other, nothing])
