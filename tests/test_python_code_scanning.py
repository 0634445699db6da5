"""One pattern finds what the stdlib's tokenizer finds."""

from __future__ import annotations

import pytest

from nl2code.python_code.parsing import read_tokens
from nl2code.python_code.scanning import block_starts, split_code

CODES = [
    "x = 1_000 + 0x_fF - 0b1_0 * 0o17 / .5e-3j // 1. ** 1.e5 % 00",
    "1if x else.5; 0x1for x in y; x[1:...]; 1..real; 1.0.real; 1.__class__",
    "a@b; a@=b; a**=b; a>>=b; a<<=b; a//=b; a->b" + "; a!=b; a:=b; a<=b; ~a^b|c&d",
    "from . import a; from .. import b; from ... import c; from ....d import e; x[...]",
    "'a\\'b' \"c#\" b'd' rb'\\d' Rb'' BR\"\" u'e' f'{x!r:>{w}}' F\"{d['k']}\" fr'{{' rF''",
    "'''a\n'b' \\''' ''' + \"\"\"c\"d\\\n\"\"\" + '' + \"\"",
    "'a\\\nb' # c 'd'\n#\n  # e\nif g:\n\n\tf",
    "if'a'in'b'or\"c\"else x: f(bytes, r, u, b, rub, fur)",
    "x = 1 + \\\n  2 \\\n  .real",
    "d = {a:\n  b, # c\n\n  (d):[\n]}\n \n\n",
    "if x:\n  if y:\n      z\n  'a'\nelse:  # b\n  # c\n\n  'd'\nclass A: 'e'",
    "é, 数据 = 'ü', '€'  # ñ",
    "℘ = a·b",
    "x\n\x0cy",
    "if x:\n  ℘",
    "",
    "# a",
]


@pytest.mark.parametrize("code", CODES)
def test_the_pieces_are_the_stdlib_s_tokens(code: str) -> None:
    tokens = [
        (token.kind, token.text)
        for token in read_tokens(code)
        if token.text and token.kind not in ("INDENT", "DEDENT")
    ]
    pieces = [piece if piece[0] != "\n" else "\n" for piece in split_code(code)]
    assert pieces == ["\n" if kind in ("NL", "NEWLINE") else text for kind, text in tokens]


@pytest.mark.parametrize("code", CODES)
def test_blocks_begin_where_the_stdlib_indents(code: str) -> None:
    kinds = [token.kind for token in read_tokens(code)]
    silent = ("NL", "COMMENT", "DEDENT")
    after = [
        next(
            token.text for token in list(read_tokens(code))[place + 1 :] if token.kind not in silent
        )
        for place, kind in enumerate(kinds)
        if kind == "INDENT"
    ]
    pieces = split_code(code)
    assert [pieces[place] for place in block_starts(pieces)] == after


def test_a_line_s_end_brings_the_indentation_of_the_next() -> None:
    assert split_code("if x:\n\n\t y\n") == ["if", "x", ":", "\n", "\n\t ", "y", "\n"]
