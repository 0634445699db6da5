import json
import pickle

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sound_folder import as_built, broken, restate, sound_rows, with_code, write

from nl2code.corpus.check import report as checking
from nl2code.corpus.check.findings import print_findings
from nl2code.corpus.check.report import check
from nl2code.corpus.features import FEATURES
from nl2code.errors import UserError
from nl2code.markdown import nl_tokens


@pytest.fixture
def rows():
    return sound_rows()


def test_a_folder_that_keeps_its_promises_has_no_violation(tmp_path, rows):
    findings = check(write(tmp_path, rows))
    assert not [finding for finding in findings if finding.violations]
    assert {finding.invariant: finding.checked for finding in findings} == {
        "the columns are the dataset's": 3,
        "the stated counts are right": 0,
        "every column has a value; metadata says source, repo and path": 6,
        "context cells have a type, and their text in its column": 6,
        "context distances are 1 to n, nearest first": 6,
        "num_cells_above agrees with the context": 6,
        "contextual says whether uses_* name something": 6,
        "nl_original of a train row is the cell directly above": 6,
        "nl_original of a curated row stands in its context": 0,
        "no curated row shows its own target above or in given code (50 characters or more)": 0,
        "nl is the words of nl_original": 6,
        "code_tokens_clean is the normal form of code": 6,
        "api_sequence is what code calls": 6,
        "comments are those of code": 6,
        "imports are those of the cells above and of code": 6,
        "uses_*, multi_cell are what code takes from above": 6,
        "ids are unique": 6,
        "no target stands in two splits": 6,
        "no NL stands in two splits": 6,
        "no notebook (repo, path) stands in two splits": 6,
        "no copy of a notebook stands in two splits": 6,
        "no exercise to a dev or test problem is in train": 2,
        "no train row shows the NL, target or tests of dev or test (50 characters or more)": 2,
        "no near_duplicate_target in train (0.8 or more in common)": 2,
        "no near_duplicate_nl in train (0.7 or more in common)": 2,
        "no near_duplicate_notebook in train (0.4 or more in common)": 2,
    }


NO_NAMES = {"uses_variables": [], "contextual": False}


def reverse_the_context(rows):
    rows["dev"][0]["context"].reverse()
    rows["dev"][0]["metadata"]["source"] = "nbgrader"


def forget_a_cell(rows):
    del rows["test"][1]["context"][-1]
    rows["test"][1]["num_cells_above"] = 1


def other_nl(rows):
    rows["train"][0] |= {"nl_original": "Something else", "nl": ["Something", "else"]}


def not_contextual(rows):
    rows["test"][0]["contextual"] = False


def other_tokens(rows):
    rows["dev"][1]["code_tokens_clean"][4] = "other"


def other_calls(rows):
    rows["dev"][1]["api_sequence"] = ["call1", "draw"]


def no_python(rows):
    rows["dev"][1]["code"] = "for"


def same_id(rows):
    rows["test"][0]["id"] = rows["train"][1]["id"]


def same_target(rows):
    rows["train"][0] = with_code(rows["train"][0], rows["dev"][0]["code"]) | NO_NAMES


def same_nl(rows):
    for column in ("nl", "nl_original"):
        rows["dev"][0][column] = rows["test"][0][column]
    rows["dev"][0]["context"][0]["nl_original"] = rows["dev"][0]["nl_original"]


def same_notebook(rows):
    rows["dev"][0]["metadata"] = rows["test"][1]["metadata"]


def near_nl(rows):
    row = rows["train"][0]
    row["nl_original"] = " please ".join(rows["dev"][0]["nl_original"].rsplit(" ", 1))
    row["nl"] = nl_tokens(row["nl_original"])
    row["context"][0]["nl_original"] = row["nl_original"]


def shown_within_more(rows):
    cell = rows["train"][0]["context"][1]
    assert cell["cell_type"] == "code"
    cell["code"] += f'\n"""\n{rows["dev"][0]["code"]}\n"""'


def near_target(rows):
    code = rows["dev"][0]["code"].replace("'red'", "red", 1)
    rows["train"][0] = with_code(rows["train"][0], code) | NO_NAMES


def copied_notebook(rows):
    own = {name: rows["dev"][0][name] for name in ("id", "metadata")}
    rows["dev"][0] = rows["test"][0] | own


def near_notebook(rows):
    lesson = [
        {"cell_type": "code", "nl_original": None, "code": f"lesson = {n}  # as long as it takes"}
        for n in range(12)
    ]
    for split in ("train", "test"):
        row = rows[split][0]
        row["context"] = [*row["context"][:2], *(dict(cell) for cell in lesson)]
        for distance, cell in enumerate(row["context"], 1):
            cell["distance_target"] = distance
        row["num_cells_above"] = len(row["context"])


