"""A solution cell → the answer and what the instructor gave (paper, section 3.2)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from textwrap import dedent

from nl2code.python_code.magics import NotPython
from nl2code.python_code.parsing import read_python

PLACEHOLDER = "# YOUR CODE HERE"
_PLACEHOLDER = re.compile(
    r"[ \t]*(?:#+[ \t]*(?:(?:put|write|insert|add|type|enter)[ \t]+)?"
    r"your[ \t]+(?:code|answer|solution)(?:[ \t]+goes)?[ \t]+(?:here|below)\b.*"
    r"|raise[ \t]+NotImplementedError\b[^;]*)",
    re.IGNORECASE,
)
_MARK = re.compile(r"([ \t]*)#+[ \t]*(BEGIN|END) SOLUTION\b", re.IGNORECASE)


def is_placeholder(line: str) -> bool:
    """Whether the line only stands where the answer goes.

    >>> [is_placeholder(line) for line in ("  # YOUR CODE HERE", "raise NotImplementedError()")]
    [True, True]
    >>> is_placeholder("    return x  # your code here")
    False
    """
    return _PLACEHOLDER.fullmatch(line) is not None


def has_solution_marks(source: str) -> bool:
    """Whether an instructor marked the answer with `### BEGIN SOLUTION`."""
    return any(mark[2].upper() == "BEGIN" for mark in map(_MARK.match, source.split("\n")) if mark)


def is_unanswered(source: str) -> bool:
    r"""Whether the cell has a placeholder, and no statement but imports and empty definitions.

    A student's `raise NotImplementedError` left below an answer does not make it unanswered.

    >>> is_unanswered('def f(x):\n    "Twice."\n    # YOUR CODE HERE\n    pass')
    True
    >>> is_unanswered("# YOUR CODE HERE\nx = 1\nraise NotImplementedError()")
    False
    """
    lines = source.split("\n")
    if not any(map(is_placeholder, lines)):
        return not source.strip()
    try:
        _, tree = read_python(source)
    except NotPython:
        return not _kept(lines, set(range(len(lines))) - _placeholders(lines)).strip()
    return all(map(_says_nothing, tree.body))


def _says_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return all(map(_says_nothing, node.body))
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
    return False


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
    stands above a placeholder, or the first and last lines of all the `others`, other answers.
    Where the rest would be no code, all of the cell is the answer.

    >>> split_given("def f(x):\n    y = 2\n    return y", ["def f(x):\n    # YOUR CODE HERE"], [])
    ('y = 2\nreturn y', 'def f(x):\n    # YOUR CODE HERE')
    """
    lines = [line.rstrip() for line in source.split("\n")]
    texts = {_tidy(release) for release in releases} - {""}
    ranked = sorted((-len(_common(text.split("\n"), lines)), text) for text in texts)
    release = ranked[0][1] if ranked else None
    if release is not None:
        ways = [_common(release.split("\n"), lines), _ends([release.split("\n")], lines)]
    else:
        ways = [_above_placeholder(lines) | _ends([o.split("\n") for o in others], lines)]
    for given in [*ways, set()]:
        answer = set(range(len(lines))) - given - _placeholders(lines)
        code = _tidy(_kept(lines, answer))
        if is_code(code):
            break
    boilerplate = _kept(lines, set(range(len(lines))) - answer) if release is None else release
    return code, boilerplate.strip("\n")


def is_code(text: str) -> bool:
    """Whether there is a statement, and nothing but Python."""
    try:
        return bool(read_python(text)[1].body)
    except NotPython:
        return False


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


def _ends(others: list[list[str]], lines: list[str]) -> set[int]:
    """The first and the last lines that all the others share with these."""
    if not others:
        return set()
    stripped = [[line.rstrip() for line in other] for other in others]
    first = min(_shared(zip(lines, other, strict=False)) for other in stripped)
    last = min(_shared(zip(lines[::-1], other[::-1], strict=False)) for other in stripped)
    return {n for n in range(len(lines)) if n < first or n >= len(lines) - last}


def _shared(pairs: Iterator[tuple[str, str]]) -> int:
    count = 0
    for line, other in pairs:
        if line != other:
            break
        count += 1
    return count
