"""The authors' own output, token for token; skipped where `../shared` is absent."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

import pytest

from nl2code.jsonl import read_jsonl
from nl2code.python_code import analyse, normal_form, restore, strip_magics

GOLDENS = Path(__file__).parents[2] / "shared/data/goldens/normal_form.jsonl"

pytestmark = pytest.mark.skipif(not GOLDENS.is_file(), reason=f"no {GOLDENS}")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return list(read_jsonl(GOLDENS)) if GOLDENS.is_file() else []


def test_tokens_calls_and_comments_are_the_authors(rows: list[dict[str, Any]]) -> None:
    assert len(rows) == 1500
    for row in rows[::5]:
        cell = analyse(row["code"])
        assert list(cell.tokens) == row["code_tokens_clean"]
        assert list(cell.api_sequence) == row["api_sequence"]
        assert list(cell.comments) == row["comments"]


def test_magics_leave_the_authors_code(rows: list[dict[str, Any]]) -> None:
    # They also keep what follows `%%bash` and the like when it happens to parse.
    cells = [row for row in rows if "%%" not in row["source"]]
    assert len(cells) > 1400
    assert all(strip_magics(row["source"]) == row["code"] for row in cells)


def test_lossless_goes_back_on_real_cells(rows: list[dict[str, Any]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the cells
        for row in rows[::5]:
            code = restore(normal_form(row["code"], "lossless"))
            assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(row["code"]))
