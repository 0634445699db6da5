"""Why a command has no tree: reasons to count."""

from __future__ import annotations


class NotBash(Exception):
    """A command that we cannot read; `reason` is short and the same for all of its kind.

    `empty`, `too_long`, `too_deep`, `unparsed` (no Bash, or unbalanced quotes), `compound` (loops,
    tests, subshells), `list` (several commands), `heredoc`, `redirect`, `no_grammar` (a utility
    that is not in the table), `unknown_flag`, `missing_argument` and `subcommand` (a quoted
    command that is none).
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
