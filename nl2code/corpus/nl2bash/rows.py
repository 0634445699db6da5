"""A pair as a row of the dataset, and what is counted of a split's rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nl2code.bash_nl.words import cluster, nl_tokens, sub_tokens
from nl2code.corpus.nl2bash.commands import Command
from nl2code.corpus.nl2bash.sources import Pair

Row = dict[str, Any]


def row_of(pair: Pair, command: Command | str) -> Row:
    """The row, but for `leaks`; of a command that does not parse it lacks what a parse gives."""
    row = _sentence(pair)
    return row if isinstance(command, str) else row | _parts(command)


def _sentence(pair: Pair) -> Row:
    tokens = nl_tokens(pair.nl)
    return {
        "id": str(pair.line),
        "line": pair.line,
        "nl": pair.nl,
        "command": pair.command,
        "nl_tokens": tokens,
        "nl_sub_tokens": sub_tokens(tokens),
        "cluster": cluster(tokens),
    }


def _parts(command: Command) -> Row:
    return {
        "template": command.template,
        "utilities": command.utilities,
        "flags": command.flags,
        "reserved": command.reserved,
        "command_tokens": command.tokens,
        "command_sub_tokens": command.sub_tokens,
    }


def counts_of(rows: Sequence[Row]) -> dict[str, int]:
    """What the build states of a split: examples, what of them is distinct, and what leaks."""
    distinct = {
        f"{column}s": len({value for row in rows if (value := row.get(column)) is not None})
        for column in ("cluster", "command", "template")
    }
    return {"examples": len(rows), **distinct, "leaks": sum(row["leaks"] for row in rows)}
