"""Where a released record comes from, and which kind of example it is."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from nl2code.corpus.released.mixed_types import count, given, label, number

_NBGRADER_FIELDS = (
    *("checksum", "grade", "grade_id", "locked", "points", "solution", "schema_version"),
    *("is_boilerplate", "is_instructor_answer", "extracted_code"),
)
_NBGRADER_METADATA = ("test_below_passed", "from_output_nb")
_EXERCISE_METADATA = ("boilerplate", "boilerplate_path", "submission_url", "url")


def metadata_of(record: dict[str, Any], raw: dict[str, Any], cells_above: int) -> dict[str, Any]:
    """Return the column `metadata` of a record whose own metadata are `raw`."""
    both = record | {name: value for name, value in raw.items() if value is not None}
    index = count(given(raw, "cell_index"))
    address = _address(label(given(raw, "submission_url", "nb_orig_url", "url")) or "")
    return {
        "source": _source(record, raw),
        "repo": label(given(both, "repo")) or address.get("repo"),
        "path": label(given(both, "path")) or address.get("path"),
        "commit": label(given(both, "commit")) or address.get("commit"),
        "license": label(given(both, "license")),
        "cell_index": cells_above if index is None else index,
        "grade_id": label(given(both, "grade_id")),
        "points": number(given(both, "points")),
        "submissions": None,
        "exercise_path": label(given(raw, "boilerplate_path")),
        "repositories": None,
    }


def _source(record: dict[str, Any], metadata: dict[str, Any]) -> str:
    if given(record, *_NBGRADER_FIELDS) is not None:
        return "nbgrader"
    if given(metadata, *_NBGRADER_METADATA) is not None:
        return "nbgrader"
    if given(metadata, *_EXERCISE_METADATA) is not None:
        return "exercise"
    return "train" if given(record, "boilerplate_code") is None else "exercise"


_GITHUB = re.compile(
    r"https?://(?:www\.)?(?:github\.com/(?P<repo>[^/]+/[^/]+)/(?:blob|raw|tree)"
    r"|raw\.githubusercontent\.com/(?P<raw_repo>[^/]+/[^/]+))/(?P<ref>[^/]+)/(?P<path>[^?#]+)"
)


def _address(url: str) -> dict[str, str]:
    """Repository, path and commit that a notebook's address on GitHub names.

    >>> _address("https://github.com/ada/ps/blob/master/a%20b.ipynb")
    {'repo': 'ada/ps', 'path': 'a b.ipynb'}
    """
    found = _GITHUB.match(url)
    if not found:
        return {}
    address = {"repo": found["repo"] or found["raw_repo"], "path": unquote(found["path"])}
    # A branch moves, so only a hash tells which version of the notebook it was.
    return address | (
        {"commit": found["ref"]} if re.fullmatch("[0-9a-f]{40}", found["ref"]) else {}
    )
