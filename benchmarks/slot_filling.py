"""How often Tellina's filler gives a command back from its own template and its NL.

python benchmarks/slot_filling.py ../shared/data/nl2bash

Two ways to score the pairs of a constant and a slot, neither of them learnt: whether the constant,
formatted, equals the argument (what the best alignment would say), and the order of appearance.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest

import numpy as np
from rich.console import Console
from rich.table import Table

from nl2code.bash_code import NotBash
from nl2code.corpus.nl2bash.sources import read_pairs
from nl2code.corpus.nl2bash.split import published_lines
from nl2code.errors import UserError, run_program
from nl2code.slot_filling import (
    Sentence,
    Template,
    aligned,
    read_sentence,
    read_template,
    take_apart,
)
from nl2code.slot_filling.alignment import without_quotes
from nl2code.slot_filling.filling import Scores, slot_values

Way = Callable[[Sentence, Template, list[str]], Scores]


def by_equality(sentence: Sentence, template: Template, arguments: list[str]) -> Scores:
    """1 where the constant, formatted, is the argument."""
    return aligned(sentence.constants, template.slots, arguments).astype(float)


def by_order(sentence: Sentence, template: Template, arguments: list[str]) -> Scores:
    """All alike, so that each constant takes the first slot that is left and fits."""
    return np.zeros((len(sentence.constants), len(template.slots)))


WAYS: dict[str, Way] = {"equality": by_equality, "order": by_order}


def main() -> None:
    """Print a table a split."""
    if len(sys.argv) != 2:
        raise UserError("usage: python benchmarks/slot_filling.py FOLDER (of all.nl and all.cm)")
    pairs = {pair.line: pair for pair in read_pairs(sys.argv[1]).pairs}
    for split in ("train", "dev"):
        lines = published_lines()[split]
        rows = [(pairs[line].nl, pairs[line].command) for line in lines]
        Console().print(table(split, rows))


def table(split: str, rows: list[tuple[str, str]]) -> Table:
    """The share of slots, by type, and of whole commands that come back."""
    counts = {name: Counter(outcomes(rows, way)) for name, way in WAYS.items()}
    printed = Table("what", "count", *WAYS, title=f"{split}: {len(rows):,} commands")
    all_names = Counter(name for name, _ in next(iter(counts.values())).elements())
    for name, count in all_names.most_common():
        right = [f"{counted[name, True] / count:.1%}" for counted in counts.values()]
        printed.add_row(name, f"{count:,}", *right)
    return printed


def outcomes(rows: list[tuple[str, str]], way: Way) -> Iterator[tuple[str, bool]]:
    """What there is to get right, and whether it is right."""
    for nl, command in rows:
        sentence = read_sentence(nl)
        gold, arguments = take_apart(command)
        values = filled(gold, sentence, way(sentence, gold, arguments))
        bare = [*map(without_quotes, arguments)]
        found = [*map(without_quotes, values)] if values is not None else []
        yield "command filled", values is not None
        yield "command exact", values == arguments
        yield "command exact but for quotes", values is not None and found == bare
        kind = "constants" if sentence.constants else "none"
        yield f"  of an NL with {kind}", values is not None and found == bare
        for slot, value, argument in zip_longest(gold.slots, found, bare):
            yield slot.type, value == argument


def filled(gold: Template, sentence: Sentence, scores: Scores) -> list[str] | None:
    """The values of the slots, if the template can be read from its text."""
    try:
        template = read_template(" ".join(gold.tokens))
    except NotBash:
        return None
    if template.tokens != gold.tokens:
        return None
    return slot_values(template.slots, sentence.constants, scores)


if __name__ == "__main__":
    run_program(main)
