"""A sentence of NL2Bash → its words: what the model reads, and the key of the split (section 4).

The authors also correct the spelling with a word list that may not be passed on; we do not.
"""

from __future__ import annotations

import re
from functools import lru_cache

from nltk.stem.snowball import SnowballStemmer

_PRONOUNS = (
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its"
    " itself we us our ours ourselves they them their theirs themselves"
)
_VERBS = (
    "can could may might must shall should will would do does did doing done have has had having"
)
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"

STOP_WORDS = frozenset([*_PRONOUNS.split(), *_VERBS.split(), "the", "how", "this", "then", "there"])
"""*a*, *an*, *in*, *not* and *is* stay."""
NUMBERS = {word: str(number) for number, word in enumerate(_UNITS.split())} | {
    word: str(10 * number) for number, word in enumerate(_TENS.split(), 3)
}
"""The words for numbers, and their digits."""
_QUOTES = str.maketrans("\u201c\u201d\u201e\u2018\u2019\u00b4`", "\"\"\"''''")
# A quote opens after a blank or a bracket and closes before one: in `user's` there is none.
_QUOTED = r"""(?<![^\s(\[{,:=/])(["'])(?=\S)(?P<quoted>(?:(?!\1(?!\w)).)+)\1(?!\w)"""
_WITH_ASIDES = re.compile(rf"{_QUOTED}|(?P<word>\S+)")
_TOKEN = re.compile(rf"{_QUOTED}|\([^()]*\)|(?P<word>[^\s()]+)")
_ENDINGS = ".,;:!?"
_ALTERNATIVES = re.compile(r"(?:(?:files?|director(?:y|ies)|folders?|and|or)(?:/(?!$)|$))+")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?(?:-[a-z]+)*")
_PIECES = re.compile(r"[^\W\d_]+|\d+|\S")


def nl_tokens(nl: str) -> list[str]:
    """The normalised words; a quoted span is one, without a change but for its quotes.

    >>> nl_tokens("Find all the files (in here) bigger than ten MB, named `My File'")
    ['find', 'all', 'file', 'bigger', 'than', '10', 'mb', 'name', '"My File"']
    """
    return [token for token in map(normalised, raw_tokens(nl)) if token]


def raw_tokens(nl: str, *, asides: bool = False) -> list[str]:
    """The words as they are written, quoted spans in double quotes.

    Args:
        nl: The sentence.
        asides: Whether to keep what stands in parentheses.

    >>> raw_tokens("Print the user's files/directories, 'a b' too (twice).")
    ['Print', 'the', "user's", 'files', 'directories', '"a b"', 'too']
    """
    tokens = []
    for match in (_WITH_ASIDES if asides else _TOKEN).finditer(nl.translate(_QUOTES)):
        if match["quoted"]:
            tokens.append(f'"{match["quoted"]}"')
        elif match["word"]:
            tokens += _words(match["word"])
    return tokens


def counted_words(nl: str) -> list[str]:
    """The words that Table 3 counts: asides are there, stop words are not, nothing is stemmed.

    The paper does not say so; of the ways to count, this one gives its figures.

    >>> counted_words("Print all the files (or directories)")
    ['Print', 'all', 'files', 'or', 'directories']
    """
    return [word for word in raw_tokens(nl, asides=True) if word.lower() not in STOP_WORDS]


def _words(text: str) -> list[str]:
    word = text.strip("()[]\"'" + _ENDINGS) if _is_prose(text) else text.rstrip(_ENDINGS)
    if _ALTERNATIVES.fullmatch(word.lower()):
        return word.split("/")
    return [word] if word else []


def _is_prose(text: str) -> bool:
    return any(character.isalnum() for character in text) and not text.startswith(".")


def normalised(token: str) -> str:
    """The token as the model reads it; empty for a stop word."""
    word = token.lower()
    if word in STOP_WORDS:
        return ""
    if word in NUMBERS:
        return NUMBERS[word]
    return _stem(word) if _WORD.fullmatch(word) else token  # quoted, or a constant


def is_quoted(token: str) -> bool:
    """Whether the token is a quoted span."""
    return len(token) > 2 and token[0] == token[-1] == '"'


@lru_cache(20_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stem(word))


_STEMMER = SnowballStemmer("english")


def cluster(tokens: list[str]) -> str:
    """The normalised NL, which groups pairs: no two splits share one (section 2)."""
    return " ".join(tokens)


def sub_tokens(tokens: list[str]) -> list[str]:
    """Runs of letters, runs of digits, other characters singly.

    >>> sub_tokens(["find", '"*.mp3"'])
    ['find', '"', '*', '.', 'mp', '3', '"']
    """
    return [piece for token in tokens for piece in _PIECES.findall(token)]
