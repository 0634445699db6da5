"""The paper's normal form of a target: the authors' tokens, token for token (spec: "juice")."""

from __future__ import annotations

import ast
import warnings
from typing import Any

with warnings.catch_warnings():  # astor 0.8.1 reads names that Python 3.12 and later deprecate
    warnings.simplefilter("ignore")
    from astor.code_gen import SourceGenerator, set_precedence, to_source
    from astor.op_util import Precedence

from nl2code.python_code.magics import NotPython, quiet
from nl2code.python_code.parsing import read_tokens

STRING = "'jupyter_string'"
_SILENT = frozenset(["DEDENT", "ENDMARKER", "ENCODING", "COMMENT"])


def juice_tokens(tree: ast.Module) -> list[str]:
    r"""The tokens of the printed tree; the tree is changed on the way: give it away.

    >>> " ".join(juice_tokens(ast.parse('def f(a):\n    return a[0], "b"')))
    "def f ( a ) : NEWLINE INDENT return a [ 0 ] , 'jupyter_string'"
    """
    tokens = [_spell(token.kind, token.text) for token in _printed_tokens(tree)]
    if tokens and tokens[-1] == "NEWLINE":
        tokens.pop()
    return tokens


def _printed_tokens(tree: ast.Module) -> list[Any]:
    try:
        with quiet():
            printed = to_source(tree, source_generator_class=_Printer) if tree.body else ""
        return [token for token in read_tokens(printed) if token.kind not in _SILENT]
    except (RecursionError, MemoryError):
        raise NotPython("too_deep") from None


def _spell(kind: str, text: str) -> str:
    if kind == "STRING":
        return STRING
    if kind in ("NEWLINE", "NL"):
        return "NEWLINE"
    return "INDENT" if kind == "INDENT" else text


class _Printer(SourceGenerator):  # type: ignore[misc]
    """Prints today's trees as astor 0.7.1 printed Python 3.6's."""

    def visit_Subscript(self, node: ast.Subscript) -> None:  # noqa: N802
        """An index beside a slice had its own node, printed in parentheses: `a[:, (0)]`."""
        dims = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        if not any(isinstance(dim, ast.Slice) for dim in dims):
            super().visit_Subscript(node)
            return
        self.write(node.value, "[")
        for position, dim in enumerate(dims):
            is_slice = isinstance(dim, ast.Slice)
            set_precedence(Precedence.ExtSlice if is_slice else Precedence.Index, dim)
            self.write(", " if position else "", *((dim,) if is_slice else ("(", dim, ")")))
        self.write("," if len(dims) == 1 else "", "]")

    def visit_Constant(self, node: ast.Constant) -> None:  # noqa: N802
        """`True` was no number, and the `u` of `u"a"` was forgotten."""
        if isinstance(node.value, bool):
            self.write(repr(node.value))
        else:
            node.kind = None
            super().visit_Constant(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:  # noqa: N802
        """Its printed length decides where the line wraps, so old quirks matter."""
        self.write("")
        place: tuple[int, int] = self.colinfo
        begin = len(self.result)
        self._write_parts(node)
        self.write("")
        text = "".join(self.result[begin:])
        del self.result[begin:]
        self.colinfo = place
        whole = ast.Constant(text, kind="f")
        set_precedence(self.get__pp(node), whole)
        self._handle_string_constant(whole, text)

    def _write_parts(self, node: ast.JoinedStr) -> None:
        """Braces stayed undoubled, and an operation in braces got parentheses: `{(a + 1)}`."""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.write("{", part.value)
                self.write(f"!{chr(part.conversion)}" if part.conversion != -1 else "")
                if isinstance(part.format_spec, ast.JoinedStr):
                    self.write(":")
                    self._write_parts(part.format_spec)
                self.write("}")
            elif isinstance(part, ast.Constant) and part.value == "\n":
                self.newline()  # a lone line feed brought the indentation of the statement with it
            elif isinstance(part, ast.Constant):
                self.write(part.value)
