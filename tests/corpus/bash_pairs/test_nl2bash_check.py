"""What must hold of a built folder of NL2Bash, on folders with one fault each."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from simple_bash import read_simple

import nl2bash
from nl2code.corpus.files import digest_of
from nl2code.corpus.nl2bash.build import build_pairs
from nl2code.corpus.nl2bash.card import write_card
from nl2code.corpus.nl2bash.check import check_pairs
from nl2code.corpus.nl2bash.schema import SCHEMA
from nl2code.errors import UserError
from nl2code.jsonl import write_json

DATA = Path(__file__).parents[4] / "shared" / "data" / "nl2bash"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Sixty pairs by our rule; a cluster each."""
    place = tmp_path_factory.mktemp("built")
    numbers = range(60)
    (place / "all.nl").write_text("\n".join(f"List the files of folder{n}" for n in numbers))
    (place / "all.cm").write_text("\n".join(f"ls -l folder{n}" for n in numbers))
    return make(place, place / "nl2bash", "rebuilt", read_simple)


def make(source, out, config, read=None):
    made = build_pairs(str(source), out, config, read)
    write_json(out / "build.json", {name: getattr(made, name) for name in made.__slots__})
    write_card(made, out, nl2bash.CARD.read_text())
    return out


@pytest.fixture
def folder(built, tmp_path):
    return Path(shutil.copytree(built, tmp_path / "nl2bash"))


def file(folder, split):
    return folder / f"{split}-00000-of-00001.parquet"


def change(folder, mend):
    """Let `mend` change the rows of each split, and state the digest of what comes of it."""
    rows = {split: pq.read_table(file(folder, split)).to_pylist() for split in ("train", "dev")}
    mend(**rows)
    old = digest_of(folder)
    for split, content in rows.items():
        pq.write_table(pa.Table.from_pylist(content, schema=SCHEMA), file(folder, split))
    for name in ("build.json", "README.md"):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(old, digest_of(folder)))


def broken(folder, read=read_simple):
    return {one.invariant: one for one in check_pairs(folder, read) if one.violations}


def test_a_built_folder_keeps_every_promise(folder):
    findings = check_pairs(folder, read_simple)
    assert not [one for one in findings if one.violations]
    checked = {one.invariant: one.checked for one in findings}
    assert checked["every command parses"] == checked["template is what the pair gives"] == 60
    assert checked["the split is what the rule draws"] == 60
    assert checked["the digest is that of the files"] == 2
    assert checked["no cluster of dev stands in test"] == 7


def other_template(train, dev):
    dev[1]["template"] = "ls File"


def flags_in_another_order(train, dev):
    dev[1]["flags"] = ["-a", "-l"]


def no_utilities(train, dev):
    dev[1]["utilities"] = None


def cut_tokens(train, dev):
    dev[1]["command_sub_tokens"].pop()


def other_words(train, dev):
    dev[1]["nl_tokens"] = ["list"]


def other_id(train, dev):
    dev[1]["id"] = "x"


def untrue_leak(train, dev):
    dev[1]["leaks"] = True


@pytest.mark.parametrize(
    ("fault", "claim", "example"),
    [
        (other_template, "template is what the pair gives", "ls File, not ls -l File"),
        (flags_in_another_order, "flags is what the pair gives", "['-a', '-l'], not ['-l']"),
        (no_utilities, "utilities is what the pair gives", "None, not ['ls']"),
        (cut_tokens, "command_sub_tokens is what the pair gives", "['l', 's', '-', 'l', 'f', 'o'"),
        (other_words, "nl_tokens is what the pair gives", "['list'], not ['list', 'file',"),
        (other_id, "id is what the pair gives", "x, not"),
        (untrue_leak, "leaks says whether train has the cluster", "True, not False"),
    ],
)
def test_a_column_that_its_pair_does_not_give_is_named_with_the_line(folder, fault, claim, example):
    change(folder, fault)
    found = broken(folder)
    found.pop("the stated counts are right", None)  # of templates, and of leaks
    (finding,) = found.values()
    assert (finding.invariant, finding.violations) == (claim, 1)
    line = pq.read_table(file(folder, "dev"))["line"][1].as_py()
    assert finding.example.startswith(f"line {line}: {example}")


def test_a_pair_of_train_whose_sentence_stands_in_dev_makes_it_leak(folder):
    def share(train, dev):
        for name in ("nl", "nl_tokens", "nl_sub_tokens", "cluster"):
            train[0][name] = dev[0][name]

    change(folder, share)
    found = broken(folder)
    assert found["leaks says whether train has the cluster"].example.endswith("False, not True")
    assert "no cluster of dev stands in test" not in found


