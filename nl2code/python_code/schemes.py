"""The token schemes: `juice`, to compare with published scores, and `lossless`, to run."""

from __future__ import annotations

from collections.abc import Sequence

from nl2code.python_code.lossless import lossless_tokens, restore_lossless
from nl2code.python_code.normal_form import juice_tokens
from nl2code.python_code.parsing import read_python

SCHEMES = ("juice", "lossless")


def normal_form(code: str, scheme: str = "juice") -> list[str]:
    """The tokens of `code` in a scheme; none holds whitespace: they can be joined by blanks.

    Raises:
        NotPython: With the reason.
        ValueError: There is no such scheme.

    >>> normal_form("x = 'a b'"), normal_form("x = 'a b'", "lossless")
    (['x', '=', "'jupyter_string'"], ['x', '=', "'a␠b'"])
    """
    _check(scheme)
    code, tree = read_python(code)
    return juice_tokens(tree) if scheme == "juice" else lossless_tokens(code)


def restore(tokens: Sequence[str], scheme: str = "lossless") -> str:
    r"""Code with the syntax tree of the code that the tokens were made from.

    Raises:
        ValueError: The tokens spell no layout, or the scheme is `juice`, which forgets strings and
            the ends of blocks.

    >>> restore(["x", "=", "'a␠b'"])
    "x = 'a b'\n"
    """
    _check(scheme)
    if scheme == "juice":
        raise ValueError("the scheme juice forgets strings and the ends of blocks")
    return restore_lossless(tokens)


def _check(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise ValueError(f"no such scheme: {scheme!r} (there are: {', '.join(SCHEMES)})")
