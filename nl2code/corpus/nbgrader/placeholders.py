"""Cells without an answer, and answers that are no code."""

from __future__ import annotations

import ast
import re

from nl2code.python_code.magics import NotPython
from nl2code.python_code.parsing import read_python

PLACEHOLDER = "# YOUR CODE HERE"
_PLACEHOLDER = re.compile(
    r"[ \t]*(?:(?:#|--|//)[^\w\n(]*(?:\([^)\n]*\)[ \t]*)?"
    r"(?:(?:please|put|write|insert|add|type|enter|start|begin)[ \t]+){0,2}"
    r"your[ \t]+(?:own[ \t]+)?(?:code|answer|solution)(?:[ \t]+(?:goes|starts|begins))?"
    r"[ \t]+(?:here|below)\b.*"
    r"|(?:#+[ \t]*)?raise[ \t]+NotImplementedError\b[^;]*)",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"multiple[ -]choice|true or false|choose the correct", re.IGNORECASE)


def is_placeholder(line: str) -> bool:
    """Whether the line only stands where the answer goes.

    >>> [is_placeholder(line) for line in ("  # YOUR CODE HERE", "raise NotImplementedError()")]
    [True, True]
    >>> is_placeholder("    return x  # your code here")
    False
    """
    return _PLACEHOLDER.fullmatch(line) is not None


def is_stub(source: str) -> bool:
    r"""Whether a line says that the answer goes there, and nothing like one stands in the cell.

    >>> is_stub("def f(x):\n    # YOUR CODE HERE\n    return x")
    True
    >>> is_stub("def f(x):\n    raise NotImplementedError\n\nf = g(f)")
    False
    """
    if "your" not in (lowered := source.lower()) and "notimplemented" not in lowered:
        return False
    marks = [line for line in source.split("\n") if is_placeholder(line)]
    return is_unanswered(source) or any("your" in line.lower() for line in marks)


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
        return all(is_placeholder(line) or line[:2] in ("", "%%") for line in lines)
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


def is_code(text: str) -> bool:
    """Whether there is a statement, and nothing but Python."""
    try:
        return bool(read_python(text)[1].body)
    except NotPython:
        return False


def is_multiple_choice(prompt: str, code: str) -> bool:
    """Whether a question was answered by ticking an answer, which is no code.

    >>> is_multiple_choice("**Multiple choice.** Which loads a file?", "answer1 = 'B'")
    True
    >>> is_multiple_choice("Set `a` to five.", "a = 5")
    False
    """
    try:
        _, tree = read_python(code)
    except NotPython:
        return False
    ticks = [node for node in tree.body if not isinstance(node, ast.Expr)]
    named = all("answer" in ast.dump(node) for node in ticks)
    constant = all(
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) for node in ticks
    )
    return bool(ticks) and constant and (named or _CHOICE.search(prompt) is not None)
