"""All that the corpus asks about a cell, from one parse."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nl2code.python_code.api import NO_API_SEQUENCE, called_names
from nl2code.python_code.names import Names, find_names
from nl2code.python_code.normal_form import juice_tokens
from nl2code.python_code.parsing import read_python, read_tokens
from nl2code.python_code.words import comment_words

MAX_FUNCTIONS = 1
MAX_API_CALLS = 15
MAX_TOKENS = 120


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a cell of Python holds."""

    code: str
    """Its source, magics removed."""
    tokens: tuple[str, ...]
    """The juice normal form."""
    api_sequence: tuple[str, ...]
    comments: tuple[str, ...]
    functions: int
    """Definitions with `def`, at any depth."""
    classes: int
    names_defined: Names
    names_used: frozenset[str]


def analyse(source: str) -> Analysis:
    """Read a cell once.

    Raises:
        NotPython: With the reason.

    >>> analyse("def f(x): return g(x)").api_sequence
    ('g',)
    """
    code, tree = read_python(source)
    tokens = list(read_tokens(code))
    nodes = list(ast.walk(tree))
    names, used = find_names(code, tree)
    return Analysis(
        code=code,
        api_sequence=tuple(called_names(tokens, tree)),
        comments=tuple(comment_words(tokens)),
        functions=sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes),
        classes=sum(isinstance(node, ast.ClassDef) for node in nodes),
        names_defined=names,
        names_used=used,
        tokens=tuple(juice_tokens(tree)),  # last: it changes the tree
    )


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
    if not analysis.tokens:
        return "no_statement"
    if max_tokens is not None and len(analysis.tokens) > max_tokens:
        return "long_code"
    return None
