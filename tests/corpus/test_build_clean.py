"""Licences and personal data through a whole build. Addresses are made up, put together here."""

import json

import pyarrow.parquet as pq
import pytest
from curated_world import build_world, extra_assignment, notebook, ordinary, world

import juice
from nl2code.corpus.targets import TargetRules
from nl2code.errors import run_program

AT = "@"


def rows(folder):
    return [row for file in folder.glob("*.parquet") for row in pq.read_table(file).to_pylist()]


def signed(name):
    """The world and another shop, an address in every cell: in code, NL, stubs, answers, tests."""
    address = f"{name}{AT}lovelace.org"
    for one in [*world(), notebook("hal/shop", "figs.ipynb", ordinary("figs"))]:
        document = json.loads(one["content"])
        for cell in document["cells"]:
            if cell["cell_type"] == "code":
                cell["source"] += f"  # {address}\n'{address}'"
            else:
                cell["source"] += f" Ask <{address}>."
        yield one | {"content": json.dumps(document)}


def test_an_address_in_a_cell_reaches_no_column_and_no_id(tmp_path):
    built = build_world(tmp_path / "ada", signed("ada"))
    found = rows(tmp_path / "ada")
    assert {row["metadata"]["source"] for row in found} == {"train", "nbgrader", "exercise"}
    assert [row["tests"] for row in found if row["tests"]]
    assert [row["boilerplate_code"] for row in found if row["boilerplate_code"]]
    assert "lovelace" not in json.dumps(found)
    assert "user@example.com" in json.dumps(found)
    assert built.redacted["email"] > 100
    # Nothing that was computed, ids and draws among it, knows the address.
    other = build_world(tmp_path / "bob", signed("bob"))
    assert (other.digest, other.redacted) == (built.digest, built.redacted)


def test_what_was_redacted_is_on_the_card_and_in_the_report(tmp_path):
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(one) + "\n" for one in signed("ada")))
    out = tmp_path / "juice"
    juice.main(["build", str(dump), "--workers", "1", "--no-install", "--out", str(out)])
    count = json.loads((out / "build.json").read_text())["redacted"]["email"]
    assert f"email {count:,}" in (out / "README.md").read_text()
    for name in ("README.md", "build.json", "ATTRIBUTION.csv"):
        assert "lovelace" not in (out / name).read_text()


LICENSES = {"school": "MIT", "ada": "mit", "bob": "Apache-2.0", "cy": None, "hal": "other"}


def licensed():
    """The world under many licences; what is not named in `LICENSES` is under MIT."""
    more = notebook("hal/shop", "figs.ipynb", ordinary("figs"))
    for one in [*world(), *extra_assignment(), more]:
        owner = one["repo"].split("/")[0]
        yield one | {"license": LICENSES.get(owner, "The MIT License")}


def test_only_notebooks_of_the_licences_named_are_used_and_the_others_counted(tmp_path):
    rules = TargetRules(curated=True, licenses=frozenset({"MIT"}))
    built = build_world(tmp_path / "out", licensed(), rules)
    assert {row["metadata"]["license"] for row in rows(tmp_path / "out")} == {
        "mit",
        "The MIT License",
    }
    assert ("notebook", "license_unknown", 2) in built.funnel
    assert ("notebook", "license_not_kept", 1) in built.funnel
    # Of the three who answered, the licence of one is kept: the others are not even counted.
    answers = [row["metadata"]["submissions"] for row in rows(tmp_path / "out") if row["tests"]]
    assert answers == [1, 1, 1]


def test_the_command_takes_licences_in_any_spelling_and_says_which_were_kept(tmp_path, capsys):
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(one) + "\n" for one in licensed()))
    options = ["--workers", "1", "--no-install", "--out", str(tmp_path / "juice")]
    juice.main(["build", str(dump), *options, "--licenses", "mit"])
    assert "license_unknown" in capsys.readouterr().out
    report = json.loads((tmp_path / "juice" / "build.json").read_text())
    assert report["options"]["licenses"] == ["MIT"]
    assert ["notebook", "license_not_kept", 1] in report["funnel"]
    assert "MIT" in (tmp_path / "juice" / "ATTRIBUTION.csv").read_text()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Nonsense", "--licenses Nonsense: not an SPDX identifier"),
        (
            "ISC",
            "license_not_kept 16, license_unknown 2; licences come from a dump's field license",
        ),
    ],
)
def test_licences_that_keep_nothing_are_one_sentence(tmp_path, capsys, value, said):
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(one) + "\n" for one in licensed()))
    out = ("--out", str(tmp_path / "juice"), "--dev-test", "repositories")
    with pytest.raises(SystemExit) as stopped:
        run_program(
            lambda: juice.main(["build", str(dump), "--workers", "1", *out, "--licenses", value])
        )
    output = capsys.readouterr()
    assert (stopped.value.code, output.out, output.err.count("\n")) == (2, "", 1)
    assert said in output.err
    assert not (tmp_path / "juice").exists()
