"""What `load_dataset` makes of a built folder: in part, from the middle, of splits without rows."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from curated_world import extra_assignment, notebook, ordinary, world, write_dump
from datasets import load_dataset

import juice
from nl2code.corpus.check.report import check
from nl2code.corpus.features import FEATURES


@pytest.fixture(autouse=True)
def _offline(tmp_path, monkeypatch):
    for module in ("datasets.config", "huggingface_hub.constants"):
        monkeypatch.setattr(f"{module}.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


def built(place, notebooks, *options):
    """Build `juice` in the folder and return it."""
    dump = write_dump(place / "dump.jsonl", notebooks)
    out = place / "juice"
    juice.main(["build", str(dump), "--workers", "1", "--out", str(out), *options])
    return out


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Eighty train examples, in row groups of ten."""
    place = tmp_path_factory.mktemp("whole")
    shops = [
        notebook("gil/shop", f"{a}{b}.ipynb", ordinary(f"{a}_{b}_fruit_of_{a}_{b}"))
        for a in ("red", "ripe", "sour", "dry")
        for b in ("figs", "plums", "limes", "dates", "pears")
    ]
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("nl2code.corpus.files.ROWS_PER_GROUP", 10)
        return built(place, [*world(), *shops], "--no-install")


@pytest.mark.parametrize("taken", [0, 1, 10, 13, 27])
def test_a_stream_goes_on_where_its_state_was_taken(whole, taken):
    def stream():
        return load_dataset(str(whole), split="train", streaming=True)

    everything = [row["id"] for row in stream()]
    assert len(everything) > 30
    first = stream()
    rows = iter(first)
    seen = [next(rows)["id"] for _ in range(taken)]
    state = json.loads(json.dumps(first.state_dict()))
    second = stream()
    second.load_state_dict(state)
    assert seen + [row["id"] for row in second] == everything


def test_a_projection_reads_its_columns_only(whole, tmp_path):
    folder = tmp_path / "damaged"
    folder.mkdir()
    for file in whole.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
        if file.name.startswith("train"):
            damage(folder / file.name, "context.list.element.nl_original")
    for streaming in (True, False):
        rows = load_dataset(str(folder), split="train", columns=["id", "code"], streaming=streaming)
        assert rows.column_names == ["id", "code"]
        assert len({row["id"] for row in rows}) > 30
    with pytest.raises(OSError, match=r"header|[Cc]orrupt|decompress"):
        list(load_dataset(str(folder), split="train", streaming=True))


def damage(file, column):
    """Overwrite the column in each row group."""
    content = bytearray(file.read_bytes())
    metadata = pq.read_metadata(file)
    for group in range(metadata.num_row_groups):
        chunks = (metadata.row_group(group).column(n) for n in range(metadata.num_columns))
        (chunk,) = (chunk for chunk in chunks if chunk.path_in_schema == column)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        size = chunk.total_compressed_size
        content[start : start + size] = b"\xff" * size
    file.write_bytes(content)


def test_a_course_alone_is_dev_and_test_without_train(tmp_path, monkeypatch, capsys):
    course = [one for one in world() if one["repo"].endswith(("/ps", "/course"))]
    out = built(tmp_path, [*course, *extra_assignment()])
    assert "│ train │ 0 " in capsys.readouterr().out
    assert not list(out.glob("train*"))
    (tmp_path / "elsewhere").mkdir()
    for place in (tmp_path, tmp_path / "elsewhere"):  # from the folder, and from the cache
        monkeypatch.chdir(place)
        splits = load_dataset("juice")
        assert {name: len(rows) for name, rows in splits.items()} == {"dev": 1, "test": 2}
        assert splits["dev"].features == FEATURES
        assert len(list(load_dataset("juice", split="test", streaming=True))) == 2
        with pytest.raises(ValueError, match="train"):
            load_dataset("juice", split="train")
    assert not [finding for finding in check(out) if finding.violations]
    report = json.loads((out / "build.json").read_text())
    assert report["splits"]["train"]["examples"] == 0


def test_the_folder_of_the_embedded_course_gives_its_ten_problems_and_no_train(tmp_path):
    folder = Path(__file__).parents[2] / "examples" / "notebooks" / "intro-python-course"
    out = tmp_path / "juice"
    options = ("--workers", "1", "--no-install", "--out", str(out))
    juice.main(["build", str(folder), *options])
    splits = load_dataset(str(out))
    assert {name: len(rows) for name, rows in splits.items()} == {"dev": 5, "test": 5}
    assert {row["metadata"]["source"] for rows in splits.values() for row in rows} == {"nbgrader"}


def test_a_dump_of_copies_alone_is_one_split(tmp_path):
    copies = [notebook(f"repo{n}/shop", "a.ipynb", ordinary("figs")) for n in range(5)]
    out = built(tmp_path, copies, "--dev-test", "repositories", "--no-install")
    splits = load_dataset(str(out))
    assert {name: len(rows) for name, rows in splits.items()} == {"test": 4}
    report = json.loads((out / "build.json").read_text())
    assert ["duplicate", "duplicate_notebook", 16] in report["funnel"]
