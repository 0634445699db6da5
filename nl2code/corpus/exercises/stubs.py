"""What an exercise leaves open in a cell, and what of it is given (paper, section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from operator import itemgetter

from nl2code.python_code import NotPython, strip_magics
from nl2code.python_code.parsing import Token, read_tokens
from nl2code.records import Cell

MAX_CHARACTERS = 20_000
"""Of a cell: no target of 120 tokens is that long, and comparing lines takes quadratic time."""


def why_no_answer(cell: Cell, stubs: Sequence[Cell]) -> str | None:
    """Why the cell adds nothing to the stubs that the exercise has in its place.

    Returns:
        `long_cell`, `no_statement`, `same_code`, `other_literals`, `all_given`, or None.
    """
    if len(cell.source) > MAX_CHARACTERS:
        return "long_cell"
    answer = code_tokens(cell.source)
    if not answer:
        return "no_statement"
    for stub in stubs:
        given = code_tokens(stub.source)
        if given == answer:
            return "same_code"
        if _without_literals(given) == _without_literals(answer):
            return "other_literals"
    return "all_given" if code_tokens(given_lines(stubs, cell)) == answer else None


_BLANK = frozenset({"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER"})


@lru_cache(maxsize=64)
def code_tokens(source: str) -> tuple[Token, ...]:
    r"""The code alone, to compare: without comments and blanks.

    >>> code_tokens("x = [1,\n 2]  # two") == code_tokens("# two\nx=[1, 2]\n")
    True
    """
    try:
        tokens = read_tokens(strip_magics(source))
        return tuple(token for token in tokens if token.kind not in _BLANK)
    except (NotPython, SyntaxError):
        lines = ("".join(line.split()) for line in source.splitlines())
        return tuple(Token("LINE", line) for line in lines if line and not line.startswith("#"))


def _without_literals(tokens: Sequence[Token]) -> list[Token]:
    """Another path or number of epochs is no solution."""
    return [Token(t.kind, "") if t.kind in ("NUMBER", "STRING") else t for t in tokens]


_COMMENT = re.compile(
    r"""[\W_]* (?:todo[\W_]*)? (?:(?:put|write|add|insert|enter|type|fill\ in|start) \s)?
    (?:(?:your|the|some|own) \s)* (?:code|answer|solution|implementation)? \s?
    (?:goes \s)? (?:here|below)? [\W_]*""",
    re.IGNORECASE | re.VERBOSE,
)
_STUB = re.compile(
    r"pass|\.\.\.|raise NotImplementedError.*|return(?: None)?"
    r"|[\w., ]*\w *= *(?:None|\.\.\.|_+)?(?: *#.*)?"
)


def given_lines(stubs: Sequence[Cell], solution: Cell) -> str:
    """The lines of the likest stub that the solution keeps, placeholders aside."""
    return max((_kept(stub.source, solution.source) for stub in stubs), key=len, default="")


def whole_stub(stubs: Sequence[Cell], solution: Cell) -> str | None:
    r"""The stub that the solution fills in, empty where it tells nothing; or None.

    None where it holds code that the solution lacks: a reader's answer, or another version of the
    cell. Of several stubs it is the likest, or none where the solution keeps no line of any.

    >>> whole_stub([Cell("code", "# As a percentage\nrate = ")], Cell("code", "rate = 1"))
    '# As a percentage\nrate = '
    """
    kept = [_kept(stub.source, solution.source) for stub in stubs]
    if len(stubs) > 1 and not any(kept):
        return "" if not any(_adds_code(stub.source, solution.source) for stub in stubs) else None
    stub = max(zip(map(len, kept), stubs, strict=True), key=itemgetter(0), default=None)
    if stub is None:
        return ""
    source = stub[1].source
    if _adds_code(source, solution.source):
        return None
    tells = (not is_placeholder(line) or "=" in line for line in source.splitlines())
    return source.strip("\n") if any(tells) else ""


_TEXT = re.compile(r"(\"\"\"|''').*?\1", re.DOTALL)


def _adds_code(stub: str, solution: str) -> bool:
    """Whether the stub has code, not comments or docstrings alone, that the solution lacks."""
    lines = _TEXT.sub(lambda match: "\n" * match[0].count("\n"), stub).splitlines()
    kept = set(_kept_numbers(lines, solution))
    rest = (line for number, line in enumerate(lines) if number not in kept)
    return not all(line.lstrip().startswith("#") or is_placeholder(line) for line in rest)


def _kept(stub: str, solution: str) -> str:
    lines = stub.splitlines()
    kept = [lines[number] for number in _kept_numbers(lines, solution)]
    return "\n".join(line for line in kept if not is_placeholder(line))


def _kept_numbers(lines: Sequence[str], solution: str) -> Iterator[int]:
    """The numbers of the lines of a stub that the solution has too, blanks aside."""
    there = [(number, line) for number, line in enumerate(_squeezed(lines)) if line]
    here = list(filter(None, _squeezed(solution.splitlines())))
    for block in SequenceMatcher(None, [line for _, line in there], here).get_matching_blocks():
        yield from (number for number, _ in there[block.a : block.a + block.size])


def _squeezed(lines: Sequence[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def is_placeholder(line: str) -> bool:
    """Whether the line only holds the place of the solution.

    >>> is_placeholder("    # TODO: your code here"), is_placeholder("# TODO: sort the list")
    (True, False)
    >>> is_placeholder("x = ..."), is_placeholder(")")
    (True, False)
    """
    code = line.strip()
    if code.startswith("#"):
        return bool(_COMMENT.fullmatch(code)) or only_says_solution(code)
    return not code or bool(_STUB.fullmatch(code))


def without_marker(source: str) -> str:
    r"""The source without a comment on top that only says that this is the solution.

    >>> without_marker("# to_remove solution\n\nx = 1"), without_marker("# The mean\nx = 1")
    ('x = 1', '# The mean\nx = 1')
    """
    return _MARKERS_ON_TOP.sub("", source, count=1) if _MARKERS_ON_TOP.match(source) else source


_MARKER = (
    r"[\W\d_]*(?:(?:my|the|our|a|to[ _]remove) )?(?:(?:sample|possible|example) )?"
    r"(?:solutions?|answers?)[\W\d_]*"
)
_IS_MARKER = re.compile(_MARKER, re.IGNORECASE)
_MARKERS_ON_TOP = re.compile(rf"(?:\s*#{_MARKER}\n)+\s*", re.IGNORECASE)


def only_says_solution(text: str) -> bool:
    """Whether markdown or a comment announces the solution and says nothing else.

    >>> only_says_solution("### Solution 2:"), only_says_solution("A solution needs two loops.")
    (True, False)
    """
    return _IS_MARKER.fullmatch(text) is not None
