"""Our words are NLTK's, on sentences made of all that its rules know."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize.treebank import TreebankWordTokenizer

from nl2code.treebank import treebank_words

QUOTES = ["'", "''", '"', "`", "``"]
SIGNS = [*",:.-([{<>;?!$&)", "...", "--", "…", " ", " ", "\n", "\u2028"]
ENDINGS = ["'s", "'S", "'m", "'D", "n't", "N'T", "'ll", "'RE"]
FUSED = ["cannot", "Gimme", "gonna", "gotta", "lemme", "wanna", "more'n", "d'ye", "'tis", "'Twas"]
FUSED += ["g\u0130mme", "g\u0131mme"]  # where case is ignored, these letters are an `i`
PIECES = [*QUOTES, *SIGNS, *ENDINGS, *FUSED, "a", "x", "é", "1", "٣", "3.5", "1,000"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join))
def test_words_are_nltk_s(sentence: str) -> None:
    assert treebank_words(sentence) == TreebankWordTokenizer().tokenize(sentence)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("", ""),
        ("It's 1,000: e.g. this, that...", "It 's 1,000 : e.g. this , that ..."),
        ('"One" (two) said "three".', "`` One '' ( two ) said `` three '' ."),
        ("You cannot, can't or gonna.", "You can not , ca n't or gon na ."),
        ("the boys' -- 'tis 5%!", "the boys ' -- 't is 5 % !"),
    ],
)
def test_words_stand_apart(sentence: str, words: str) -> None:
    assert treebank_words(sentence) == words.split()
