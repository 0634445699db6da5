"""Digests that stand for texts in all that is compared by key."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from nl2code.records import Notebook


def digest(parts: Iterable[str]) -> str:
    """Return 32 hexadecimal digits that stand for the sequence of strings.

    >>> digest(["ab", "c"]) == digest(["a", "bc"])
    False
    """
    encoded = [part.encode() for part in parts]
    framed = b"".join([len(part).to_bytes(8, "big") + part for part in encoded])
    return hashlib.blake2b(framed, digest_size=16).hexdigest()


def notebook_key(notebook: Notebook) -> str:
    """A digest of the notebook's cells."""
    return digest(part for cell in notebook.cells for part in (cell.cell_type, cell.source))
