"""The columns of NL2Bash."""

from __future__ import annotations

from datasets import Features, List, Value

_STRING = Value("string")

FEATURES = Features(
    {
        "id": _STRING,
        "line": Value("int32"),
        "nl": _STRING,
        "command": _STRING,
        "template": _STRING,
        "utilities": List(_STRING),
        "flags": List(_STRING),
        "reserved": List(_STRING),
        "nl_tokens": List(_STRING),
        "nl_sub_tokens": List(_STRING),
        "command_tokens": List(_STRING),
        "command_sub_tokens": List(_STRING),
        "cluster": _STRING,
        "leaks": Value("bool"),
    }
)
"""A pair. What is read off the command is null where it does not parse."""

SCHEMA = FEATURES.arrow_schema
