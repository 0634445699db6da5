"""What `--help` shows: a program's docstring as it is written, and defaults that say something."""

from __future__ import annotations

from argparse import Action, ArgumentDefaultsHelpFormatter, RawDescriptionHelpFormatter


class Help(RawDescriptionHelpFormatter, ArgumentDefaultsHelpFormatter):
    """Keeps the lines of a description, so that its commands can be copied."""

    def _get_help_string(self, action: Action) -> str | None:
        return super()._get_help_string(action) if action.default else action.help
