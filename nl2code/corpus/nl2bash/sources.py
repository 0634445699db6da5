"""NL2Bash's two files, all.nl and all.cm, from a folder or from where they were published."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from nl2code.errors import UserError, sentence

PUBLISHED = "published"
"""The source that is downloaded."""
COMMIT = "d6b9f5bdff45621d190134e31ab63b7bf7002190"
ADDRESS = f"https://raw.githubusercontent.com/TellinaTool/nl2bash/{COMMIT}/data/bash/"
"""The authors' public data, under the MIT licence."""
SHA256 = {
    "all.nl": "1db0c529c350b463919624550b8f5882a97c42ad5051c7d49fbc496bc4e8b770",
    "all.cm": "3a72eaced7fa14a0938354cefc42b2dcafb2d47297102f1279086e18c3abe57e",
}
"""Of the published files."""
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its command."""

    line: int
    """Counted from 1, the same in both files."""
    nl: str
    command: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """What a source holds."""

    pairs: list[Pair]
    digests: dict[str, str]
    """SHA-256 of each file, without a byte order mark and with Unix line ends."""
    notes: list[str]
    """What was mended on reading."""


def read_pairs(source: str, address: str = ADDRESS) -> Pairs:
    """Return the pairs of a folder, or of the public files where the source is `published`.

    A byte order mark and Windows line ends, which an editor or Git may have added, are dropped.

    Raises:
        UserError: The folder or a file is missing, cut off, changed on its way or no UTF-8; or the
            two differ in length.
    """
    published = source == PUBLISHED
    texts, notes = {}, []
    if not published:
        _check_folder(source)
    for name in SHA256:
        place = f"{address}{name}" if published else str(Path(source) / name)
        content = _download(place, SHA256[name]) if published else _read(Path(place))
        texts[name], mended = _decoded(content, place)
        notes += mended
    return _paired(texts, source, notes)


def _paired(texts: dict[str, str], source: str, notes: list[str]) -> Pairs:
    lines = {name: text.removesuffix("\n").split("\n") for name, text in texts.items()}
    counts = {name: len(found) if texts[name] else 0 for name, found in lines.items()}
    if len(set(counts.values())) > 1:
        stated = ", ".join(f"{name} has {count} lines" for name, count in counts.items())
        raise UserError(f"{source}: {stated}; line by line they must be pairs")
    if not all(counts.values()):
        raise UserError(f"{source}: all.nl and all.cm are empty")
    pairs = zip(lines["all.nl"], lines["all.cm"], strict=True)
    return Pairs(
        [Pair(line, nl, command) for line, (nl, command) in enumerate(pairs, 1)],
        {name: _sha256(text.encode()) for name, text in texts.items()},
        notes,
    )


def require_published(pairs: Pairs, source: str) -> None:
    """Raise a `UserError` when the files are others than the published, whose split is by line."""
    for name, digest in pairs.digests.items():
        if digest != SHA256[name]:
            raise UserError(
                f"{Path(source) / name}: not the published file (SHA-256 {digest:.12}…, not"
                f" {SHA256[name]:.12}…); --config rebuilt splits any pairs"
            )


def _check_folder(source: str) -> None:
    if not Path(source).is_dir():
        what = "a file" if Path(source).exists() else "no such folder"
        raise UserError(f"{source}: {what}; SOURCE is a folder of all.nl and all.cm")


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise UserError(f"{path}: no such file; SOURCE is a folder of all.nl and all.cm")
    return path.read_bytes()


def _download(address: str, digest: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:
            content: bytes = answer.read()
    except http.client.IncompleteRead as error:
        raise UserError(f"{address}: cut off after {len(error.partial):,} bytes") from None
    except urllib.error.HTTPError as error:
        raise UserError(f"{address}: the server answers {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        cause = getattr(error, "reason", error)
        said = sentence(cause) if isinstance(cause, BaseException) else str(cause)
        raise UserError(f"{address}: cannot be downloaded: {said}") from None
    if _sha256(content) != digest:
        raise UserError(
            f"{address}: SHA-256 {_sha256(content):.12}… of {len(content):,} bytes, not"
            f" {digest:.12}…: not the published file, or damaged on its way"
        )
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _decoded(content: bytes, place: str) -> tuple[str, list[str]]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{place}, line {line}: not UTF-8: {error.reason}") from None
    notes = []
    if text.startswith("\ufeff"):
        text = text[1:]
        notes.append(f"{place}: the byte order mark was dropped.")
    if "\r\n" in text:
        notes.append(f"{place}: {text.count(chr(13) + chr(10)):,} Windows line ends were mended.")
        text = text.replace("\r\n", "\n")
    return text, notes