def test_a_sentence_of_dev_in_test_and_a_command_of_train_in_dev_are_named(folder):
    other = pq.read_table(file(folder, "test")).to_pylist()[0]

    def share(train, dev):
        place = {name: dev[0][name] for name in ("id", "line")}
        dev[0] = other | place | {"command": train[0]["command"]}

    change(folder, share)
    found = broken(folder)
    assert found["no cluster of dev stands in test"].example == other["cluster"]
    command = pq.read_table(file(folder, "train"))["command"][0].as_py()
    assert found["no command of train stands in dev or test"].example == command


def test_a_pair_in_another_split_than_the_rule_draws_is_named(folder):
    def move(train, dev):
        dev.append(train.pop())

    line = pq.read_table(file(folder, "train"))["line"][-1].as_py()
    change(folder, move)
    finding = broken(folder)["the split is what the rule draws"]
    assert (finding.violations, finding.example) == (1, f"line {line}: dev, not train")


def test_a_pair_that_is_gone_or_stands_twice_is_counted(folder):
    def drop(train, dev):
        del train[0]

    change(folder, drop)
    counts = broken(folder)["the stated counts are right"]
    assert counts.example == "README.md: 50 examples in train, not 49"
    assert counts.violations == 6  # card twice, build: examples, clusters, commands, the funnel

    def repeat(train, dev):
        dev[1] = dict(dev[0])

    line = pq.read_table(file(folder, "dev"))["line"][0].as_py()
    change(folder, repeat)
    assert broken(folder)["line numbers are unique"].example == f"line {line}: 2 rows"


def test_a_command_that_does_not_parse_is_named_with_the_reason(folder):
    def dance(train, dev):
        dev[0]["command"] = "dance"
        for name in ("template", "utilities", "flags", "reserved"):
            dev[0][name] = None

    change(folder, dance)
    finding = broken(folder)["every command parses"]
    assert (finding.violations, finding.example.partition(": ")[2]) == (1, "no_grammar")


def test_what_is_missing_of_a_pair_is_named_and_nothing_else_is_checked(folder):
    def forget(train, dev):
        dev[0]["nl"] = dev[0]["leaks"] = None

    change(folder, forget)
    findings = check_pairs(folder, read_simple)
    assert findings[-1].invariant == "each pair has line, nl, command, cluster, leaks"
    assert findings[-1].example.endswith(": nl, leaks")


def test_other_columns_and_a_changed_file_are_named(folder):
    table = pq.read_table(file(folder, "dev"))
    pq.write_table(table.drop_columns("cluster"), file(folder, "dev"))
    found = broken(folder)
    columns = found["the columns are the dataset's"]
    assert columns.example == "dev-00000-of-00001.parquet: cluster is missing"
    assert found["the digest is that of the files"].violations == 2
    numbers = pa.array([1] * len(table))
    place = table.schema.get_field_index("nl_tokens")
    pq.write_table(table.set_column(place, "nl_tokens", numbers), file(folder, "dev"))
    columns, *others = check_pairs(folder, read_simple)
    assert len(others) == 2  # build.json and the digest, but not the rows
    assert "nl_tokens is Value('int64'), not List(Value('string'))" in columns.example


def test_splits_that_someone_else_made_are_checked_but_for_the_rule(folder):
    for name in ("build.json", "README.md"):
        (folder / name).unlink()
    findings = check_pairs(folder, read_simple)
    assert not [one for one in findings if one.violations]
    assert "the split is what the rule draws" not in {one.invariant for one in findings}


def test_train_alone_is_a_build_too(folder):
    for split in ("dev", "test"):
        file(folder, split).unlink()
    (folder / "build.json").unlink()
    (folder / "README.md").unlink()
    assert not broken(folder)


def test_what_is_no_built_folder_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match=r"gone: no such folder"):
        check_pairs(tmp_path / "gone")


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the pairs of {DATA}")
@pytest.mark.parametrize("config", ["published", "rebuilt"])
def test_the_authors_pairs_keep_every_promise(tmp_path, config):
    made = make(DATA, tmp_path / "nl2bash", config)
    assert not broken(made, read=None)
    report = json.loads((made / "build.json").read_text())
    report["options"]["config"] = "rebuilt" if config == "published" else "published"
    (made / "build.json").write_text(json.dumps(report))
    assert [name for name in broken(made, read=None) if name.startswith("the split")]
