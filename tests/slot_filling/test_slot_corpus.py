"""Slot filling on the published pairs; skipped where `../shared` is absent."""

from pathlib import Path

import numpy as np
import pytest

from nl2code.bash_code import NotBash, canonical
from nl2code.slot_filling import aligned, fill, read_sentence, read_template, take_apart

DATA = Path(__file__).parents[3] / "shared/data/nl2bash"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no {DATA}")


def sample(split, step):
    lines = [(DATA / name).read_text(encoding="utf-8").split("\n") for name in ("all.nl", "all.cm")]
    rows = (DATA / "published_split.tsv").read_text(encoding="utf-8").split("\n")
    fields = [row.split("\t") for row in rows[1:] if row]
    numbers = [int(line) - 1 for line, name, *_ in fields if name == split]
    return [(lines[0][number], lines[1][number]) for number in numbers[::step]]


def test_published_commands_can_be_taken_apart_and_put_together():
    for _, command in sample("dev", 11):
        template, arguments = take_apart(command)
        assert template.filled(arguments) == canonical(command, redirects=True)


def test_nearly_all_published_templates_can_be_read():
    texts = [" ".join(take_apart(command)[0].tokens) for _, command in sample("dev", 11)]
    assert sum(map(is_read, texts)) / len(texts) > 0.95


def is_read(text):
    try:
        return " ".join(read_template(text).tokens) == text
    except NotBash:
        return False


def test_most_sentences_fill_their_own_template():
    filled = total = 0
    for nl, command in sample("dev", 9):
        sentence = read_sentence(nl)
        template, arguments = take_apart(command)
        scores = aligned(sentence.constants, template.slots, arguments).astype(np.float64)
        filled += fill(template, sentence.constants, scores) is not None
        total += 1
    assert 0.75 < filled / total < 0.95
