"""The code of autograder cells: what two of them have in common, and whether they check."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from nl2code.python_code import NotPython, names_used
from nl2code.python_code.parsing import read_python, read_tokens

_HIDDEN = re.compile(
    r"^[ \t]*#+[ \t]*BEGIN HIDDEN TESTS\b.*?(?:^[ \t]*#+[ \t]*END HIDDEN TESTS\b[^\n]*\n?|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_LAYOUT = ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER")
_CHECK = re.compile(r"assert|test|check|grade|verif|valid|equal|expect|correct", re.IGNORECASE)


def has_hidden_tests(test: str) -> bool:
    """Whether the cell shows the tests that students did not see."""
    return _HIDDEN.search(test) is not None


@lru_cache(maxsize=4096)
def same_test(test: str) -> str:
    r"""A text that is equal for the same test with and without its hidden part.

    Comments and layout do not count.

    >>> same_test("assert f(1)==2 # easy\n### BEGIN HIDDEN TESTS\nassert f(2) == 4")
    'assert f ( 1 ) == 2'
    """
    visible = _HIDDEN.sub("", test)
    try:
        code, _ = read_python(visible)
        return " ".join(token.text for token in read_tokens(code) if token.kind not in _LAYOUT)
    except NotPython:
        return " ".join(visible.split())


def checks_something(test: str) -> bool:
    """Whether a run without error says anything about the answer.

    `assert True` keeps the place of a grade that a person gives.

    >>> checks_something("assert f(1) == 2"), checks_something("check(f)")
    (True, True)
    >>> checks_something("assert True  # leave this for grading"), checks_something("print(f(1))")
    (False, False)
    """
    try:
        _, tree = read_python(test)
    except NotPython:
        return "assert" in test
    return any(map(_checks, ast.walk(tree)))


def _checks(node: ast.AST) -> bool:
    match node:
        case ast.Assert(test=condition):
            return not isinstance(condition, ast.Constant)
        case ast.Raise():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _CHECK.search(name) is not None
    return False


def uses_any(test: str, names: frozenset[str]) -> bool:
    """Whether the test uses one of the names."""
    try:
        return not names.isdisjoint(names_used(test))
    except NotPython:
        return False
