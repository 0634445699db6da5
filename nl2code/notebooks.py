"""An .ipynb in any shape → `Notebook`; what cannot be read is a reason, to be counted."""

from __future__ import annotations

import codecs
import json
from typing import Any

import orjson

from nl2code.records import Cell, Notebook

NEWEST_FORMAT = 4
CELL_TYPES = ("code", "markdown", "raw", "heading")


class UnreadableNotebook(ValueError):
    """This text is no notebook; `reason` says why in a word that can be counted."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_notebook(
    content: str | bytes | dict[str, Any] | None,
    repo: str,
    path: str,
    commit: str | None = None,
    license: str | None = None,
) -> Notebook:
    """Return the notebook in `content`, of nbformat 2, 3 or 4: its text, or its parsed JSON.

    Raises:
        UnreadableNotebook: `empty_file`, `not_text`, `html`, `conflict_markers`, `broken_json`,
            `not_a_notebook`, or `nbformat_too_new`.
    """
    document = content if isinstance(content, dict) else read_object(content)
    if not _is_known(document.get("nbformat")):
        raise UnreadableNotebook("nbformat_too_new")
    cells = tuple(_cell(raw) for raw in _raw_cells(document) if isinstance(raw, dict))
    metadata = _dict(document.get("metadata"))
    kernel, language = _dict(metadata.get("kernelspec")), _dict(metadata.get("language_info"))
    return Notebook(
        repo=repo,
        path=path,
        cells=cells,
        kernel=_text(kernel.get("name")),
        language=_text(language.get("name") or kernel.get("language")).lower(),
        language_version=_text(language.get("version")),
        commit=commit,
        license=license,
    )


def read_object(content: str | bytes | None) -> dict[str, Any]:
    """Return the JSON object that the text holds, strict JSON or not; raises as `read_notebook`."""
    return _parse(_decode(content))


def _is_known(version: Any) -> bool:
    """Whether cells of this nbformat can be read; one that is not stated can.

    >>> _is_known(4), _is_known("3"), _is_known(None), _is_known(5)
    (True, True, True, False)
    """
    return version is None or str(version) in map(str, range(NEWEST_FORMAT + 1))


def _decode(content: str | bytes | None) -> str:
    if isinstance(content, bytes):
        utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        try:
            content = content.decode("utf-16" if utf_16 else "utf-8")
        except UnicodeDecodeError:
            raise UnreadableNotebook("not_text") from None
    text = (content or "").lstrip("\ufeff").strip()
    if not text.strip("\0"):
        raise UnreadableNotebook("empty_file")
    return text


def _parse(text: str) -> dict[str, Any]:
    try:
        document = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        document = _parse_leniently(text)
    if not isinstance(document, dict):
        raise UnreadableNotebook("not_a_notebook")
    return document


def _parse_leniently(text: str) -> Any:
    """Return what the standard library reads and orjson does not: NaN, control characters,
    lone surrogates; the last become U+FFFD, as no file can hold them."""  # noqa: D205, D209
    try:
        whole = text.encode("utf-8", "replace").decode()
        return _without_surrogates(json.loads(whole, strict=False))
    except (ValueError, RecursionError):
        raise UnreadableNotebook(_why_broken(text)) from None


def _why_broken(text: str) -> str:
    if text.startswith("<") and not text.startswith("<<<<<<<"):
        return "html"
    if "\n<<<<<<< " in f"\n{text}" and "\n>>>>>>> " in text:
        return "conflict_markers"
    return "broken_json"


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _raw_cells(document: dict[str, Any]) -> list[Any]:
    if isinstance(document.get("cells"), list):
        return list(document["cells"])
    worksheets = document.get("worksheets")
    if not isinstance(worksheets, list):
        raise UnreadableNotebook("not_a_notebook")
    return [cell for sheet in worksheets for cell in _list(_dict(sheet).get("cells"))]


def _cell(raw: dict[str, Any]) -> Cell:
    count = raw.get("execution_count", raw.get("prompt_number"))
    return Cell(
        cell_type=raw["cell_type"] if raw.get("cell_type") in CELL_TYPES else "raw",
        source=join_source(raw.get("source", raw.get("input"))),
        metadata=_dict(raw.get("metadata")),
        execution_count=count if isinstance(count, int) else None,
        outputs=tuple(output for output in _list(raw.get("outputs")) if isinstance(output, dict)),
    )


def join_source(source: Any) -> str:
    r"""Return a cell's source as one string.

    >>> join_source(["x = 1\n", "y = 2"]), join_source(["x = 1", "y = 2"]), join_source(None)
    ('x = 1\ny = 2', 'x = 1\ny = 2', '')
    """
    if not isinstance(source, list):
        return _text(source).replace("\r\n", "\n")
    lines = [_text(line) for line in source]
    # Some writers store lines without their newlines; joined as they are, they would fuse.
    fused = len(lines) > 1 and not any(line.endswith("\n") for line in lines[:-1])
    return ("\n" if fused else "").join(lines).replace("\r\n", "\n")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
