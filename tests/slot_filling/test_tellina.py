"""From a model's templates to commands."""

import numpy as np

from nl2code.slot_filling import SlotAlignment, answer, tellina


def in_order(sentence, template):
    return np.zeros((len(sentence.constants), len(template.slots)))


def test_commands_come_in_the_order_of_their_templates_and_none_twice():
    templates = ["find Path -size Size", "find Path -size +Size", "find Path -size  Size"]
    assert tellina("10 MB", templates, in_order) == ["find . -size 10M", "find . -size +10M"]


def test_templates_that_are_none_or_cannot_be_filled_are_dropped():
    templates = ["ls (", "", "nosuch Size", "ls -l", "ls File", "find Path -size Size"]
    assert tellina("10 MB", templates, in_order) == ["find . -size 10M"]


def test_no_more_templates_are_filled_than_commands_are_asked_for():
    read = []

    def reads(sentence, template):
        read.append(" ".join(template.tokens))
        return in_order(sentence, template)

    templates = ["find Path", "find Path -size Size", "find Path -size +Size", "du -t Size"]
    assert tellina("10 MB", templates, reads, most=1) == ["find . -size 10M"]
    assert read == templates[:2]


def test_no_template_gives_no_command():
    assert tellina("10 MB", [], in_order) == []


KNOWN = ["from", "to", "mv", "first", "second"]


def states(source, target):
    """One-hot: what a token is, or what it stands behind."""
    before = ["", *source][: len(source)]
    encoder = np.array([[word == known for known in KNOWN] for word in before], float)
    order = {"File": 0}
    decoder = np.zeros((len(target), len(KNOWN)))
    for place, token in enumerate(target):
        if token in order:
            decoder[place, 3 + order[token]] = 1
            order[token] += 1
    return encoder, decoder


def test_the_states_of_constants_and_slots_decide_what_goes_where():
    # Learnt: what stands behind `from` is the first file, and what stands behind `to` the second.
    encoder, decoder = np.eye(5)[[0, 1]], np.eye(5)[[3, 4]]
    alignment = SlotAlignment.fit([encoder] * 10, [decoder] * 10, [np.eye(2, dtype=bool)] * 10)
    for nl in ("rename from 'a' to 'b'", "rename to 'b' from 'a'"):
        assert answer({"nl": nl}, ["mv File File"], states, alignment) == ["mv a b"]


def test_a_sentence_without_constants_is_answered_with_defaults():
    alignment = SlotAlignment.fit([np.eye(5)] * 2, [np.eye(5)] * 2, [np.eye(5, dtype=bool)] * 2)
    assert answer({"nl": "list all"}, ["find Path"], states, alignment) == ["find ."]
    assert answer({"nl": "list all"}, ["ls"], states, alignment) == ["ls"]
