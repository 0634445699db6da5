"""How often the normal form is the authors', token for token; each miss with its cause.

python benchmarks/normal_form.py ../shared/data/goldens/normal_form.jsonl
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nl2code.errors import UserError, run_program
from nl2code.jsonl import read_jsonl
from nl2code.python_code import NotPython, analyse, strip_magics


def main() -> None:
    """Print a line a field, then the misses by cause."""
    if len(sys.argv) != 2:
        raise UserError("usage: python benchmarks/normal_form.py GOLDENS.jsonl")
    rows = list(read_jsonl(Path(sys.argv[1])))
    begin = time.process_time()
    misses = [list(compare(row)) for row in rows]
    seconds = time.process_time() - begin
    print(f"{len(rows)} cells, {seconds:.2f} CPU s, {1000 * seconds / len(rows):.2f} ms a cell")
    causes: dict[str, list[str]] = defaultdict(list)
    for row, missed in zip(rows, misses, strict=True):
        for field, cause in missed:
            causes[field].append(f"{cause}: {row['repo']}/{row['path']}, cell {row['cell_index']}")
    for field in ("code_tokens_clean", "api_sequence", "comments", "code"):
        print(f"{field}: {100 * (1 - len(causes[field]) / len(rows)):.2f} %")
        print("".join(f"    {line}\n" for line in sorted(causes[field])), end="")


def compare(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each field that differs from the golden one, and why."""
    try:
        if strip_magics(row["source"]) != row["code"]:
            yield "code", "another magic left or kept"
    except NotPython as reason:
        yield "code", str(reason)
    cell = analyse(row["code"])
    if list(cell.tokens) != row["code_tokens_clean"]:
        yield "code_tokens_clean", cause_of(list(cell.tokens), row["code_tokens_clean"])
    for field in ("api_sequence", "comments"):
        if list(getattr(cell, field)) != row[field]:
            yield field, "another list"


def cause_of(ours: list[str], theirs: list[str]) -> str:
    """What sets two normal forms apart.

    >>> cause_of(["f", "(", "NEWLINE", "x", ")"], ["f", "(", "x", ")"])
    'line breaks'
    """
    for cause, ignored in [("line breaks", {"NEWLINE"}), ("parentheses", {"NEWLINE", "(", ")"})]:
        if [t for t in ours if t not in ignored] == [t for t in theirs if t not in ignored]:
            return cause
    return "other tokens"


if __name__ == "__main__":
    run_program(main)
