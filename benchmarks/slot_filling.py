"""How often Tellina's filler gives a command back from its own template and its NL.

python benchmarks/slot_filling.py ../shared/data/nl2bash

Three ways to score the pairs of a constant and a slot: whether the constant, formatted, equals the
argument, which no model beats; all alike, in the order of appearance; and the alignment learnt
from train, on the words around in place of the states of a model.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction import FeatureHasher

from nl2code.bash_code import NotBash
from nl2code.corpus.nl2bash.sources import read_pairs
from nl2code.corpus.nl2bash.split import published_lines
from nl2code.errors import UserError, run_program
from nl2code.slot_filling import (
    Sentence,
    SlotAlignment,
    Template,
    aligned,
    read_sentence,
    read_template,
    slot_states,
    take_apart,
)
from nl2code.slot_filling.alignment import States, without_quotes
from nl2code.slot_filling.filling import Scores, slot_values

Way = Callable[[Sentence, Template, list[str]], Scores]


def by_equality(sentence: Sentence, template: Template, arguments: list[str]) -> Scores:
    """1 where the constant, formatted, is the argument."""
    return aligned(sentence.constants, template.slots, arguments).astype(float)


def by_order(sentence: Sentence, template: Template, arguments: list[str]) -> Scores:
    """All alike, so that each constant takes the first slot that is left and fits."""
    return np.zeros((len(sentence.constants), len(template.slots)))


def main() -> None:
    """Learn from train, print a table for dev."""
    if len(sys.argv) != 2:
        raise UserError("usage: python benchmarks/slot_filling.py FOLDER (of all.nl and all.cm)")
    pairs = {pair.line: pair for pair in read_pairs(sys.argv[1]).pairs}
    train, dev = (
        [(pairs[line].nl, pairs[line].command) for line in published_lines()[split]]
        for split in ("train", "dev")
    )
    ways = {"equality": by_equality, "order": by_order, "neighbours": by_neighbours(train)}
    Console().print(table(f"dev: {len(dev):,} commands", dev, ways))


def by_neighbours(rows: list[tuple[str, str]]) -> Way:
    """The alignment learnt from train, on the words around in place of a model's states."""
    encoder, decoder, labels = [], [], []
    for nl, command in rows:
        sentence = read_sentence(nl)
        template, arguments = take_apart(command)
        found = aligned(sentence.constants, template.slots, arguments)
        if found.any():
            constants, slots = slot_states(sentence, template, words_around)
            encoder.append(constants)
            decoder.append(slots)
            labels.append(found)
    learnt = SlotAlignment.fit(encoder, decoder, labels)
    return lambda sentence, template, _: learnt.score(
        *slot_states(sentence, template, words_around)
    )


def words_around(source: Sequence[str], target: Sequence[str]) -> tuple[States, States]:
    """Hashed counts of each token, of its neighbours and of how many of its kind stand before."""
    return _hashed(source), _hashed(target)


def _hashed(tokens: Sequence[str]) -> States:
    rows = []
    for place, token in enumerate(tokens):
        near = [
            (f"{step:+} {tokens[place + step]}", 1)
            for step in (-2, -1, 1, 2)
            if 0 <= place + step < len(tokens)
        ]
        nth = Counter(tokens[:place])[token]
        rows.append([(token, 1), (f"{token} {nth}", 1), (f"first {tokens[0]}", 1), *near])
    states: States = FeatureHasher(256, input_type="pair").transform(rows).toarray()
    return states


def table(title: str, rows: list[tuple[str, str]], ways: dict[str, Way]) -> Table:
    """The share of commands, and of slots by type, that come back."""
    counts = {name: Counter(outcomes(rows, way)) for name, way in ways.items()}
    printed = Table("what", "count", *ways, title=title)
    kinds = Counter(kind for kind, _ in counts["order"].elements())
    for kind, count in sorted(kinds.items(), key=lambda item: (" " not in item[0], -item[1])):
        right = [f"{counted[kind, True] / count:.1%}" for counted in counts.values()]
        printed.add_row(kind, f"{count:,}", *right)
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
        kind = "constants" if sentence.constants else "no constants"
        yield f"… of an NL with {kind}", values is not None and found == bare
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