@pytest.mark.parametrize(
    ("change", "claims", "example"),
    [
        (reverse_the_context, "context distances", "dev-0: [3, 2, 1]"),
        (forget_a_cell, "num_cells_above", "test-1: 1 above, 2 in the context"),
        (other_nl, "nl_original", "train-0: 'Something else'"),
        (not_contextual, "contextual", "test-0: False"),
        (other_tokens, "code_tokens_clean", "dev-1: item 5: other, not call1"),
        (other_calls, "api_sequence", "dev-1: item 2: draw, not call2"),
        (
            no_python,
            "code_tokens_clean|api_sequence|comments|imports|uses_*",
            "dev-1: syntax_error",
        ),
        (same_id, "ids", "train-1"),
        (
            same_target,
            "no target|no train row shows|no near_duplicate_target",
            "dev dev-0, train train-0",
        ),
        (same_nl, "no NL", "dev dev-0, test test-0"),
        (same_notebook, "no notebook (repo, path)", "dev dev-0, test test-1"),
        (near_target, "no near_duplicate_target", "train train-0, held out dev-0"),
        (near_nl, "no near_duplicate_nl", "train train-0, held out dev-0"),
        (shown_within_more, "no train row shows", "train-0"),
        (
            copied_notebook,
            "no target|no NL|no copy",
            "dev someone/pear/0.ipynb, test someone/fig/0.ipynb",
        ),
        (
            near_notebook,
            "no near_duplicate_notebook",
            "train someone/plum/0.ipynb, held out someone/fig/0.ipynb",
        ),
    ],
)
def test_a_broken_promise_is_named_with_the_first_row(tmp_path, rows, change, claims, example):
    change(rows)
    found = broken(write(tmp_path, rows))
    starts = claims.split("|")
    assert len(found) == len(starts), found
    assert all(any(claim.startswith(start) for claim in found) for start in starts)
    assert example in {finding.example for finding in found.values()}
    assert all(finding.violations == 1 for finding in found.values())


