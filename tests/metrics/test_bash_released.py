"""The released predictions on test give the published figures (spec §6).

Skipped where `../shared` is absent.
"""

from pathlib import Path

import pytest

from nl2code.bash_nl.words import cluster, nl_tokens
from nl2code.instances import instances
from nl2code.metrics.bash import char_bleu, command_match, nlc2cmd, template_match, tm
from nl2code.metrics.judgements import judged_accuracy, manual_accuracy, read_judgements

DATA = Path(__file__).parents[3] / "shared/data/nl2bash"
JUDGED = DATA / "manual_judgements"

pytestmark = [
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no {DATA}"),
    pytest.mark.slow,
]
# At k = 1 and 3: char-BLEU, TM, exact match, template match, NLC2CMD, Acc_F, Acc_T.
PUBLISHED = {
    "stc": [
        *[(0.563, 0.631), (0.642, 0.709), (0.128, 0.199), (0.219, 0.307), (0.117, 0.250)],
        *[(0.36, 0.45), (0.49, 0.61)],
    ],
    "tellina": [
        *[(0.484, 0.535), (0.623, 0.695), (0.038, 0.046), (0.205, 0.285), (0.068, 0.205)],
        *[(0.27, 0.32), (0.53, 0.62)],
    ],
}
SCORES = [char_bleu, tm, command_match, template_match, nlc2cmd]


def lines(name):
    return (DATA / name).read_text(encoding="utf-8").split("\n")


def asked():
    """The instances of the published test split."""
    rows = [row.split("\t") for row in lines("published_split.tsv")[1:] if row]
    places = sorted((int(row[2]), int(row[0])) for row in rows if row[1] == "test")
    nls, commands = lines("all.nl"), lines("all.cm")
    return instances(
        {
            "id": str(line),
            "nl": nls[line - 1],
            "command": commands[line - 1],
            "cluster": cluster(nl_tokens(nls[line - 1])),
            "leaks": False,
        }
        for _, line in places
    )


@pytest.fixture(scope="module", params=PUBLISHED)
def released(request):
    judgements = read_judgements(JUDGED / f"manual.evaluations.test.{request.param}.csv")
    predictions = {}
    for one in judgements:
        predictions.setdefault(one.nl, []).append(one.prediction)
    return request.param, judgements, predictions


def test_automatic_scores_are_the_published_ones(released, capsys):
    system, _, predictions = released
    found = asked()
    golds = [one.references for one in found]
    assert (len(golds), sum(map(len, golds))) == (547, 606)
    # The judged sentence of each cluster is that of its first pair.
    assert {one.nl for one in found} == set(predictions)
    answers = [predictions[one.nl] for one in found]
    for score, published in zip(SCORES, PUBLISHED[system][:5], strict=True):
        ours = [score(answers, golds, k).value for k in (1, 3)]
        with capsys.disabled():
            print(f"\n{system} {score.__name__}", *(f"{value:.3f}" for value in ours), published)
        assert ours == pytest.approx(published, abs=0.01)


def test_manual_scores_are_the_published_ones(released, capsys):
    system, judgements, _ = released
    scores = [manual_accuracy(judgements, k) for k in (1, 3)]
    full = [score.full.value for score in scores]
    kind = [score.template.value for score in scores]
    with capsys.disabled():
        print(f"\n{system} Acc_F", *(f"{value:.3f}" for value in full), PUBLISHED[system][5])
        print(f"{system} Acc_T", *(f"{value:.3f}" for value in kind), PUBLISHED[system][6])
    assert full == pytest.approx(PUBLISHED[system][5], abs=0.01)
    # The released file has 326 sentences of 547 for ST-CopyNet's .61 in the paper.
    assert kind == pytest.approx(PUBLISHED[system][6], abs=0.015)


def test_the_look_up_has_the_published_sizes_and_knows_its_own_predictions(released):
    _, _, predictions = released
    files = sorted(JUDGED.glob("*evaluations*.csv"))
    judged = [one for file in files for one in read_judgements(file)]
    commands = {(one.nl, one.prediction) for one in judged}
    right = {(one.nl, one.prediction) for one in judged if one.correct_command}
    kinds = {(one.nl, one.template) for one in judged}
    right_kinds = {(one.nl, one.template) for one in judged if one.correct_template}
    assert (len(commands), len(right), len(kinds), len(right_kinds)) == (4792, 932, 3706, 1188)
    scores = judged_accuracy(list(predictions.values()), list(predictions), judged, 3)
    assert scores.full.counts["unjudged_share"] < 0.06  # what is empty
