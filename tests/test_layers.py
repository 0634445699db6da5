"""Imports point downwards only, and nothing imports a recipe."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = [
    {"juice", "nl2bash", "recipes", "tokenizer"},
    {"training_run", "evaluation", "report"},
    {"training_data", "curves", "divergence", "answers", "other_answers"},
    {"hub", "checkpoints", "predictions", "questions"},
    {"trackers", "interruption", "optimisation", "decoding"},
    {"run_folder", "progress", "memory", "machine"},
    {"training_config"},
    {"models", "retrieval", "given_code", "training", "encoding"},
    {"batches"},
    {"corpus", "metrics", "execution"},  # these three do not import each other
    {"vocabulary", "format_checks"},
    {"tokenization", "sources"},
    {"dumps"},
    {"linearisation"},
    {"context_choice", "slot_filling", "bash_text"},
    {"notebooks", "python_code", "bash_code", "bash_nl", "markdown"},
    {"jsonl", "config", "dataset", "outputs"},
    {"records", "errors", "help_text", "treebank", "markdown_lines", "instances", "license_files"},
    {"license_texts"},
    {"copyright_lines"},
]
HEIGHT = {room: height for height, layer in enumerate(reversed(LAYERS)) for room in layer}
PROGRAMS = ("recipes", "juice", "nl2bash", "tests")
# Within a layer, an arrow is drawn only here.
NEIGHBOURS = {
    ("answers", "other_answers"),
    ("checkpoints", "predictions"),
    ("config", "jsonl"),
    ("encoding", "models"),
    ("hub", "predictions"),
    ("training", "models"),
    ("training", "encoding"),
}


def files():
    found = [ROOT / "juice.py", ROOT / "nl2bash.py"]
    for folder in ("nl2code", "recipes", "tokenizer"):
        found += (ROOT / folder).rglob("*.py")
    return [file for file in sorted(found) if file != ROOT / "nl2code" / "__init__.py"]


def room(file):
    parts = file.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "nl2code" else parts[0]


def imported(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_point_downwards(file):
    for name in imported(file):
        parts = name.split(".")
        assert parts[0] not in PROGRAMS, f"{name}: nothing imports a program"
        if parts[0] != "nl2code" or len(parts) == 1:
            continue
        here, there = room(file), parts[1]
        assert there in HEIGHT, f"{there} has no place among the layers"
        assert here == there or HEIGHT[there] < HEIGHT[here] or (here, there) in NEIGHBOURS, (
            f"{here} imports {there}"
        )
