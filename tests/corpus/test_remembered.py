"""What is remembered of cells changes no answer and stays small."""

from nl2code.corpus import remembered
from nl2code.corpus.remembered import names_above, read_target, words_of


def test_long_cells_are_not_remembered():
    memories = (remembered._short_target, remembered._short_words, remembered._short_names)
    before = [memory.cache_info().currsize for memory in memories]
    long = "x = 1  # " + "a" * remembered._SHORT
    assert read_target(long, truncate=False).tokens == ("x", "=", "1")
    assert words_of(long)[0][:3] == ("x", "=", "1")
    assert names_above(long, None).variables == {"x"}
    assert [memory.cache_info().currsize for memory in memories] == before


def test_a_cell_read_again_gives_the_same_for_each_rule():
    long = " + ".join(["a"] * 80)
    for _ in range(2):
        assert read_target(long, truncate=False).reason == "long_code"
        assert len(read_target(long, truncate=True).tokens) == 120
