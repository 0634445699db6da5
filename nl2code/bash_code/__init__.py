"""Bash commands: their typed tree, templates, the canonical form, and tokens."""

from nl2code.bash_code.parsing import (
    argument_types,
    canonical,
    closed_words,
    flags,
    parse,
    reserved_words,
    template,
    utilities,
)
from nl2code.bash_code.reasons import NotBash
from nl2code.bash_code.tokens import command_tokens, restore_command
from nl2code.bash_code.tree import Pipeline

__all__ = [
    "NotBash",
    "Pipeline",
    "argument_types",
    "canonical",
    "closed_words",
    "command_tokens",
    "flags",
    "parse",
    "reserved_words",
    "restore_command",
    "template",
    "utilities",
]
