"""From the published pairs and the released predictions to the published scores, by score.py.

Skipped where `../shared` is absent.
"""

import json
from pathlib import Path

import pytest
from small_juice import cache_in, recipe, run, write_lines

import nl2bash
from nl2code.dataset import read_split
from nl2code.metrics.judgements import read_judgements

DATA = Path(__file__).parents[3] / "shared/data/nl2bash"
JUDGED = DATA / "manual_judgements"

pytestmark = [
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no {DATA}"),
    pytest.mark.slow,
]
# At k = 1 and 3 (spec §6); a few of either system's predictions are judged in the other's file.
PUBLISHED = {
    "stc": {
        "char_bleu": (0.563, 0.631),
        "tm": (0.642, 0.709),
        "command_match": (0.128, 0.199),
        "template_match": (0.219, 0.307),
        "nlc2cmd": (0.117, 0.250),
        "judged_f": (0.36, 0.45),
    },
    "tellina": {
        "char_bleu": (0.484, 0.535),
        "tm": (0.623, 0.695),
        "command_match": (0.038, 0.046),
        "template_match": (0.205, 0.285),
        "nlc2cmd": (0.068, 0.205),
        "judged_f": (0.27, 0.32),
    },
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("built") / "nl2bash"
    nl2bash.main(["build", str(DATA), "--out", str(out), "--no-install"])
    return out


@pytest.mark.parametrize("system", PUBLISHED)
def test_the_released_predictions_get_the_published_scores(built, system, tmp_path, monkeypatch):
    cache_in(tmp_path / "cache", monkeypatch)
    ids = {}
    for row in read_split(str(built), "test"):
        ids.setdefault(row["nl"], row["id"])
    written = {}
    for one in read_judgements(JUDGED / f"manual.evaluations.test.{system}.csv"):
        written.setdefault(ids[one.nl], []).append(one.prediction)
    lines = [
        {"id": name, "prediction": ones[0], "candidates": ones} for name, ones in written.items()
    ]
    predictions, out = write_lines(tmp_path / "p.jsonl", lines), tmp_path / "scores.json"
    options = {"data": built, "split": "test", "task": "bash", "judgements": JUDGED, "out": out}
    run(recipe("score"), monkeypatch, predictions=predictions, **options)
    report = json.loads(out.read_text())
    for name, published in PUBLISHED[system].items():
        ours = [report["scores"][f"{name}@{k}"]["value"] for k in (1, 3)]
        assert ours == pytest.approx(published, abs=0.01), name
    firm = report["without_leaks"]
    assert (report["rows"], report["pairs"], report["missing"]) == (547, 606, 0)
    assert (firm["rows"], report["pairs"] - firm["pairs"]) == (535, 23)
