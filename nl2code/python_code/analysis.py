"""All that the corpus asks about a cell, from one parse."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property

from nl2code.python_code.api import NO_API_SEQUENCE, called_names
from nl2code.python_code.names import Names, find_names
from nl2code.python_code.normal_form import juice_tokens
from nl2code.python_code.parsing import read_python
from nl2code.python_code.scanning import split_code
from nl2code.python_code.words import comment_words

MAX_FUNCTIONS = 1
MAX_API_CALLS = 15
MAX_TOKENS = 120


@dataclass(frozen=True)
class Analysis:
    """What a cell of Python holds; the dear parts are found when they are first asked for.

    `tokens`, `names_defined` and `names_used` raise `NotPython` where the caller stands too near
    the interpreter's limit to walk the tree.
    """

    code: str
    """Its source, magics removed."""
    tree: ast.Module = field(repr=False)
    pieces: list[str] = field(repr=False)
    """Its own tokens, as `split_code` gives them."""

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The juice normal form."""
        return tuple(juice_tokens(self.tree))

    @cached_property
    def api_sequence(self) -> tuple[str, ...]:
        """The names that it calls, in order."""
        return tuple(called_names(self.pieces, self.tree))

    @cached_property
    def comments(self) -> tuple[str, ...]:
        """The words of its comments."""
        return tuple(comment_words(self.pieces))

    @property
    def functions(self) -> int:
        """Definitions with `def`, at any depth."""
        return self.pieces.count("def")

    @property
    def classes(self) -> int:
        """Definitions with `class`, at any depth."""
        return self.pieces.count("class")

    @property
    def names_defined(self) -> Names:
        """What the cells below can use."""
        return self._names[0]

    @property
    def names_used(self) -> frozenset[str]:
        """What it uses before it defines it."""
        return self._names[1]

    @cached_property
    def _names(self) -> tuple[Names, frozenset[str]]:
        return find_names(self.code, self.tree)


def analyse(source: str) -> Analysis:
    """Read a cell once.

    Raises:
        NotPython: With the reason.

    >>> analyse("def f(x): return g(x)").api_sequence
    ('g',)
    """
    code, tree = read_python(source)
    return Analysis(code, tree, split_code(code))


def why_not_a_target(
    analysis: Analysis, max_tokens: int | None = MAX_TOKENS, max_api_calls: int = MAX_API_CALLS
) -> str | None:
    """Why this cell cannot be a target, or None (paper, section 3.1).

    `max_tokens=None` keeps long ones.

    >>> why_not_a_target(analyse("class A: pass")), why_not_a_target(analyse("x = 1"))
    ('class', None)
    """
    calls = [call for call in analysis.api_sequence if call != NO_API_SEQUENCE]
    if analysis.functions > MAX_FUNCTIONS:
        return "several_functions"
    if analysis.classes:
        return "class"
    if len(calls) > max_api_calls:
        return "many_api_calls"
    if not analysis.tree.body:
        return "no_statement"
    if max_tokens is not None and _is_longer(analysis, max_tokens):
        return "long_code"
    return None


def _is_longer(analysis: Analysis, max_tokens: int) -> bool:
    # The normal form has no fewer tokens than the cell has words: often no need to print it.
    words = sum(map(str.isidentifier, analysis.pieces))
    return words > max_tokens or len(analysis.tokens) > max_tokens
