"""Command lines: options stand anywhere; `--help` shows a program's docstring as it is written."""

from __future__ import annotations

from argparse import (
    Action,
    ArgumentDefaultsHelpFormatter,
    ArgumentParser,
    RawDescriptionHelpFormatter,
)
from typing import Any


class Help(RawDescriptionHelpFormatter, ArgumentDefaultsHelpFormatter):
    """Keeps the lines of a description, so that its commands can be copied."""

    def _get_help_string(self, action: Action) -> str | None:
        return super()._get_help_string(action) if action.default else action.help


class Command(ArgumentParser):
    """Takes options between the words of a command as well: `push FOLDER --dry-run NAME`."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as usual; where words are left over, take them together with those before.

        Not at once: an intermixed parse knows no defaults that `--help` could show.
        """
        found, left = super().parse_known_args(args, namespace)
        if self._mixing or not left:
            return found, left
        self._mixing = True  # it comes back here for each of its two halves
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False
