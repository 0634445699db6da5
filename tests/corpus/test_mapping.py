import gc
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nl2code.corpus import mapping
from nl2code.corpus.mapping import batches, map_notebooks
from nl2code.corpus.parts import CANDIDATES
from nl2code.corpus.targets import TargetRules
from nl2code.corpus.workers import Workers
from nl2code.dumps import RawNotebook

ROOT = Path(__file__).parents[2]
NL = "Load the table and look at its first rows, please."


def raw(path, *cells, **more):
    document = [
        {"cell_type": kind, "source": source} for kind, source in (("markdown", NL), *cells)
    ]
    return RawNotebook("ada", path, content=json.dumps({"cells": document}), **more)


def mapped(folder, notebooks):
    reported = []
    drops = map_notebooks(notebooks, folder, TargetRules(), Workers(1), reported.append)
    files = sorted((folder / CANDIDATES).glob("*.parquet"))
    paths = [row["path"] for file in files for row in pq.read_table(file)["metadata"].to_pylist()]
    return paths, drops, reported


def test_every_notebook_is_counted_where_it_ends(tmp_path):
    notebooks = [
        raw("good.ipynb", ("code", "x = 1")),
        RawNotebook("ada", "broken.ipynb", content="{"),
        raw("no_code.ipynb"),
        raw("shell.ipynb", ("code", "!ls")),
    ]
    paths, drops, reported = mapped(tmp_path, notebooks)
    assert paths == ["good.ipynb"]
    assert (drops.notebooks, reported) == (4, [4])
    assert drops.unreadable == {"broken_json": 1}
    assert drops.filtered == {"no_code": 1}
    assert drops.targets == {"shell_command": 1}


def test_a_fault_of_ours_costs_one_notebook(tmp_path, monkeypatch, capsys):
    examples = mapping.training_examples

    def faulty(notebook, rules, drops):
        if notebook.path == "odd.ipynb":
            raise RecursionError
        return examples(notebook, rules, drops)

    monkeypatch.setattr(mapping, "training_examples", faulty)
    notebooks = [raw(name, ("code", "x = 1")) for name in ("odd.ipynb", "good.ipynb")]
    paths, drops, _ = mapped(tmp_path, notebooks)
    assert (paths, drops.filtered) == (["good.ipynb"], {"our_fault": 1})
    assert "ada/odd.ipynb" in capsys.readouterr().err


def test_a_full_disk_is_no_fault_of_a_notebook(tmp_path, monkeypatch):
    def full(notebook, rules, drops):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mapping, "training_examples", full)
    with pytest.raises(OSError, match="No space left"):
        mapped(tmp_path, [raw("good.ipynb", ("code", "x = 1"))])


def numbered(blocks, *more):
    """A notebook of so many blocks: its targets are unlike each other."""
    cells = list(more)
    for number in range(blocks):
        cells += [
            ("markdown", f"{NL} It is number {number}."),
            ("code", f"x{number} = f({number})"),
        ]
    return raw("long.ipynb", *cells)


@pytest.mark.parametrize(("held", "groups"), [(1, 5), (10**9, 1)])
def test_a_long_notebook_is_written_a_few_rows_at_a_time(tmp_path, monkeypatch, held, groups):
    monkeypatch.setattr(mapping, "_HELD_KEYS", held)
    map_notebooks([numbered(100)], tmp_path, TargetRules(), Workers(1), lambda count: None)
    (file,) = (tmp_path / "candidates").glob("*")
    parquet = pq.ParquetFile(file)
    assert parquet.num_row_groups == groups
    rows = parquet.read().to_pylist()
    assert [row["code"] for row in rows] == [f"x{number} = f({number})" for number in range(100)]
    assert {row["notebook_row"] for row in rows} == {0}


def test_a_fault_within_a_long_notebook_stops_neither_the_build_nor_its_count(
    tmp_path, monkeypatch
):
    def faulty(notebook, rules, drops):
        yield from ()
        raise RecursionError

    monkeypatch.setattr(mapping, "training_examples", faulty)
    drops = map_notebooks([numbered(1)], tmp_path, TargetRules(), Workers(1), lambda count: None)
    assert drops.filtered == {"our_fault": 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells",
    [
        # 500 targets that show 2.5 million cells of context together
        ([("markdown", NL)] * 5 + [("code", "x = 1")] * 15) * 500,
        [("markdown", f"{NL} " * 15_000), ("code", f"x = 1  # {'y' * 10**6}")] * 20,
    ],
    ids=["10,000 cells", "cells of 1 MB"],
)
def test_a_build_of_an_enormous_notebook_stays_small(tmp_path, cells):
    texts = [(kind, f"{text} # {number}") for number, (kind, text) in enumerate(cells)]
    table = [
        {"repo": repo, "path": "a.ipynb", "content": notebook.content}
        for repo, notebook in (
            ("ada", raw("a.ipynb", *texts)),
            ("bob", numbered(1)),
            ("cy", raw("c.ipynb", ("code", "y = g(2)"))),
        )
    ]
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "dump.parquet")
    command = [sys.executable, "-m", "juice", "build", tmp_path / "dump.parquet", "--no-install"]
    command += ["--out", tmp_path / "out", "--dev-test", "repositories", "--workers", "2"]
    # By a small process: a child's peak begins with that of the process which started it.
    look = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    peak = subprocess.run(
        [sys.executable, "-c", look, *map(str, command)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert int(peak.stdout) < 1_000_000  # KB, of the largest process


def test_batches_are_short_and_small():
    notebooks = [RawNotebook("a", str(number), content="x") for number in range(130)]
    assert [len(batch) for batch in batches(notebooks)] == [64, 64, 2]
    large = [RawNotebook("a", str(number), content="x" * 5_000_000) for number in range(5)]
    assert [len(batch) for batch in batches(large)] == [2, 2, 1]


def test_cycles_are_collected_again_after_the_map(tmp_path):
    mapped(tmp_path, [raw("a.ipynb", ("code", "x = 1"))])
    assert gc.isenabled()
