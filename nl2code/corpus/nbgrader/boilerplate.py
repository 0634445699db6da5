"""A solution cell → the answer and what the instructor gave (paper, section 3.2)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import takewhile
from textwrap import dedent

from nl2code.corpus.nbgrader.placeholders import PLACEHOLDER, is_code, is_placeholder
from nl2code.python_code.magics import NotPython
from nl2code.python_code.parsing import read_python

_MOST = 0.75
_MARK = re.compile(r"([ \t]*)#+[ \t]*(BEGIN|END) SOLUTION\b", re.IGNORECASE)


def has_solution_marks(source: str) -> bool:
    """Whether an instructor marked the answer with `### BEGIN SOLUTION`."""
    return any(mark[2].upper() == "BEGIN" for mark in map(_MARK.match, source.split("\n")) if mark)


def split_marked(source: str) -> tuple[str, str]:
    r"""The answer between `### BEGIN SOLUTION` and `### END SOLUTION`, and the cell around it.

    Marks may be nested; without an END the answer goes on to the end of the cell.

    >>> split_marked("def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION")
    ('return 1', 'def f():\n    # YOUR CODE HERE')
    """
    answer: list[str] = []
    around: list[str] = []
    depth = 0
    for line in source.split("\n"):
        mark = _MARK.match(line)
        if mark and mark[2].upper() == "BEGIN":
            around += [mark[1] + PLACEHOLDER] * (depth == 0)
            depth += 1
        elif mark:
            depth = max(0, depth - 1)
        else:
            (answer if depth else around).append(line)
    code = _tidy("\n".join(answer))
    return (code if is_code(code) else _without_marks(source)), _tidy("\n".join(around))


def _without_marks(source: str) -> str:
    return "\n".join(line for line in source.split("\n") if not _MARK.match(line)).rstrip()


def split_given(source: str, releases: Iterable[str], others: Iterable[str]) -> tuple[str, str]:
    r"""The answer without what was given, and what was given.

    What stands in the release nearest to the answer was given. Without a release it is what
    stands above a placeholder, or the signature and docstring that most of `others`, other
    answers, have too. Where the rest would be no code, all of the cell is the answer.

    >>> split_given("def f(x):\n    y = 2\n    return y", ["def f(x):\n    # YOUR CODE HERE"], [])
    ('y = 2\nreturn y', 'def f(x):\n    # YOUR CODE HERE')
    """
    lines = [line.rstrip() for line in source.split("\n")]
    everything = set(range(len(lines)))
    release = _nearest(releases, lines)
    if release is not None:
        ways = [_common(release, lines), _ends(release, lines), _same_head(release, lines), set()]
    else:
        ways = [_above_placeholder(lines) | _agreed(lines, list(others)), set()]
    answers = [everything - given - _placeholders(lines) for given in ways]
    answer = next((a for a in answers if is_code(_tidy(_kept(lines, a)))), answers[-1])
    boilerplate = _kept(lines, everything - answer) if release is None else "\n".join(release)
    return _tidy(_kept(lines, answer)), boilerplate.strip("\n")


def _nearest(releases: Iterable[str], lines: list[str]) -> list[str] | None:
    texts = sorted({_tidy(release) for release in releases} - {""})
    ranked = [text.split("\n") for text in texts]
    return max(ranked, key=lambda release: len(_common(release, lines)), default=None)


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    return dedent("\n".join(lines)).strip("\n")


def _kept(lines: list[str], numbers: set[int]) -> str:
    return "\n".join(line for number, line in enumerate(lines) if number in numbers)


def _placeholders(lines: list[str]) -> set[int]:
    return {number for number, line in enumerate(lines) if is_placeholder(line)}


def _common(release: list[str], lines: list[str]) -> set[int]:
    """The numbers of the lines that the release has too, in this order."""
    blocks = SequenceMatcher(None, release, lines, autojunk=False).get_matching_blocks()
    return {number for block in blocks for number in range(block.b, block.b + block.size)}


def _above_placeholder(lines: list[str]) -> set[int]:
    return set(range(min(_placeholders(lines), default=0)))


def _ends(release: list[str], lines: list[str]) -> set[int]:
    """The first and the last lines that the release has too."""
    first = _shared(lines, release)
    last = _shared(lines[::-1], release[::-1])
    return {n for n in range(len(lines)) if n < first or n >= len(lines) - last}


def _shared(lines: Iterable[str], others: Iterable[str]) -> int:
    pairs = zip(lines, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _agreed(lines: list[str], others: list[str]) -> set[int]:
    """The lines of a signature and docstring that most others begin with, and their `return`.

    Students also agree on what is no boilerplate, `x = np.load("x.npy")`; on a docstring, never.
    """
    head = _head("\n".join(lines))
    heads = [_words(_head(other)) for other in others]
    if not head or heads.count(_words(head)) < _MOST * len(heads) or not heads:
        return set()
    given = set(range(len(head)))
    ends = [other.rstrip().rsplit("\n", 1)[-1].rstrip() for other in others]
    last = max(number for number, line in enumerate(lines) if line)
    if lines[last].lstrip().startswith("return ") and ends.count(lines[last]) >= _MOST * len(ends):
        given.add(last)
    return given


def _same_head(release: list[str], lines: list[str]) -> set[int]:
    """The lines of the signature and docstring, if only the docstring was edited."""
    head, given = _head("\n".join(lines)), _head("\n".join(release))
    return set(range(len(head))) if head[:1] == given[:1] else set()


def _head(source: str) -> list[str]:
    """The lines from the top to the end of the first statement's docstring, if it has one."""
    try:
        _, tree = read_python(source)
    except NotPython:
        return []
    match tree.body[:1]:
        case [ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as text, *_])]:
            return source.split("\n")[: text.end_lineno]
    return []


def _words(lines: list[str]) -> list[str]:
    return " ".join(line for line in lines if not is_placeholder(line)).split()
