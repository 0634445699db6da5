"""A split's rows: from a built folder, or from a dataset that `load_dataset` finds by its name."""

from __future__ import annotations

from typing import Any

from datasets import load_dataset
from datasets.exceptions import DatasetsError

from nl2code.errors import UserError


def read_split(data: str, split: str, *, streaming: bool = False) -> Any:
    """Return the split as a `Dataset`, or streamed as an `IterableDataset`.

    Raises:
        UserError: There is no such dataset or split, or it cannot be read.
    """
    try:
        return load_dataset(data, split=split, streaming=streaming)
    # No dataset, no file and no network are all OSErrors; a split that is not there, a ValueError.
    except (OSError, ValueError, RuntimeError, DatasetsError) as error:
        cause = str(error.__cause__ or error).partition("\n")[0]
        cause = cause.partition(" with any supported extension")[0]  # a list of eighty of them
        raise UserError(f"{data}: the split {split!r} cannot be read: {cause}") from None
