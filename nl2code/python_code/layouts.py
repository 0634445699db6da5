"""Whether juice tokens are Python: they forget where blocks end, so all possible ends are tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from nl2code.python_code.magics import parse_quietly

_FOLLOWS = {
    "elif": frozenset(["if", "elif"]),
    "else": frozenset(["if", "elif", "for", "while", "except"]),
    "except": frozenset(["try", "except"]),
    "finally": frozenset(["try", "except", "else"]),
    "case": frozenset(["case"]),
}
"""The clauses that end a block, and the headers that the block may have had."""

_MAX_LAYOUTS, _MAX_STEPS = 64, 20_000
"""Enough for any text of 150 tokens; a text made to have more is no Python for us."""


@dataclass(frozen=True, slots=True)
class _Line:
    tokens: tuple[str, ...]
    indented: bool
    """An INDENT stood before it."""

    @property
    def word(self) -> str:
        """What kind of statement it is: its first word, but for `async`."""
        words = [token for token in self.tokens[:2] if token != "async"]
        return words[0] if words else ""


def parses(tokens: Sequence[str]) -> bool:
    """Whether there are ends of blocks with which the tokens are Python.

    >>> parses("if x : NEWLINE INDENT y = 1 NEWLINE else : NEWLINE INDENT y = 2".split())
    True
    >>> parses("else : NEWLINE INDENT y = 2".split()), parses("f ( x".split())
    (False, False)
    """
    return any(map(_is_python, islice(layouts(tokens), _MAX_LAYOUTS)))


def parsing_first(texts: Sequence[str]) -> tuple[list[str], bool]:
    """The whitespace-joined texts, those that parse before the others; and whether none does.

    >>> parsing_first(["f (", "f ( )", "g"])
    (['f ( )', 'g', 'f ('], False)
    """
    parsing = [text for text in texts if text and parses(text.split())]
    others = [text for text in texts if text not in parsing]
    return parsing + others, not parsing


def layouts(tokens: Sequence[str]) -> Iterator[str]:
    r"""The texts that the tokens may have been printed from, the deepest blocks first.

    A block ends only where a clause must: a plain statement may as well stay in it.

    >>> list(layouts("if x : NEWLINE INDENT y NEWLINE else : NEWLINE INDENT z".split()))
    ['if x :\n y\nelse :\n z']
    """
    lines = list(_lines(tokens))
    # What is left to try: a line's number, the headers of the blocks around it, the lines before.
    left: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = [(0, (), ())]
    for _ in range(_MAX_STEPS):
        if not left:
            return
        number, blocks, before = left.pop()
        if number == len(lines):
            yield "\n".join(before)
            continue
        above = lines[number - 1].word if number else ""
        for inside in _places(lines[number], above, blocks):
            text = " " * len(inside) + " ".join(lines[number].tokens)
            left.append((number + 1, inside, (*before, text)))


def _lines(tokens: Sequence[str]) -> Iterator[_Line]:
    """The lines; one goes on inside brackets, as Python's own tokenizer sees it."""
    line: list[str] = []
    depth, indented = 0, False
    for token in [*tokens, "NEWLINE"]:
        if token == "NEWLINE" and depth <= 0:
            if line:
                yield _Line(tuple(line), indented)
                line, indented = [], False
        elif token == "INDENT" and not line:
            indented = True
        elif token != "NEWLINE":
            line.append(token)
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
    if line:
        yield _Line(tuple(line), indented)


def _places(line: _Line, above: str, blocks: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The blocks that the line may stand in, outermost first."""
    if line.indented:
        return [(*blocks, above)]
    headers = _FOLLOWS.get(line.word)
    if headers is None or (line.word == "case" and line.tokens[-1] != ":"):
        return [blocks]
    # A clause may also follow a header whose statement stands on the header's own line.
    same = [blocks] if above in headers else []
    return [blocks[:place] for place, header in enumerate(blocks) if header in headers] + same


def _is_python(text: str) -> bool:
    try:
        parse_quietly(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
