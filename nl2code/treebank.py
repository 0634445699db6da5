"""Sentences → words as the Penn Treebank writes them, the tokens of the `nl` column.

NLTK's tokenizer gives the same words, which a test holds. Loading it takes longer than a small
build, in each worker, and its time limit makes its answer depend on the machine.
"""

from __future__ import annotations

import re

_WORDS_ALONE = re.compile(r"[\w\s]*")  # a fourth of the sentences, headings above all
_OPENING_QUOTE = re.compile("(?<=[ ([{<])(?:\"|'')")
_SEPARATOR = re.compile(r"([:,])(\D|$)")  # in `1,000` and `12:30` it belongs to the number
_LAST_PERIOD = re.compile(r"(?<=[^.])\.([])}>\"']*)\s*$")
_SIGN, _BRACKET = re.compile("([;@#$%&?!])"), re.compile(r"([][(){}<>])")
_CLOSING_QUOTE = re.compile("(?<=[^'])' ")
_SHORT_ENDING = re.compile("(?<=[^' ])('[sSmMdD]?) ")
_LONG_ENDING = re.compile("(?<=[^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ")
_FUSED = re.compile(
    r"\b(can(?=not\b)|d(?='ye\b)|gim(?=me\b)|gon(?=na\b)|got(?=ta\b)|lem(?=me\b)|more(?='n\b)"
    r"|wan(?=na\s))(not|'ye|me|na|ta|'n)",
    re.IGNORECASE,
)
_FUSED_PARTS = ("cannot", "d'ye", "gimme", "gonna", "gotta", "lemme", "more'n", "wanna")
_IT_IS, _IT_WAS = (re.compile(rf" ('t)({verb})\b", re.IGNORECASE) for verb in ("is", "was"))


def treebank_words(sentence: str) -> list[str]:
    r"""The words, punctuation and endings of a sentence.

    >>> treebank_words('Don\'t stop at 1,000 (or "more").')
    ['Do', "n't", 'stop', 'at', '1,000', '(', 'or', '``', 'more', "''", ')', '.']
    """
    if _WORDS_ALONE.fullmatch(sentence):
        return _fused_apart(f" {sentence} ").split()
    text = "``" + sentence[1:] if sentence.startswith('"') else sentence
    # What is not there need not be looked for by a pattern, which takes much longer.
    if '"' in text or "''" in text or "``" in text:
        text = _OPENING_QUOTE.sub(" `` ", text.replace("``", " `` "))
    if ":" in text or "," in text:
        text = _SEPARATOR.sub(lambda match: f" {match[1]} {match[2]}", text)
    if "." in text:
        text = text.replace("...", " ... ")
        text = _LAST_PERIOD.sub(lambda match: f" .{match[1]} ", text)
    text = " ".join(_SIGN.split(text))
    if "'" in text:
        text = _CLOSING_QUOTE.sub(" ' ", text)
    text = " ".join(_BRACKET.split(text)).replace("--", " -- ")
    text = f" {text} ".replace("''", " '' ").replace('"', " '' ")
    if "'" in text:
        text = _LONG_ENDING.sub(r" \1 ", _SHORT_ENDING.sub(r" \1 ", text))
    text = _fused_apart(text)
    if "'" in text:
        text = _IT_WAS.sub(r" \1 \2 ", _IT_IS.sub(r" \1 \2 ", text))
    return text.split()


def _fused_apart(text: str) -> str:
    """The text with its contractions, such as `cannot`, in two words."""
    lower = text.lower()
    # Beyond ASCII, other letters pass for `i` where case is ignored.
    may_be = not text.isascii() or any(part in lower for part in _FUSED_PARTS)
    return _FUSED.sub(_two, text) if may_be else text


def _two(match: re.Match[str]) -> str:
    return f" {match[1]} {match[2]} "
