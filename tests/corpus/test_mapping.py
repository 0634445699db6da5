import gc
import json
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq
import pytest

from nl2code.corpus import mapping
from nl2code.corpus.mapping import batches, map_notebooks
from nl2code.corpus.parts import CANDIDATES
from nl2code.corpus.targets import TargetRules
from nl2code.sources import RawNotebook

NL = "Load the table and look at its first rows, please."


def raw(path, *cells, **more):
    document = [
        {"cell_type": kind, "source": source} for kind, source in (("markdown", NL), *cells)
    ]
    return RawNotebook("ada", path, content=json.dumps({"cells": document}), **more)


def mapped(folder, notebooks):
    reported = []
    drops = map_notebooks(notebooks, folder, TargetRules(), 1, reported.append)
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


def test_batches_are_short_and_small():
    notebooks = [RawNotebook("a", str(number), content="x") for number in range(130)]
    assert [len(batch) for batch in batches(notebooks)] == [64, 64, 2]
    large = [RawNotebook("a", str(number), content="x" * 5_000_000) for number in range(5)]
    assert [len(batch) for batch in batches(large)] == [2, 2, 1]


@pytest.mark.parametrize("count", [0, 1, 3, 10])
def test_only_a_window_of_work_is_in_flight_and_results_keep_their_order(count):
    taken, largest = 0, 0

    def items():
        nonlocal taken
        for number in range(count):
            taken += 1
            yield number

    results = []
    with ThreadPoolExecutor(2) as pool:
        for result in mapping._map_bounded(pool, lambda number: number * 2, items(), 3):
            largest = max(largest, taken - len(results))
            results.append(result)
    assert results == [2 * number for number in range(count)]
    assert largest <= 3


def test_cycles_are_collected_again_after_the_map(tmp_path):
    mapped(tmp_path, [raw("a.ipynb", ("code", "x = 1"))])
    assert gc.isenabled()
