"""What a model says of a text is what its beam search says when it finds that text."""

import pytest
from tiny_models import KINDS, SOURCES, make

from nl2code.decoding import Search, log_probabilities, ranked
from nl2code.decoding.decode import search


@pytest.mark.parametrize("begun", [[], [9, 4]])
@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_has_the_score_that_the_search_gave_it(kind: str, begun: list[int]) -> None:
    model, how = make(kind), Search(beams=4, longest=7, length_penalty=1.3)
    found = search(model, SOURCES, how, [begun] * len(SOURCES) if begun else ())
    for source, beams in zip(SOURCES, found, strict=True):
        texts = [beam.tokens for beam in beams]
        scores = log_probabilities(model, source, begun, texts)
        expected = [beam.score * len(beam.tokens) ** 1.3 for beam in beams]
        assert scores == pytest.approx(expected, rel=1e-5, abs=1e-6)
        assert ranked(scores, texts, 1.3) == [0, 1, 2, 3]


def test_texts_of_several_lengths_do_not_touch_each_other() -> None:
    model = make("copying")
    texts = [[5, 2], [9, 4, 7, 11, 22, 2], [2]]
    alone = [log_probabilities(model, SOURCES[0], [8], [text])[0] for text in texts]
    assert log_probabilities(model, SOURCES[0], [8], texts) == pytest.approx(alone, rel=1e-5)


def test_a_larger_length_penalty_prefers_the_longer_text() -> None:
    texts = [[5, 2], [5, 6, 7, 2]]
    assert ranked([-1.0, -2.5], texts, 1.0) == [0, 1]
    assert ranked([-1.0, -2.5], texts, 2.0) == [1, 0]
