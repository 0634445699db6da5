"""A solution cell → the answer and what the instructor gave (paper, section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from itertools import takewhile

from nl2code.corpus.nbgrader.heads import (
    body_alone,
    head_of,
    imports_above,
    in_several_functions,
    rebuilt_release,
)
from nl2code.corpus.nbgrader.leftovers import above_mark, leftovers, without_remarks
from nl2code.corpus.nbgrader.placeholders import PLACEHOLDER, is_code

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


def split_given(source: str, releases: Collection[str], others: Collection[str]) -> tuple[str, str]:
    r"""The answer without what was given, and what was given.

    What stands in the release nearest to the answer was given; without a release, what
    `rebuilt_release` finds in `others`, other answers, or else what stands above a mark.
    Calls below a given function, to try it, are no part of the answer where it ends with the
    function; imports above it are. Where the rest would be no code, or pieces of several
    functions, all of the cell is the answer.

    >>> split_given("def f(x):\n    y = 2\n    return y", ["def f(x):\n    # YOUR CODE HERE"], [])
    ('y = 2\nreturn y', 'def f(x):\n    # YOUR CODE HERE')
    """
    imports, rest = imports_above(source)
    release = _release(rest, releases, others)
    new = [line for line in imports if line not in (release or imports)]
    if release and new:
        code, given = _split(rest, release, [*releases, *others])
        whole = "\n".join([*new, code])
        if code.split("\n", 1)[0] != rest.split("\n", 1)[0].rstrip() and is_code(whole):
            return whole, given
    return _split(source, _release(source, releases, others), [*releases, *others])


def _release(source: str, releases: Iterable[str], others: Iterable[str]) -> list[str] | None:
    release = _nearest(releases, [line.rstrip() for line in source.split("\n")])
    if release is None and (rebuilt := rebuilt_release(source, others)):
        return rebuilt.split("\n")
    return release


def _split(source: str, release: list[str] | None, texts: Iterable[str]) -> tuple[str, str]:
    """The answer and what was given; `texts` are what else stands in the place of the cell."""
    lines = [line.rstrip() for line in source.split("\n")]
    everything, left = set(range(len(lines))), leftovers(source)
    ways = [above_mark(lines, left), set()] if release is None else _ways(source, lines, release)
    answers = [everything - given - left for given in ways]
    answer = next((a for a in answers if _is_answer(source, lines, a)), answers[-1])
    given = lines[: min(answer, default=0)] if release is None else release
    return _tidy(_kept(lines, answer)), without_remarks("\n".join(given), texts).strip("\n")


def _ways(source: str, lines: list[str], release: list[str]) -> list[set[int]]:
    """The numbers of the lines that may have been given, the most likely way first."""
    ways = [_same_head(release, lines), _common(release, lines), _ends(release, lines)]
    body = body_alone(source)
    if body and _squeezed(lines[:1])[0] in _squeezed(release):
        ways.append(set(range(len(lines))) - body)
    return [*filter(None, ways), set()]


def _is_answer(source: str, lines: list[str], answer: set[int]) -> bool:
    return is_code(_tidy(_kept(lines, answer))) and not in_several_functions(source, answer)


def mixes_given(code: str, boilerplate: str) -> bool:
    r"""Whether the answer could not be told apart from what was given: lines of it are in both.

    >>> mixes_given("for i in x:\n    y = f(i)\n    z += y", "for i in x:\n    z += y")
    True
    """
    given = set(_squeezed(boilerplate.split("\n")))
    lines = [line for line in _squeezed(code.split("\n")) if line in given]
    return sum(line not in _COMMON_LINES and not line.startswith("#") for line in lines) > 1


_COMMON_LINES = frozenset(["", "else:", "try:", "pass", "return", "break", ")", "]", "}", "])"])


def _nearest(releases: Iterable[str], lines: list[str]) -> list[str] | None:
    texts = sorted({_tidy(release) for release in releases} - {""})
    ranked = [text.split("\n") for text in texts]
    return max(ranked, key=lambda release: len(_common(release, lines)), default=None)


def _tidy(text: str) -> str:
    """The lines at the margin of the code: a comment may stand to the left of it."""
    lines = [line.rstrip() for line in text.split("\n")]
    code = [line for line in lines if line and not line.lstrip().startswith("#")]
    indents = [line[: len(line) - len(line.lstrip())] for line in code or filter(None, lines)]
    ends = zip(min(indents, default=""), max(indents, default=""), strict=False)
    margin = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    return "\n".join(_outdented(line, margin) for line in lines).strip("\n")


def _outdented(line: str, margin: str) -> str:
    return line[len(margin) :] if line.startswith(margin) else line.lstrip()


def _kept(lines: list[str], numbers: set[int]) -> str:
    return "\n".join(line for number, line in enumerate(lines) if number in numbers)


def _common(release: list[str], lines: list[str]) -> set[int]:
    """The numbers of the lines that the release has too, in this order, blanks aside."""
    there = [line for line in _squeezed(release) if line]
    here = [(number, line) for number, line in enumerate(_squeezed(lines)) if line]
    matcher = SequenceMatcher(None, there, [line for _, line in here], autojunk=False)
    blocks = matcher.get_matching_blocks()
    given = {here[number][0] for block in blocks for number in range(block.b, block.b + block.size)}
    for number, line in enumerate(lines):  # a blank line goes with the line above
        given |= {number} if not line.strip() and number - 1 in given else set()
    return given


def _squeezed(lines: Iterable[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def _ends(release: list[str], lines: list[str]) -> set[int]:
    """The first and the last lines that the release has too."""
    first = _shared(lines, release)
    last = _shared(lines[::-1], release[::-1])
    return {n for n in range(len(lines)) if n < first or n >= len(lines) - last}


def _shared(lines: Iterable[str], others: Iterable[str]) -> int:
    pairs = zip(lines, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _same_head(release: list[str], lines: list[str]) -> set[int]:
    """The signature, a docstring that was edited, and the lines below that the release has."""
    head, given = head_of("\n".join(lines)), head_of("\n".join(release))
    if not head or head[:1] != given[:1]:
        return set()
    below = _common(release[len(given) :], lines[len(head) :])
    return set(range(len(head))) | {number + len(head) for number in below}
