"""Make the small nbgrader course of the embedded corpus: source, release, submissions, autograded.

The problem sets are `course/ps*/*.md`, the answers `course/students/*.md`: Markdown whose fenced
blocks are the cells. The real nbgrader releases and grades them in a temporary folder; what comes
out is copied to `intro-python-course/` and, a repository a student, to `student-NAME/`.

    pip install -e '.[course]' && python examples/make_course.py
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

HERE = Path(__file__).parent
COURSE = HERE / "course"
NAME = "intro-python-course"
FENCE = re.compile(r"^```(python|markdown)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "version": "3.8.10"},
}


class Block(NamedTuple):
    """A fenced block: the type of its cell, the words behind the fence, the source."""

    cell_type: str
    words: tuple[str, ...]
    source: str


def main() -> None:
    """Make the course and replace the one under `--out`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=HERE / "notebooks", help="the corpus folder")
    out: Path = parser.parse_args().out
    # nbgrader calls `alembic` by name, which is beside Python when no environment is active.
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_course(root)
        for part in ("source", "release", "autograded"):
            copy_notebooks(root / part, out / NAME / part)
        for submission in sorted((root / "submitted").iterdir()):
            copy_notebooks(submission, out / f"student-{submission.name}" / NAME)


def make_course(root: Path) -> None:
    """Write the sources, release them, fill in the students' answers and grade these."""
    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.course_id = NAME
    api = NbGraderAPI(config=config)
    for path in sorted(COURSE.glob("ps*/*.md")):
        assignment = path.parent.name
        write_notebook(read_source(path), root / "source" / assignment / f"{path.stem}.ipynb")
        expect_success(api.generate_assignment(assignment))
        for student in sorted((COURSE / "students").glob("*.md")):
            if hand_in(root, assignment, student):
                expect_success(api.autograde(assignment, student.stem))


def expect_success(result: dict[str, Any]) -> None:
    """Stop at the first step of nbgrader that failed, with its log."""
    if not result["success"]:
        raise SystemExit(result.get("log") or result.get("error"))


def read_source(path: Path) -> nbformat.NotebookNode:
    """The instructor's notebook: prose between the fences, and cells with nbgrader metadata."""
    text, end, cells = path.read_text(encoding="utf-8"), 0, []
    for match in FENCE.finditer(text):
        cells += prose_cells(text[end : match.start()])
        cells.append(graded_cell(Block(match[1], tuple(match[2].split()), match[3].rstrip())))
        end = match.end()
    cells += prose_cells(text[end:])
    for number, cell in enumerate(cells):
        cell["id"] = hashlib.sha256(f"{path.stem} {number}".encode()).hexdigest()[:8]
    return new_notebook(cells=cells, metadata=METADATA)


def prose_cells(text: str) -> list[nbformat.NotebookNode]:
    """The prose as a markdown cell, or no cell where there is none."""
    return [new_markdown_cell(text.strip())] if text.strip() else []


def graded_cell(block: Block) -> nbformat.NotebookNode:
    """A cell of the source: `solution ID`, `test ID POINTS`, `manual ID POINTS`, or plain."""
    cell = (new_code_cell if block.cell_type == "python" else new_markdown_cell)(block.source)
    if not block.words:
        return cell
    kind, grade_id, *points = block.words
    cell.metadata["nbgrader"] = {
        "grade": kind != "solution",
        "grade_id": grade_id,
        "locked": kind == "test",
        "schema_version": 3,
        "solution": kind != "test",
        "task": False,
        **({"points": int(points[0])} if points else {}),
    }
    return cell


def hand_in(root: Path, assignment: str, student: Path) -> bool:
    """Write a student's version of the release; False when the file has no answer but others do.

    A student without any answer hands in the release, untouched and never run.
    """
    text = student.read_text(encoding="utf-8")
    blocks = [
        Block(kind, tuple(words.split()), source) for kind, words, source in FENCE.findall(text)
    ]
    answers = {
        block.words[1]: block.source.rstrip() for block in blocks if block.words[0] == assignment
    }
    if blocks and not answers:
        return False
    for released in sorted((root / "release" / assignment).glob("*.ipynb")):
        notebook = nbformat.read(released, as_version=4)
        fill_in(notebook, answers)
        if answers:
            NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute()
        path = root / "submitted" / student.stem / assignment / released.name
        write_notebook(notebook, path)
    return True


def fill_in(notebook: nbformat.NotebookNode, answers: dict[str, str]) -> None:
    """Replace the source of each cell that has an answer, test cells included."""
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)


def copy_notebooks(source: Path, target: Path) -> None:
    """Replace `target` by the notebooks under `source`, without what differs between two runs."""
    shutil.rmtree(target, ignore_errors=True)
    for path in notebooks_below(source):
        notebook = nbformat.read(path, as_version=4)
        notebook.metadata.update(METADATA)
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # the times at which the cell ran
        write_notebook(notebook, target / path.relative_to(source))


def notebooks_below(folder: Path) -> Iterator[Path]:
    """Yield the notebooks in a folder in a stable order."""
    yield from sorted(folder.rglob("*.ipynb"))


def write_notebook(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write a valid notebook with a newline at its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.validate(notebook)
    path.write_text(nbformat.writes(notebook).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
