import numpy as np
import pytest
from scipy.sparse import csr_matrix, random

from nl2code.errors import UserError
from nl2code.retrieval import (
    ANSWERS,
    answer_from_context,
    candidates_above,
    fit_tfidf,
    most_similar,
    vectorize,
)

TRAIN = [["load", "the", "data"], ["plot", "the", "data"], ["fit", "the", "model"]]


def markdown(text):
    return {"cell_type": "markdown", "nl_original": text, "code": None}


def code(text):
    return {"cell_type": "code", "nl_original": None, "code": text}


def example(nl, *above):
    return {"nl": nl.split(), "context": [markdown(nl), *above]}


@pytest.fixture(scope="module")
def vectorizer():
    return fit_tfidf(TRAIN)


def nearest(vectorizer, *nls):
    queries = vectorize(vectorizer, [nl.split() for nl in nls])
    return most_similar(queries, vectorize(vectorizer, TRAIN)).tolist()


def test_the_most_similar_nl_shares_the_rare_words(vectorizer):
    # "the" is in all three, "data" in two: the rare word decides.
    assert nearest(vectorizer, "plot the model data", "fit the data", "Plot") == [1, 2, 1]


def test_an_nl_of_unknown_words_takes_the_first(vectorizer):
    assert nearest(vectorizer, "xyzzy", "") == [0, 0]


def test_chunks_change_nothing():
    queries, candidates = (
        csr_matrix(random(rows, 12, density=0.3, rng=np.random.default_rng(seed)))
        for rows, seed in ((23, 1), (57, 2))
    )
    whole = (queries @ candidates.T).toarray().round(9).argmax(axis=1)
    assert most_similar(queries, candidates, rows=5, columns=7).tolist() == whole.tolist()


def test_a_tie_goes_to_the_first_even_across_chunks():
    same = csr_matrix(np.ones((6, 1)))
    assert most_similar(csr_matrix([[1.0]]), same, columns=2).tolist() == [0]


class ReadsWeights:
    """Stands for a vectorizer: an NL is its own weight."""

    def transform(self, nls):
        return csr_matrix([[float(nl)] for nl in nls])


def test_a_tie_does_not_hang_on_the_last_bit():
    almost = 0.1 + 0.2
    assert almost > 0.3
    assert most_similar(csr_matrix([[1.0]]), csr_matrix([[0.3], [almost]])).tolist() == [0]
    above = [code("near()"), markdown("0.3"), code("far()"), markdown(str(almost))]
    assert answer_from_context(example("1.0", *above), ReadsWeights(), ANSWERS["api"]) == ["near"]


def test_no_queries_have_no_answers():
    assert most_similar(csr_matrix((0, 3)), csr_matrix(np.eye(3))).tolist() == []


def test_training_nl_without_words_is_the_users_to_mend():
    with pytest.raises(UserError, match="no words"):
        fit_tfidf([[], ["a"]])


def test_candidates_are_code_directly_under_markdown_nearest_first():
    above = [code("b = 2"), markdown("second"), code("z"), code("a = 1"), markdown("first")]
    found = [(one.nl, one.code) for one in candidates_above([markdown("the target's"), *above])]
    assert found == [("second", "b = 2"), ("first", "a = 1")]


def test_the_target_and_its_nl_are_no_candidates(vectorizer):
    assert answer_from_context(example("plot the data"), vectorizer, ANSWERS["code"]) == []
    assert list(candidates_above([markdown("nl"), markdown("heading"), code("x")])) == []


def test_raw_cells_are_neither_nl_nor_code():
    raw = {"cell_type": "raw", "nl_original": None, "code": "x = 1"}
    assert list(candidates_above([markdown("nl"), raw, markdown("m"), code("y"), raw])) == []


def test_the_context_is_capped_in_cells(vectorizer):
    above = [code("far()"), markdown("plot the data")]
    row = example("plot the data", code("near()"), markdown("fit the model"), *above)
    assert answer_from_context(row, vectorizer, ANSWERS["api"]) == ["far"]
    assert answer_from_context(row, vectorizer, ANSWERS["api"], cells=5) == ["far"]
    assert answer_from_context(row, vectorizer, ANSWERS["api"], cells=4) == ["near"]
    assert answer_from_context(row, vectorizer, ANSWERS["api"], cells=2) == []


def test_at_a_tie_the_nearest_wins(vectorizer):
    above = [code("near()"), markdown("the model"), code("far()"), markdown("the model")]
    assert answer_from_context(example("the model", *above), vectorizer, ANSWERS["api"]) == ["near"]


def test_cells_that_are_not_python_are_passed_over(vectorizer):
    above = [code("!ls"), markdown("plot the data"), code("x='s'"), markdown("fit the model")]
    row = example("plot the data", *above)
    assert answer_from_context(row, vectorizer, ANSWERS["code"]) == ["x", "=", "'jupyter_string'"]


def test_each_task_has_its_answer(vectorizer):
    row = example("fit", code("m = Model()\nm.fit(x)"), markdown("fit the model"))
    assert answer_from_context(row, vectorizer, ANSWERS["api"]) == ["Model", "fit"]
    tokens = "m = Model ( ) NEWLINE m . fit ( x )"
    assert " ".join(answer_from_context(row, vectorizer, ANSWERS["code"])) == tokens


def test_given_code_below_the_targets_own_nl_is_no_candidate():
    above = [code("def f(x):"), markdown("nl"), code("y"), markdown("m")]
    assert [one.code for one in candidates_above(above)] == ["y"]
