"""What build.json, the card and ATTRIBUTION.csv state, each against the rows or the others."""

import json

import pytest
from sound_folder import OPTIONS, as_built, broken, restate, sound_rows, with_code

import juice

CARD = "README.md says what build.json does"
ATTRIBUTION = "ATTRIBUTION.csv names the rows' repositories"
SUMS = "the figures of build.json agree"
STATED = "build.json says what was built"
SOURCES = "the stated sources are those of the rows"
ID = "id is the digest of repo, path, cell_index and code"


@pytest.fixture
def folder(tmp_path):
    return as_built(tmp_path / "juice", sound_rows())


def replace(file, old, new):
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def digest_of(folder):
    return json.loads((folder / "build.json").read_text())["digest"]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("| target | kept | 6 |", "| target | kept | 5 |", "funnel"),
        ("| MIT | 6 |", "| MIT | 5 |", "licenses"),
        ("| MIT | 6 |", "| MIT | 6 |\n| ISC | 1 |", "licenses"),
        ("| train | 2 | 1 |", "| train | 2 | 3 |", "splits"),
        ("| seed | 0 |", "| seed | 1 |", "options"),
        ("with seed 0.", "with seed 1.", "dev_test"),
        ("that were read: none.", "that were read: email 3.", "redacted"),
        ("names, phone numbers, IP addresses", "names", "redaction_rule"),
        ("- train-0.parquet", "- train-*.parquet", "configs in the YAML"),
        ("dataset_size: ", "dataset_size: 1", "dataset_info in the YAML"),
    ],
)
def test_a_card_that_says_other_than_the_build_is_named(folder, old, new, what):
    replace(folder / "README.md", old, new)
    found = broken(folder)
    assert (found[CARD].violations, found[CARD].example) == (1, what)


def test_the_digest_in_the_card_s_words_is_compared_as_well(folder):
    replace(folder / "README.md", f"`{digest_of(folder)}`", "`0`")
    (finding,) = broken(folder).values()
    assert (finding.invariant, finding.example) == (CARD, "digest")


def test_words_of_one_s_own_in_the_card_are_no_fault(folder):
    replace(folder / "README.md", "## Citation", "## Of our course\n\nAsk Ada.\n\n## Citation")
    assert not broken(folder)


def test_a_card_or_a_split_that_is_gone_is_named(folder):
    (folder / "README.md").unlink()
    assert broken(folder)[CARD].violations == 10
    (folder / "test-0.parquet").unlink()
    assert broken(folder)[STATED].example == "splits.test.files is ['test-0.parquet']"


def lose(folder):
    (folder / "ATTRIBUTION.csv").unlink()


def rename(folder):
    replace(folder / "ATTRIBUTION.csv", "someone/fig", "ada/fig")


def relicense(folder):
    replace(folder / "ATTRIBUTION.csv", "someone/fig,,MIT", "someone/fig,,ISC")


@pytest.mark.parametrize(
    ("change", "example"),
    [
        (lose, "ATTRIBUTION.csv is missing"),
        (rename, "ada/fig,,MIT,2,2"),
        (relicense, "someone/fig,,ISC,2,2"),
    ],
)
def test_attributions_are_those_of_the_rows(folder, change, example):
    change(folder)
    (finding,) = broken(folder).values()
    assert (finding.invariant, finding.example) == (ATTRIBUTION, example)


STAGES = ("read", "notebook", "target", "nbgrader", "exercise", "duplicate")


def funnel(*drops, **kept):
    """Stages that each keep six, or what is said, and the drops among them."""
    default = dict.fromkeys(STAGES, 6) | {"nbgrader": 0, "exercise": 0} | kept
    rows = []
    for stage, count in default.items():
        rows += [list(drop) for drop in drops if drop[0] == stage]
        rows.append([stage, "kept", count])
    return rows


@pytest.mark.parametrize(
    ("rows", "example"),
    [
        (funnel(target=7), "6 in duplicate, not 7"),
        (funnel(exercise=1), "6 in duplicate, not 7"),
        (funnel(read=9), "6 in notebook, not 9"),
        (funnel(("duplicate", "duplicate_nl", 1)), "7 in duplicate, not 6"),
        (funnel(("read", "a", 0)), "read: a reason for nothing"),
        (funnel(("read", "a", 1), ("read", "b", 2)), "read: the largest first"),
        (funnel(("read", "a", 1), ("read", "a", 1)), "read: the largest first"),
        (funnel()[1:], "notebook, target, nbgrader"),
        (funnel(("duplicate", "duplicate_nl", 1), target=7), None),
    ],
)
def test_each_stage_of_the_funnel_begins_with_what_the_last_one_kept(tmp_path, rows, example):
    found = broken(as_built(tmp_path, sound_rows(), funnel=rows))
    assert found.keys() == ({SUMS} if example else set())
    assert not example or example in found[SUMS].example


@pytest.mark.parametrize("sizes", [{"train": 1.5}, {"valid": 0.0}])
def test_bytes_are_those_of_the_files(folder, sizes):
    restate(folder, lambda report: report["bytes_per_example"].update(sizes))
    assert broken(folder)[SUMS].example.startswith(f"bytes_per_example of {next(iter(sizes))}: ")


@pytest.mark.parametrize(
    ("change", "example"),
    [
        (lambda report: report.update(author="me"), "author is unknown"),
        (lambda report: report["options"].update(note=1), "options.note is unknown"),
        (lambda report: report["options"].update(min_repositories=2), "options.min_rep"),
        (lambda report: report["splits"]["dev"].update(courses=2), "splits.dev.courses is unk"),
        (lambda report: report["splits"].update(more=report["splits"]["dev"]), "splits.more is"),
    ],
)
def test_what_no_build_says_is_named(folder, change, example):
    restate(folder, change)
    assert broken(folder)[STATED].example.startswith(example)


@pytest.mark.parametrize(("way", "wrong"), [("drop", True), ("truncate", False)])
def test_targets_are_truncated_only_where_the_build_says_so(tmp_path, way, wrong):
    rows = sound_rows()
    code = "\n".join(f"fig{n} = fig.figs[{n}]" for n in range(40))
    rows["test"][0] = with_code(rows["test"][0], code)
    found = broken(as_built(tmp_path, rows, options=OPTIONS | {"long_targets": way}))
    assert ("code_tokens_clean is the normal form of code" in found) == wrong


@pytest.fixture
def released(tmp_path):
    """A converted release of three rows; that of dev does not say where it is from."""
    source = tmp_path / "in"
    source.mkdir()
    for split, count in (("train", 2), ("dev", 1)):
        place = {"repo": "ada/ps", "path": f"{split}.ipynb"} if split == "train" else {}
        lines = [
            {"code": f"x = {split}({n})", "nl": ["Set", split, "x"], "context": []}
            | {"metadata": place | {"cell_index": n}}
            for n in range(count)
        ]
        (source / f"{split}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    out = tmp_path / "out"
    juice.main(["released", str(source), "--out", str(out), "--workers", "1", "--no-install"])
    return out


def test_a_converted_release_keeps_what_it_states(released):
    assert not broken(released).keys() & {ID, SOURCES, CARD, STATED}
    restate(released, lambda report: report["options"].update({"train rows in dev": 2}))
    found = broken(released)
    assert found[SOURCES].example == "train rows in dev: 2, not 1"
    assert found[CARD].example == "options"