def test_more_rows_than_are_analysed_are_sampled(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(checking, "MOST_ANALYSED", 4)
    checked = {finding.invariant: finding.checked for finding in check(write(tmp_path, rows))}
    assert checked["code_tokens_clean is the normal form of code"] == 3
    assert checked["context distances are 1 to n, nearest first"] == 6


def test_a_truncated_target_is_in_order(tmp_path, rows):
    row = rows["test"][0]
    code = "\n".join(f"fig{n} = fig.figs[{n}]" for n in range(40))
    rows["test"][0] = with_code(row, code)
    assert not broken(write(tmp_path, rows))


def test_a_changed_file_no_longer_has_the_digest_of_the_card(tmp_path, rows):
    assert not broken(as_built(tmp_path, rows))
    rows["train"][0]["metadata"]["commit"] = "changed"
    pq.write_table(
        pa.Table.from_pylist(rows["train"], schema=FEATURES.arrow_schema),
        tmp_path / "train-0.parquet",
    )
    assert broken(tmp_path)["the digest is that of the files"].violations == 2


def test_counts_that_the_build_or_the_card_state_are_counted_again(tmp_path, rows):
    as_built(tmp_path, rows)
    restate(tmp_path, lambda report: report["splits"]["test"].update(notebooks=3))
    found = broken(tmp_path)
    assert found.keys() == {"the stated counts are right", "README.md says what build.json does"}
    assert found["the stated counts are right"].example == "build.json: 3 notebooks in test, not 2"
    card = tmp_path / "README.md"
    card.write_text(card.read_text().replace("| train | 2 |", "| train | 1,002 |"))
    found = broken(tmp_path)["the stated counts are right"]
    assert (found.checked, found.violations) == (16, 2)
    assert found.example == "README.md, table: 1002 examples in train, not 2"


def test_context_that_the_build_capped_is_no_longer_than_the_cap(tmp_path, rows):
    as_built(tmp_path, rows)
    report = json.loads((tmp_path / "build.json").read_text())
    for cap, violations in ((3, 0), (2, 6)):
        report["options"]["max_context_cells"] = cap
        (tmp_path / "build.json").write_text(json.dumps(report))
        found = broken(tmp_path).get("num_cells_above agrees with the context")
        assert (found.violations if found else 0) == violations


def test_other_columns_are_named_and_the_rows_left_alone(tmp_path, rows):
    schema = FEATURES.arrow_schema
    for row in (row for content in rows.values() for row in content):
        row["nl"] = " ".join(row["nl"])
    place = schema.get_field_index("nl")
    found = check(write(tmp_path, rows, schema.set(place, pa.field("nl", pa.string()))))
    (finding,) = found
    assert finding.violations == 3
    assert finding.example == "train-0.parquet: nl is Value('string'), not List(Value('string'))"


def test_metadata_may_say_less_than_ours_and_the_rows_are_still_checked(tmp_path, rows):
    schema = FEATURES.arrow_schema
    place = schema.get_field_index("metadata")
    metadata = pa.struct([("source", pa.string()), ("repo", pa.string()), ("path", pa.string())])
    rows["dev"][0]["contextual"] = False
    found = broken(write(tmp_path, rows, schema.set(place, pa.field("metadata", metadata))))
    assert len(found) == 2
    assert found["contextual says whether uses_* name something"].example == "dev-0: False"


def test_an_exercise_to_a_problem_must_not_be_in_train(tmp_path, rows):
    schema = FEATURES.arrow_schema
    place = schema.get_field_index("metadata")
    fields = list(schema.field("metadata").type)
    if "exercise_path" not in [field.name for field in fields]:
        fields.append(pa.field("exercise_path", pa.string()))
    rows["dev"][0]["metadata"] |= {"repo": "someone/plum", "exercise_path": "1.ipynb"}
    found = broken(
        write(tmp_path, rows, schema.set(place, pa.field("metadata", pa.struct(fields))))
    )
    claim = "no exercise to a dev or test problem is in train"
    assert found[claim].example == "dev or test dev-0, train train-1"


def test_a_folder_without_our_card_is_checked_as_well(tmp_path, rows):
    (write(tmp_path, rows) / "README.md").unlink()
    (tmp_path / "dev-0.parquet").rename(tmp_path / "validation-0.parquet")
    assert not broken(tmp_path)
    assert {finding.checked for finding in check(tmp_path)[2:8]} == {6}


def test_what_cannot_be_checked_is_the_user_s_mistake(tmp_path, rows):
    with pytest.raises(UserError, match=r"nowhere: no such folder"):
        check(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"empty: load_dataset finds no splits in it: .{,210}$"):
        check(tmp_path / "empty")
    with pytest.raises(UserError, match=r"its splits: train"):
        check(write(tmp_path / "one", {"train": rows["train"]}))
    folder = write(tmp_path / "cut", rows)
    file = folder / "dev-0.parquet"
    whole = file.read_bytes()
    file.write_bytes(b"PAR1 no more")
    with pytest.raises(UserError, match=r"dev-0.parquet: not Parquet"):
        check(folder)
    file.write_bytes(whole[:4] + b"\xff" * 200 + whole[204:])
    with pytest.raises(UserError, match=r"dev-0.parquet: some rows cannot be read"):
        check(folder)
    footer = 8 + int.from_bytes(whole[-8:-4], "little")
    file.write_bytes(whole[:4] + b"\xff" * (len(whole) - footer - 4) + whole[-footer:])
    with pytest.raises(UserError, match=r"dev-0.parquet: some rows cannot be read"):
        check(folder)


def test_the_report_is_a_line_an_invariant(tmp_path, rows, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    print_findings(check(write(tmp_path, rows)), tmp_path)
    unstated = f"{tmp_path} has no build.json: what it would state was not checked\n"
    assert capsys.readouterr().out.endswith(f"\nAll 26 hold\n{unstated}")
    not_contextual(rows)
    findings = check(write(tmp_path, rows))
    print_findings(findings, tmp_path)
    output = capsys.readouterr().out
    assert output.endswith(f"\n1 of 26 are broken\n{unstated}")
    lines = [line for line in output.splitlines() if line.startswith("│")]
    assert len(lines) == len(findings)
    (line,) = (line for line in lines if "test-0: False" in line)
    assert [cell.strip() for cell in line.split("│")[2:5]] == ["6", "1", "test-0: False"]


def test_an_example_is_printed_as_it_is_and_not_as_markup(tmp_path, rows, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    rows["train"][0]["nl_original"] = "[/red] plums"
    print_findings(check(write(tmp_path, rows)), tmp_path)
    assert "train-0: '[/red] plums'" in capsys.readouterr().out


def test_processes_find_what_one_finds(tmp_path, rows, monkeypatch):
    def apart(work, items):  # as a pool would: what goes there and comes back is pickled
        return [
            pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(work))(item))) for item in items
        ]

    near_target(rows)
    not_contextual(rows)
    alone = check(write(tmp_path, rows))
    monkeypatch.setattr(checking, "_FEW", 0)
    assert check(tmp_path, apart) == alone
