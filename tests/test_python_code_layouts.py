"""Juice tokens parse exactly when some ends of their blocks make them Python."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from nl2code.jsonl import read_jsonl
from nl2code.notebooks import UnreadableNotebook, read_notebook
from nl2code.python_code import NotPython, normal_form
from nl2code.python_code.layouts import layouts, parses, parsing_first

ROOT = Path(__file__).parents[1]
GOLDENS = ROOT.parent / "shared/data/goldens/normal_form.jsonl"


@pytest.mark.parametrize(
    "code",
    [
        "",
        "x = f(a)[1:, (2)]",
        "return x",  # the answer to a prompt that gives the `def`
        "for a in b:\n    if a:\n        c()\n    else:\n        d()\nelse:\n    e()\nf()",
        "try:\n    try:\n        a()\n    except A:\n        b()\nexcept B:\n    c()\nd()",
        "try:\n    a()\nexcept A:\n    b()\nelse:\n    c()\nfinally:\n    d()",
        "try:\n    try:\n        a()\n    finally:\n        b()\nfinally:\n    c()",
        "while a:\n if b:\n  c()\n elif d:\n  break\n elif e:\n  pass\nelse:\n f()",
        "async def f():\n    async for a in b:\n        await a\n    else:\n        c()",
        "match a:\n    case 1:\n        if b:\n            c()\n    case _:\n        d()",
        "case = 1\nif case:\n    case = 2",
        "@a\nclass B:\n    def c(self):\n        return 1\n\n    def d(self):\n        return 2",
        "g(" + ", ".join(f"argument_{n}=parameter_{n}" for n in range(9)) + ")",
    ],
)  # fmt: skip
def test_the_normal_form_of_python_parses(code: str) -> None:
    assert parses(normal_form(code))


@pytest.mark.parametrize(
    "tokens",
    [
        "f ( x",
        "f ( x ) )",
        "x = = 1",
        "if x :",
        "if x : NEWLINE y",
        "x NEWLINE INDENT y",
        "INDENT x",
        "else : NEWLINE INDENT x",
        "if x : NEWLINE INDENT y NEWLINE else : NEWLINE INDENT z NEWLINE else : NEWLINE INDENT w",
        "try : NEWLINE INDENT x NEWLINE y",
        "if x : NEWLINE INDENT y NEWLINE DEDENT z",  # no word of this form
        "x INDENT y",
        "print 'jupyter_string'",
        "x = NEWLINE y",
    ],
)
def test_what_no_layout_makes_python_does_not_parse(tokens: str) -> None:
    assert not parses(tokens.split())


def test_a_clause_on_the_line_of_its_header_is_python_too() -> None:
    assert parses(["if", "x", ":", "y", "NEWLINE", "else", ":", "z"])


def test_the_layout_of_the_code_is_among_those_tried() -> None:
    code = "if a:\n if b:\n  c\n else:\n  d\nelse:\n e"
    texts = [text.replace(" :", ":") for text in layouts(normal_form(code))]
    assert code in texts


def test_a_text_made_to_have_endless_layouts_ends() -> None:
    nest = "if x : NEWLINE INDENT " * 60 + "y" + " NEWLINE else : NEWLINE INDENT z" * 59
    assert not parses((nest + " NEWLINE finally : NEWLINE INDENT w").split())


def test_an_empty_answer_does_not_count_as_one_that_parses() -> None:
    assert parsing_first(["f (", ""]) == (["f (", ""], True)


def test_every_code_cell_of_the_embedded_notebooks_parses() -> None:
    sources: list[str] = []
    for path in sorted((ROOT / "examples/notebooks").rglob("*.ipynb"))[::4]:
        with suppress(UnreadableNotebook):  # some are broken on purpose
            cells = read_notebook(path.read_bytes(), "", path.name).cells
            sources += [cell.source for cell in cells if cell.cell_type == "code"]
    forms = []
    for source in sources:
        with suppress(NotPython):
            forms.append(normal_form(source))
    assert len(forms) > 100
    assert [form for form in forms if not parses(form)] == []


@pytest.mark.skipif(not GOLDENS.is_file(), reason=f"no {GOLDENS}")
def test_every_target_of_the_authors_parses() -> None:
    rows = list(read_jsonl(GOLDENS))
    assert len(rows) == 1500
    assert [row["code"] for row in rows if not parses(row["code_tokens_clean"])] == []
