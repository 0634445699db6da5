"""The two token schemes: the authors' normal form, and one that goes back to the same tree."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nl2code.python_code import normal_form, restore


def juice(code: str) -> str:
    return " ".join(normal_form(code))


# What the authors' tools print, on Python 3.6 with astor 0.7.1.
@pytest.mark.parametrize(
    ("code", "tokens"),
    [
        ("x=0xff; y=1e3; z=1_000", "x = 255 NEWLINE y = 1000.0 NEWLINE z = 1000"),
        ('"""Why."""\nf"{x}" "b"\nb"c"', " NEWLINE ".join(["'jupyter_string'"] * 3)),
        ("a,b=1,2  # two", "a , b = 1 , 2"),
        ("x[:, 0] = x[-1, ..., ::2]", "x [ : , ( 0 ) ] = x [ ( - 1 ) , ( ... ) , : : 2 ]"),
        ("x[0, 1]", "x [ 0 , 1 ]"),
        (
            "if x:\n  y\nz",
            "if x : NEWLINE INDENT y NEWLINE z",
        ),
        (
            "def f(): pass\nx",
            "def f ( ) : NEWLINE INDENT pass NEWLINE NEWLINE NEWLINE x",
        ),
        ("# nothing", ""),
    ],
)
def test_juice_is_what_the_authors_tools_print(code: str, tokens: str) -> None:
    assert juice(code) == tokens


def test_juice_breaks_a_long_call_where_astor_did() -> None:
    long = "plot(" + ", ".join(f"argument_{n}={n}" for n in range(8)) + ")"
    assert juice(long).count("NEWLINE") == 1
    assert juice(long.replace("argument_", "a")).count("NEWLINE") == 0


def test_juice_breaks_the_line_before_an_index_as_astor_0_7_1_did() -> None:
    code = f"def f({'a' * 50}: List) -> List[visual.VisualRecord]: pass"
    assert "-> List [ NEWLINE visual . VisualRecord ] :" in juice(code)  # 0.8.1: visual NEWLINE .


def test_juice_counts_an_f_string_as_python_3_6_printed_it() -> None:
    fits = "print(f'{a + b} " + "x" * 60 + "')"  # 80 columns with the parentheses of {(a + b)}
    assert juice(fits) == "print ( 'jupyter_string' NEWLINE )"
    assert juice(fits.replace("a + b", "a.bbb")) == "print ( 'jupyter_string' )"


def test_juice_prints_syntax_that_is_newer_than_astor() -> None:
    match = "match x:\n  case [1, *r] if r: y"
    assert juice(match).startswith("match x : NEWLINE INDENT case [ 1 , * r ] if r : NEWLINE")
    assert "except * E as e :" in juice("try: x\nexcept* E as e: y")


def test_juice_takes_no_quadratic_time_over_a_long_statement() -> None:
    begin = time.process_time()
    assert len(normal_form("x = [" + "1, " * 10_000 + "]")) > 20_000
    assert time.process_time() - begin < 3  # astor's own line breaks: over 10 s


TRICKY = [
    "x = 'a b\\n' \"c\"  # comment\ny = b' \\x00' rb'\\d'",
    'def f():\n    r"""Raw \\d\n\n    docstring.\t"""\n    return 1\n\nf()',
    "print(f'{{a}} {x!r:>{w}} {x = } {d[\"k\"]}')",
    "f'''{\nx}\n  {y:%H:%M}'''",
    "x = 1 + \\\n    2; y = (3,\n  # why\n  4)",
    "@a.b(c)\nasync def f(a, /, b: int = 1, *c, d, **e) -> None:\n  async with x as y: await z",
    "class A(B, metaclass=C):\n\tx: int\n\n\tdef f(self): ...\n",
    "match x:\n  case {'a': [1, *_], **r} if r: pass\n  case A(b=1) | None: pass",
    "while (n := f(n)) > 0x_ff: n -= 1_0.0e-3j\nelse: pass",
    "if x:\n  if y:\n    z\n  # dedent\nelif z: pass\nw",
    "NEWLINE = INDENT + DEDENT\nx.NEWLINE('NEWLINE')",
    "θ = ﬁ = ℘ = a·b = '␠␤␉␛ \x0c\xa0\u2028'",
    "x = '␛20␛␛'\n\x0cy = 1",
    "from . import a\nfrom .. .b import (c as d,)\nx[1:2, ::3], *y = z",
    "try: x\nexcept* E: y\nlambda *a, b=1: (yield)\n0 if x else 1 if y else 2\n",
    "x = 1\r\nif x:\r\n\ty = '''a\r\nb'''\rz",
    "",
]


@pytest.mark.parametrize("code", TRICKY)
def test_lossless_goes_back_to_the_same_tree(code: str) -> None:
    tokens = normal_form(code, "lossless")
    assert " ".join(tokens).split() == tokens
    assert ast.dump(ast.parse(restore(tokens))) == ast.dump(ast.parse(code))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=20))
def test_lossless_keeps_any_string(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    tokens = normal_form(
        f"x = {text!r}, '''{text.translate({39: '', 92: '', 0: ''})}'''", "lossless"
    )
    assert " ".join(tokens).split() == tokens
    assert ast.literal_eval(restore(tokens).removeprefix("x = "))[0] == text


def test_lossless_writes_layout_and_blanks_as_signs() -> None:
    code = "if x:\n  print('a b\tc', f'{d} ')\ny"
    assert " ".join(normal_form(code, "lossless")) == (
        "if x : NEWLINE INDENT print ( 'a␠b␉c' , f'{d}␠' ) NEWLINE DEDENT y"
    )


def test_blanks_continued_at_the_end_are_no_block() -> None:
    assert normal_form("x\n    \\\n\n\n", "lossless") == ["x"]


def test_what_closes_the_cell_may_stay_open_or_be_closed() -> None:
    opened = ["if", "x", ":", "NEWLINE", "INDENT", "y"]
    assert restore(opened).split() == restore([*opened, "NEWLINE", "DEDENT"]).split()


@pytest.mark.parametrize(
    "tokens", ["x NEWLINE DEDENT", "x INDENT y", "'a␛b'", "'␛fffff␛ ␛110000␛'"]
)
def test_tokens_that_spell_no_code_are_a_value_error(tokens: str) -> None:
    with pytest.raises(ValueError, match=r"DEDENT|INDENT|escape"):
        restore(tokens.split())


def test_juice_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="juice forgets"):
        restore(["x"], "juice")


def test_an_unknown_scheme_is_named() -> None:
    with pytest.raises(ValueError, match=r"'python'.*juice, lossless"):
        normal_form("x", "python")
