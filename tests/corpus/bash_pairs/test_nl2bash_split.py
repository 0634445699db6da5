"""The split of NL2Bash: the published one, and the rule."""

import random

from nl2code.corpus.nl2bash.split import (
    Keys,
    published_exclusions,
    published_lines,
    published_utilities,
    split_by_rule,
)


def test_the_published_split_has_the_papers_sizes_and_no_line_twice():
    lines = published_lines()
    assert {split: len(found) for split, found in lines.items()} == {
        "train": 8_090,
        "dev": 609,
        "test": 606,
    }
    taken = [line for found in lines.values() for line in found]
    excluded = [line for found in published_exclusions().values() for line in found]
    assert sorted(taken + excluded) == list(range(1, 12_608))


def test_the_published_corpus_has_102_utilities_most_frequent_first():
    assert len(set(published_utilities())) == len(published_utilities()) == 102
    assert published_utilities()[:3] == ["find", "xargs", "grep"]


def rows(count=300):
    return [Keys(line, f"say {line // 2:03}", f"echo {line}") for line in range(1, count)]


def test_a_cluster_is_in_one_split_and_all_splits_have_some():
    splits = split_by_rule(rows())
    clusters = {split: {line // 2 for line in lines} for split, lines in splits.items()}
    assert all(clusters.values())
    assert sum(map(len, clusters.values())) == len(set.union(*clusters.values()))
    assert sorted(line for lines in splits.values() for line in lines) == list(range(1, 300))


def test_the_split_does_not_hang_on_the_order_of_the_pairs_or_on_other_draws():
    shuffled = rows()
    random.Random(1).shuffle(shuffled)
    assert split_by_rule(shuffled) == split_by_rule(rows())


def test_a_draw_is_one_of_twelve_by_the_authors_seed():
    draws = random.Random(100)
    expected = [draws.randint(0, 11) for _ in range(150)]
    splits = split_by_rule(Keys(line, f"{line:03}", f"{line}") for line in range(150))
    assert splits["dev"] == [line for line, drawn in enumerate(expected) if drawn == 10]
    assert splits["test"] == [line for line, drawn in enumerate(expected) if drawn == 11]


def test_a_split_stands_by_cluster_and_then_by_line():
    same = [Keys(line, cluster, "ls") for line, cluster in [(1, "b"), (2, "a"), (4, "b"), (3, "b")]]
    assert split_by_rule(same)["train"] == [2, 1, 3, 4]


def test_a_command_that_stands_in_train_is_held_out_nowhere():
    same = [Keys(row.line, row.cluster, "ls") for row in rows()]
    splits = split_by_rule(same)
    assert {split: len(lines) for split, lines in splits.items()} == {
        "train": 299,
        "dev": 0,
        "test": 0,
    }
