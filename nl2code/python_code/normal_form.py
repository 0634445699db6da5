"""The paper's normal form of a target: the authors' tokens, token for token (spec: "juice")."""

from __future__ import annotations

import ast
import warnings
from itertools import groupby

with warnings.catch_warnings():  # astor 0.8.1 reads names that Python 3.12 and later deprecate
    warnings.simplefilter("ignore")
    from astor.code_gen import SourceGenerator, set_precedence, to_source
    from astor.op_util import Precedence
    from astor.source_repr import pretty_source

from nl2code.python_code.magics import quiet
from nl2code.python_code.parsing import refusing_depth
from nl2code.python_code.scanning import block_starts, is_string, split_code

STRING = "'jupyter_string'"
_WIDTH = 79
MAX_PIECES = 4_000
"""In a printed statement; this is many times longer than a target may be."""


@refusing_depth()
def juice_tokens(tree: ast.Module) -> list[str]:
    r"""The tokens of the printed tree, which forgets the `u` of its strings.

    >>> " ".join(juice_tokens(ast.parse('def f(a):\n    return a[0], "b"')))
    "def f ( a ) : NEWLINE INDENT return a [ 0 ] , 'jupyter_string'"
    """
    if not tree.body:
        return []
    with quiet():
        printed = to_source(tree, pretty_source=_wrap, source_generator_class=_Printer)
    pieces = split_code(printed.removesuffix("\n"))
    starts = frozenset(block_starts(pieces))
    tokens: list[str] = []
    for place, piece in enumerate(pieces):
        if place in starts:
            tokens.append("INDENT")
        tokens.append(_spell(piece))
    return tokens


def _spell(piece: str) -> str:
    if piece[0] == "\n":
        return "NEWLINE"
    return STRING if is_string(piece) else piece


def _wrap(pieces: list[str]) -> str:
    """Astor's line breaks; none in a cell with a statement that would take it quadratic time."""
    printed = "".join(pieces)
    if '"""' not in printed and max(map(len, printed.split("\n"))) <= _WIDTH:
        return printed  # as astor would, which takes a tenth of the time to print
    if len(pieces) > MAX_PIECES:
        lines = groupby(pieces, key=lambda piece: piece[:1] != "\n")
        if max(len(list(line)) for _, line in lines) > MAX_PIECES:
            return printed
    return str(pretty_source(pieces))


class _Printer(SourceGenerator):  # type: ignore[misc]
    """Prints today's trees as astor 0.7.1 printed Python 3.6's."""

    colinfo: tuple[int, int]  # astor's: where the current line begins

    def visit_Subscript(self, node: ast.Subscript) -> None:  # noqa: N802
        """An index had its own node, printed in parentheses beside a slice: `a[:, (0)]`."""
        dims = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        if isinstance(node.slice, ast.Slice):
            super().visit_Subscript(node)
            return
        if not any(isinstance(dim, ast.Slice) for dim in dims):
            set_precedence(Precedence.Index, node.slice)
            # The empty piece stands for the parenthesis left out; lines are broken by pieces.
            self.write(node.value, "[", lambda: self.result.append(""), node.slice, "]")
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
        place = self.colinfo
        begin = len(self.result)
        self._write_parts(node)
        self.write("")
        text = "".join(self.result[begin:])
        del self.result[begin:]
        self.colinfo = place
        # With a `u`, as long as an `f`: Python 3.12's tokenizer would look for braces inside.
        whole = ast.Constant(text, kind="u")
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

    def visit_Match(self, node: ast.Match) -> None:  # noqa: N802
        """Newer than astor."""
        self.statement(node, "match ", node.subject, ":")
        self.body(node.cases)

    def visit_match_case(self, node: ast.match_case) -> None:
        """A pattern is no expression, which is all that astor knows."""
        self.statement(node, "case ", ast.unparse(node.pattern))
        self.conditional_write(" if ", node.guard)
        self.write(":")
        self.body(node.body)

    def visit_TryStar(self, node: ast.TryStar) -> None:  # noqa: N802
        """`except*`, newer than astor too: prints `except *E`."""
        starred = [ast.ExceptHandler(_star(h.type), h.name, h.body) for h in node.handlers]
        self.visit_Try(ast.Try(node.body, starred, node.orelse, node.finalbody))


def _star(error: ast.expr | None) -> ast.Starred:
    assert error is not None
    return ast.Starred(error)
